import HTTPServer
import JSON

extension AlfrescoRoutes {
  /// People, their activities, groups and networks (reference 2.10).
  mutating func addPeople() {
    on("GET", "people") { call, repository in
      let order = (call.query("orderBy") ?? "id").split(separator: " ")
      guard ["id", "firstName", "lastName"].contains(order.first ?? "") else {
        throw AlfrescoFault.invalidArgument("Invalid sort field: \(order.first ?? "")")
      }
      func key(_ person: RepoPerson) -> String {
        switch order.first {
        case "firstName": person.firstName
        case "lastName": person.lastName ?? ""
        default: person.id
        }
      }
      var people = repository.people.sorted { key($0) < key($1) }
      if order.count > 1, order[1].uppercased() == "DESC" { people.reverse() }
      let page = try call.paging.page(people)
      return call.list(page.map { PersonEntry.full($0, call, repository, isSingle: false) })
    }
    on("GET", "people/{person}") { call, repository in
      let id = try call.person(call["person"])
      guard let person = repository.person(id) else { throw AlfrescoFault.unknownEntity(call["person"]) }
      return call.entry(PersonEntry.full(person, call, repository, isSingle: true))
    }
    on("PUT", "people/{person}", PersonEntry.update)
    free("GET", "\(Self.core)/people/{person}/avatar") { server, call in
      try server.withRepository { repository in
        let id = try call.person(call["person"])
        guard repository.person(id) != nil, call.flag("placeholder") ?? true else {
          throw AlfrescoFault.unknownEntity(call["person"])
        }
        return ContentRoutes.delivery(
          .picture(id.utf8.reduce(0) { $0 + Int($1) }), name: "avatar.png", mimeType: "image/png",
          modified: DoorSetting.present, repository)
      }.response(to: call)
    }
    on("GET", "people/{person}/activities", PersonEntry.activities)
    on("GET", "people/{person}/preferences") { call, _ in
      _ = try call.person(call["person"], isPrivate: true)
      return try call.list(call.paging.page([]))
    }
    on("GET", "people/{person}/networks") { call, _ in
      _ = try call.person(call["person"], isPrivate: true)
      return try call.list(call.paging.page([["id": "-default-", "isEnabled": true, "homeNetwork": true]]))
    }
    on("GET", "people/{person}/groups") { call, repository in
      let id = try call.person(call["person"])
      let groups = repository.sites.compactMap { site in site.role(of: id).map { "GROUP_site_\(site.id)_\($0)" } }
      let page = try call.paging.page(["GROUP_EVERYONE"] + groups)
      return call.list(
        page.map { ["id": .string($0), "displayName": .string(String($0.dropFirst(6))), "isRoot": false] })
    }
  }
}

/// Writes people as other entries carry them, and in full.
enum PersonEntry {
  static func written(_ id: String, _ repository: Repository) -> JSONNode {
    guard let person = repository.person(id) else { return ["id": .string(id)] }
    return base(person)
  }

  private static func base(_ person: RepoPerson) -> JSONNode {
    var entry: JSONNode = ["id": .string(person.id), "firstName": .string(person.firstName)]
    if let last = person.lastName { entry["lastName"] = .string(last) }
    entry["displayName"] = .string(person.displayName)
    if let email = person.email { entry["email"] = .string(email) }
    if let job = person.jobTitle { entry["jobTitle"] = .string(job) }
    if let place = person.location { entry["location"] = .string(place) }
    entry["company"] = person.organization.map { ["organization": .string($0)] } ?? [:]
    entry["enabled"] = true
    entry["emailNotificationsEnabled"] = true
    return entry
  }

  static func full(
    _ person: RepoPerson, _ call: AlfrescoCall, _ repository: Repository, isSingle: Bool
  ) -> JSONNode {
    var entry = base(person)
    guard isSingle || call.include.contains("capabilities") else { return entry }
    if person.id == call.user { entry["quota"] = -1 }
    if person.id == call.user { entry["quotaUsed"] = 73_400_320 }
    entry["capabilities"] = [
      "isAdmin": .bool(repository.isAdmin(person.id)), "isGuest": .bool(person.id == "guest"), "isMutable": true,
    ]
    return entry
  }

  @Sendable static func update(_ call: AlfrescoCall, _ repository: inout Repository) throws -> ServerResponse {
    let body = try call.object()
    let id = try call.person(call["person"])
    guard let index = repository.people.firstIndex(where: { $0.id == id }) else {
      throw AlfrescoFault.unknownEntity(call["person"])
    }
    guard id == call.user || repository.isAdmin(call.user) else { throw AlfrescoFault.denied }
    for (key, _) in body.members where !["jobTitle", "location", "company", "description"].contains(key) {
      throw AlfrescoFault.invalidArgument("The field \(key) cannot be changed")
    }
    if body["jobTitle"].exists { repository.people[index].jobTitle = body["jobTitle"].string }
    if body["location"].exists { repository.people[index].location = body["location"].string }
    if let company = body["company"]["organization"].string { repository.people[index].organization = company }
    return call.entry(full(repository.people[index], call, repository, isSingle: true))
  }

  @Sendable static func activities(_ call: AlfrescoCall, _ repository: inout Repository) throws -> ServerResponse {
    let user = try call.person(call["person"])
    guard user == call.user else { throw AlfrescoFault.denied }
    let who = call.query("who")
    guard who == nil || who == "me" || who == "others" else { throw AlfrescoFault.invalidArgument("who: \(who ?? "")") }
    if let site = call.query("siteId"), repository.site(site) == nil { throw AlfrescoFault.unknownEntity(site) }
    let seen = repository.activities.filter { activity in
      let isMember = activity.site.flatMap { repository.site($0) }?.role(of: user) != nil
      let fits = who == nil || (who == "me") == (activity.user == user)
      return isMember && fits && (call.query("siteId") ?? activity.site) == activity.site
    }
    let page = try call.paging.page(seen)
    return call.list(page.map { written($0, for: user, repository) })
  }

  private static func written(_ activity: RepoActivity, for user: String, _ repository: Repository) -> JSONNode {
    let person = repository.person(activity.user)
    return [
      "id": .int(activity.id), "postPersonId": .string(activity.user), "feedPersonId": .string(user),
      "siteId": .string(activity.site ?? ""), "postedAt": .string(activity.time.alfresco),
      "activityType": .string(activity.type),
      "activitySummary": [
        "firstName": .string(person?.firstName ?? activity.user), "lastName": .string(person?.lastName ?? ""),
        "title": .string(activity.title), "objectId": .string(activity.node),
        "parentObjectId": .string(activity.parent),
        "page": .string("document-details?nodeRef=workspace://SpacesStore/\(activity.node)"),
      ],
    ]
  }
}
