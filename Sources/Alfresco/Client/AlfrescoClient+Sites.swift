import JSON
import Model
import Wire

// Sites of one's own, membership, and what a manager does.
extension AlfrescoClient {
  /// Sites that the caller is a member of, by title; each carries the caller's role.
  public func mySites(_ page: PageRequest = PageRequest()) async throws(ServiceError) -> Page<Site> {
    let call = Call("list your sites", "GET", "people", "-me-", "sites", query: page.query)
    return try await Page(reply(call)) { Site($0["site"].exists ? $0["site"] : $0, role: $0["role"].string) }
  }

  /// Sites marked as favourites, newest first.
  public func favoriteSites(_ page: PageRequest = PageRequest()) async throws(ServiceError) -> Page<Site> {
    let query = page.query + [("where", "(EXISTS(target/site))")]
    let call = Call("list the favourite sites", "GET", "people", "-me-", "favorites", query: query)
    return try await Page(reply(call)) { Site($0["target"]["site"], role: nil) }
  }

  /// Sites whose id, title or description holds the term.
  ///
  /// - Parameter term: At least two letters or digits, else the server refuses it.
  public func findSites(_ term: String, _ page: PageRequest = PageRequest()) async throws(ServiceError) -> Page<Site> {
    let call = Call("find sites", "GET", "queries", "sites", query: page.query + [("term", term)])
    return try await Page(reply(call)) { Site($0) }
  }

  /// - Parameter id: The short name; nil lets the server make one of the title.
  /// - Throws: `.conflict` when the id is taken, also by a site that lies in the trash.
  public func createSite(
    _ title: String, id: String? = nil, summary: String? = nil, visibility: String = "PUBLIC"
  ) async throws(ServiceError) -> Entry<Site> {
    var body: JSONNode = ["title": .string(title), "visibility": .string(visibility)]
    if let id { body["id"] = .string(id) }
    if let summary { body["description"] = .string(summary) }
    let call = Call("make the site “\(title)”", "POST", "sites").carrying(body)
    return try await Entry(reply(call)) { Site($0) }
  }

  public func updateSite(
    _ id: String, title: String? = nil, summary: String? = nil, visibility: String? = nil
  ) async throws(ServiceError) -> Entry<Site> {
    var body: JSONNode = [:]
    if let title { body["title"] = .string(title) }
    if let summary { body["description"] = .string(summary) }
    if let visibility { body["visibility"] = .string(visibility) }
    return try await Entry(reply(Call("change a site", "PUT", "sites", id).carrying(body))) { Site($0) }
  }

  /// Moves a site with all its documents to the trash; its id stays taken until the trash lets it go.
  public func deleteSite(_ id: String) async throws(ServiceError) {
    _ = try await answer(Call("delete a site", "DELETE", "sites", id))
  }

  /// Nodes of all containers of a site, each with the name of its container.
  public func containers(ofSite site: String) async throws(ServiceError) -> Page<SiteContainer> {
    try await Page(reply(Call("list the containers of a site", "GET", "sites", site, "containers")), SiteContainer.init)
  }

  // MARK: Members

  public func members(
    ofSite site: String, _ page: PageRequest = PageRequest()
  ) async throws(ServiceError) -> Page<SiteMember> {
    let call = Call("list the members of a site", "GET", "sites", site, "members", query: page.query)
    return try await Page(reply(call), SiteMember.init)
  }

  public func member(_ person: String, ofSite site: String) async throws(ServiceError) -> Entry<SiteMember> {
    try await Entry(reply(Call("read a membership", "GET", "sites", site, "members", person)), SiteMember.init)
  }

  public func addMember(
    _ person: String, as role: SiteMember.Role, toSite site: String
  ) async throws(ServiceError) -> Entry<SiteMember> {
    let body: JSONNode = ["id": .string(person), "role": .string(role.rawValue)]
    let call = Call("add a member", "POST", "sites", site, "members").carrying(body)
    return try await Entry(reply(call), SiteMember.init)
  }

  public func changeRole(
    of person: String, to role: SiteMember.Role, inSite site: String
  ) async throws(ServiceError) -> Entry<SiteMember> {
    let call = Call("change a role", "PUT", "sites", site, "members", person)
    return try await Entry(reply(call.carrying(["role": .string(role.rawValue)])), SiteMember.init)
  }

  public func removeMember(_ person: String, fromSite site: String) async throws(ServiceError) {
    _ = try await answer(Call("remove a member", "DELETE", "sites", site, "members", person))
  }

  // MARK: Asking to become one

  /// Joins a public site at once; asks the managers of a moderated one. A private site is not told from one that is not
  /// there.
  ///
  /// - Returns: Whether the caller is a member now; else the request waits for a manager.
  public func join(_ site: String, message: String? = nil) async throws(ServiceError) -> Bool {
    var body: JSONNode = ["id": .string(site)]
    if let message { body["message"] = .string(message) }
    let call = Call("join the site “\(site)”", "POST", "people", "-me-", "site-membership-requests").carrying(body)
    _ = try await answer(call)
    return try await self.site(site).value.role != nil
  }

  public func leave(_ site: String) async throws(ServiceError) {
    _ = try await answer(Call("leave the site “\(site)”", "DELETE", "people", "-me-", "sites", site))
  }

  /// Requests of the caller's own that no manager has decided yet.
  public func myMembershipRequests(
    _ page: PageRequest = PageRequest()
  ) async throws(ServiceError) -> Page<MembershipRequest> {
    let call = Call(
      "list your requests", "GET", "people", "-me-", "site-membership-requests", query: page.query)
    return try await Page(reply(call), MembershipRequest.init)
  }

  public func withdrawRequest(for site: String) async throws(ServiceError) {
    _ = try await answer(
      Call("withdraw the request", "DELETE", "people", "-me-", "site-membership-requests", site))
  }

  /// Requests of others for the sites that the caller manages.
  public func membershipRequests(
    _ page: PageRequest = PageRequest()
  ) async throws(ServiceError) -> Page<MembershipRequest> {
    let call = Call("list the requests to join", "GET", "site-membership-requests", query: page.query)
    return try await Page(reply(call), MembershipRequest.init)
  }

  public func approve(
    _ person: String, forSite site: String, as role: SiteMember.Role = .consumer
  ) async throws(ServiceError) {
    try await decide("approve", person, site, ["role": .string(role.rawValue)])
  }

  public func reject(_ person: String, forSite site: String, comment: String? = nil) async throws(ServiceError) {
    try await decide("reject", person, site, comment.map { ["comment": .string($0)] } ?? [:])
  }

  private func decide(
    _ verb: String, _ person: String, _ site: String, _ body: JSONNode
  ) async throws(ServiceError) {
    let call = Call("\(verb) a request", "POST", "sites", site, "site-membership-requests", person, verb)
    _ = try await answer(call.carrying(body))
  }
}
