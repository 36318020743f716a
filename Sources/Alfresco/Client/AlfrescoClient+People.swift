import JSON
import Model
import Wire

// People beside their list: what they did, their groups, preferences and networks.
extension AlfrescoClient {
  public enum ActivityScope: String, Sendable { case me, others }

  /// What happened in the caller's sites, newest first; the server gathers it once a minute and forgets it after a month.
  public func activities(
    _ page: PageRequest = PageRequest(), scope: ActivityScope? = nil, site: String? = nil
  ) async throws(ServiceError) -> Page<Activity> {
    var query = page.query
    if let scope { query.append(("who", scope.rawValue)) }
    if let site { query.append(("siteId", site)) }
    let call = Call("list the activities", "GET", "people", "-me-", "activities", query: query)
    return try await Page(reply(call), Activity.init)
  }

  /// People whose first name, last name or id holds the term.
  ///
  /// - Parameter term: At least two letters or digits.
  public func findPeople(
    _ term: String, _ page: PageRequest = PageRequest()
  ) async throws(ServiceError) -> Page<Person> {
    let call = Call("find people", "GET", "queries", "people", query: page.query + [("term", term)])
    return try await Page(reply(call), Person.init)
  }

  /// Changes details of a person: `jobTitle`, `location`, `mobile`… An empty text removes one.
  public func updatePerson(
    _ id: String = "-me-", _ details: [String: String]
  ) async throws(ServiceError) -> Entry<Person> {
    let members = details.sorted { $0.key < $1.key }.map { JSONNode.Member(key: $0.key, value: .string($0.value)) }
    return try await Entry(
      reply(Call("change a person", "PUT", "people", id).carrying(.object(members))), Person.init)
  }

  /// Administrators only.
  public func createPerson(
    _ id: String, firstName: String, lastName: String? = nil, email: String, password: Secret
  ) async throws(ServiceError) -> Entry<Person> {
    var body: JSONNode = [
      "id": .string(id), "firstName": .string(firstName), "email": .string(email),
      "password": .string(password.reveal()),
    ]
    if let lastName { body["lastName"] = .string(lastName) }
    return try await Entry(reply(Call("add a person", "POST", "people").carrying(body)), Person.init)
  }

  /// Changes the caller's own password.
  public func changePassword(from old: Secret, to new: Secret) async throws(ServiceError) {
    let body: JSONNode = ["oldPassword": .string(old.reveal()), "password": .string(new.reveal())]
    _ = try await answer(Call("change the password", "PUT", "people", "-me-").carrying(body))
  }

  public func preferences(_ page: PageRequest = PageRequest()) async throws(ServiceError) -> Page<Preference> {
    let call = Call("list the preferences", "GET", "people", "-me-", "preferences", query: page.query)
    return try await Page(reply(call), Preference.init)
  }

  public func preference(_ name: String) async throws(ServiceError) -> Entry<Preference> {
    try await Entry(
      reply(Call("read a preference", "GET", "people", "-me-", "preferences", name)), Preference.init)
  }

  /// Not on older servers, which have preferences to read only.
  public func setPreference(_ name: String, to value: String) async throws(ServiceError) -> Entry<Preference> {
    let call = Call("change a preference", "PUT", "people", "-me-", "preferences", name)
    return try await Entry(reply(call.carrying(["value": .string(value)])), Preference.init)
  }

  public func networks() async throws(ServiceError) -> Page<Network> {
    try await Page(reply(Call("list the networks", "GET", "people", "-me-", "networks")), Network.init)
  }

  // MARK: Groups

  public func groups(
    of person: String = "-me-", _ page: PageRequest = PageRequest()
  ) async throws(ServiceError) -> Page<Group> {
    try await Page(reply(Call("list the groups", "GET", "people", person, "groups", query: page.query)), Group.init)
  }

  public func groups(_ page: PageRequest = PageRequest()) async throws(ServiceError) -> Page<Group> {
    try await Page(reply(Call("list the groups", "GET", "groups", query: page.query)), Group.init)
  }

  public func group(_ id: String) async throws(ServiceError) -> Entry<Group> {
    try await Entry(reply(Call("read a group", "GET", "groups", id)), Group.init)
  }

  /// Administrators only; the server puts `GROUP_` before an id that lacks it.
  public func createGroup(_ id: String, title: String) async throws(ServiceError) -> Entry<Group> {
    let body: JSONNode = ["id": .string(id), "displayName": .string(title)]
    return try await Entry(reply(Call("make a group", "POST", "groups").carrying(body)), Group.init)
  }

  public func deleteGroup(_ id: String) async throws(ServiceError) {
    _ = try await answer(Call("delete a group", "DELETE", "groups", id))
  }

  public func members(
    ofGroup group: String, _ page: PageRequest = PageRequest()
  ) async throws(ServiceError) -> Page<Group> {
    let call = Call("list the members of a group", "GET", "groups", group, "members", query: page.query)
    return try await Page(reply(call), Group.init)
  }

  public func addMember(_ person: String, toGroup group: String) async throws(ServiceError) {
    let body: JSONNode = ["id": .string(person), "memberType": "PERSON"]
    _ = try await answer(Call("add to a group", "POST", "groups", group, "members").carrying(body))
  }

  public func removeMember(_ person: String, fromGroup group: String) async throws(ServiceError) {
    _ = try await answer(Call("take out of a group", "DELETE", "groups", group, "members", person))
  }
}
