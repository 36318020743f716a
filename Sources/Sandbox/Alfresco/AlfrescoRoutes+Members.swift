import HTTPServer
import JSON

extension AlfrescoRoutes {
  /// What managers do with members and with requests to become one (reference 2.8).
  mutating func addMembership() {
    on("GET", "sites/{site}/members/{person}") { call, repository in
      let (site, member) = try Membership.find(call, repository)
      return call.entry(Membership.written(member, site, repository))
    }
    on("POST", "sites/{site}/members") { call, repository in
      let index = try Membership.managed(call, repository)
      let body = try call.object()
      guard let id = body["id"].string, let person = repository.person(id) else {
        throw AlfrescoFault.unknownEntity(body["id"].string ?? "")
      }
      let member = RepoSite.Member(user: person.id, role: try Membership.role(body))
      guard repository.sites[index].role(of: person.id) == nil else {
        throw AlfrescoFault.conflict("\(person.id) is already a member of site \(repository.sites[index].id)")
      }
      repository.sites[index].members.append(member)
      repository.sites[index].requests.removeAll { $0.user == person.id }
      return call.entry(Membership.written(member, repository.sites[index], repository), status: 201)
    }
    on("PUT", "sites/{site}/members/{person}") { call, repository in
      let index = try Membership.managed(call, repository)
      let (site, member) = try Membership.find(call, repository)
      let role = try Membership.role(call.object())
      try Membership.keepManager(site, member, becoming: role)
      for place in site.members.indices where site.members[place].user == member.user {
        repository.sites[index].members[place].role = role
      }
      return call.entry(Membership.written(.init(user: member.user, role: role), site, repository))
    }
    on("DELETE", "sites/{site}/members/{person}") { call, repository in
      let index = try Membership.managed(call, repository)
      let (site, member) = try Membership.find(call, repository)
      try Membership.keepManager(site, member, becoming: nil)
      repository.sites[index].members.removeAll { $0.user == member.user }
      return .empty(204)
    }
    on("GET", "site-membership-requests") { call, repository in
      let managed = repository.sites.filter {
        $0.role(of: call.user) == "SiteManager" || repository.isAdmin(call.user)
      }
      let found = managed.flatMap { site in site.requests.map { (site, $0) } }
      return try call.list(call.paging.page(found).map { Membership.written($0.1, $0.0, repository) })
    }
    for verb in ["approve", "reject"] {
      on("POST", "sites/{site}/site-membership-requests/{person}/\(verb)") { call, repository in
        let index = try Membership.managed(call, repository)
        let body = try call.object(orEmpty: true)
        guard repository.sites[index].requests.contains(where: { $0.user == call["person"] }) else {
          throw AlfrescoFault.unknownRelationship(call["person"], call["site"])
        }
        repository.sites[index].requests.removeAll { $0.user == call["person"] }
        if verb == "approve" {
          let role = body["role"].exists ? try Membership.role(body) : "SiteConsumer"
          repository.sites[index].members.append(.init(user: call["person"], role: role))
        }
        return .empty(200)
      }
    }
  }
}

private enum Membership {
  static func managed(_ call: AlfrescoCall, _ repository: Repository) throws(AlfrescoFault) -> Int {
    guard let index = repository.sites.firstIndex(where: { $0.id == call["site"] }) else {
      throw .unknownEntity(call["site"])
    }
    guard repository.sites[index].role(of: call.user) == "SiteManager" || repository.isAdmin(call.user) else {
      throw .denied
    }
    return index
  }

  static func find(
    _ call: AlfrescoCall, _ repository: Repository
  ) throws(AlfrescoFault) -> (RepoSite, RepoSite.Member) {
    let person = call["person"] == "-me-" ? call.user : call["person"]
    guard let site = repository.site(call["site"]),
      site.visibility != .closed || site.role(of: call.user) != nil || repository.isAdmin(call.user)
    else { throw .unknownEntity(call["site"]) }
    guard let member = site.members.first(where: { $0.user == person }) else {
      throw .unknownRelationship(call["site"], call["person"])
    }
    return (site, member)
  }

  static func role(_ body: JSONValue) throws(AlfrescoFault) -> String {
    let roles: Set = ["SiteConsumer", "SiteContributor", "SiteCollaborator", "SiteManager"]
    guard let role = body["role"].string, roles.contains(role) else {
      throw .invalidArgument("Unknown role: \(body["role"].text ?? "")")
    }
    return role
  }

  /// A site keeps its last manager.
  static func keepManager(_ site: RepoSite, _ member: RepoSite.Member, becoming role: String?) throws(AlfrescoFault) {
    let managers = site.members.filter { $0.role == "SiteManager" }
    guard role == "SiteManager" || managers != [member] else {
      throw .unprocessable("Can't remove or change the last manager of site \(site.id)")
    }
  }

  static func written(_ member: RepoSite.Member, _ site: RepoSite, _ repository: Repository) -> JSONNode {
    [
      "id": .string(member.user), "person": PersonEntry.written(member.user, repository),
      "role": .string(member.role), "isMemberOfGroup": false,
    ]
  }

  static func written(_ request: RepoSite.Request, _ site: RepoSite, _ repository: Repository) -> JSONNode {
    var entry: JSONNode = [
      "id": .string(site.id), "createdAt": .string(request.created.alfresco),
      "site": [
        "id": .string(site.id), "guid": .string(site.guid), "title": .string(site.title),
        "visibility": .string(site.visibility.rawValue), "preset": "site-dashboard",
      ],
      "person": PersonEntry.written(request.user, repository),
    ]
    if let message = request.message { entry["message"] = .string(message) }
    return entry
  }
}
