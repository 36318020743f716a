import JSON
import Model
import Wire

// What the server says of itself: version, health, content model, audit, actions, size of folders.
extension AlfrescoClient {
  /// - SeeAlso: `GET /alfresco/api/discovery`; it wants a signed-in caller, and may be switched off (501).
  public func discovery() async throws(ServiceError) -> Entry<Repository> {
    var call = Call("ask the server what it is", "GET", "discovery")
    call.api = .discovery
    return try await Entry(reply(call), Repository.init)
  }

  /// `23.4.0 (r0123abcd-b21)`, without signing in.
  public func version() async throws(ServiceError) -> String {
    let operation = "ask for the server's version"
    var call = Call(operation, "GET", "service", "api", "server")
    call.api = .webScript
    call.isPublic = true
    guard let version = try await reply(call).root["data"]["version"].string else {
      throw ServiceError(.unreadable, operation, detail: "the answer names no version")
    }
    return version
  }

  /// Whether the server is ready (or merely alive), without signing in.
  public func isReady(alive: Bool = false) async throws(ServiceError) -> Bool {
    var call = Call("ask whether the server is ready", "GET", "probes", alive ? "-live-" : "-ready-")
    call.isPublic = true
    do throws(ServiceError) {
      _ = try await answer(call)
      return true
    } catch {
      guard error.status == 503 else { throw error }
      return false
    }
  }

  // MARK: Content model, since 7.0

  public func aspect(_ name: String) async throws(ServiceError) -> Entry<ModelClass> {
    try await Entry(reply(Call("read the aspect “\(name)”", "GET", "aspects", name)), ModelClass.init)
  }

  public func type(_ name: String) async throws(ServiceError) -> Entry<ModelClass> {
    try await Entry(reply(Call("read the type “\(name)”", "GET", "types", name)), ModelClass.init)
  }

  public func aspects(_ page: PageRequest = PageRequest()) async throws(ServiceError) -> Page<ModelClass> {
    try await Page(reply(Call("list the aspects", "GET", "aspects", query: page.query)), ModelClass.init)
  }

  public func types(_ page: PageRequest = PageRequest()) async throws(ServiceError) -> Page<ModelClass> {
    try await Page(reply(Call("list the types", "GET", "types", query: page.query)), ModelClass.init)
  }

  // MARK: Audit, for administrators

  public func auditApplications() async throws(ServiceError) -> Page<AuditApplication> {
    try await Page(reply(Call("list the audits", "GET", "audit-applications")), AuditApplication.init)
  }

  /// Newest first.
  ///
  /// - Parameter condition: A predicate such as `(createdByUser='susan')`.
  public func auditEntries(
    of application: String, _ page: PageRequest = PageRequest(), where condition: String? = nil
  ) async throws(ServiceError) -> Page<AuditEntry> {
    let query = page.query + Self.auditQuery(condition)
    let call = Call("list the audit", "GET", "audit-applications", application, "audit-entries", query: query)
    return try await Page(reply(call), AuditEntry.init)
  }

  /// Of one node, where an audit goes by paths.
  public func auditEntries(
    ofNode id: String, _ page: PageRequest = PageRequest()
  ) async throws(ServiceError) -> Page<AuditEntry> {
    let query = page.query + Self.auditQuery(nil)
    return try await Page(
      reply(Call("list the audit", "GET", "nodes", id, "audit-entries", query: query)), AuditEntry.init)
  }

  private static func auditQuery(_ condition: String?) -> [(String, String)] {
    [("include", "values"), ("orderBy", "createdAt DESC")] + (condition.map { [("where", $0)] } ?? [])
  }

  // MARK: Actions of the server

  public func actionDefinitions(of node: String? = nil) async throws(ServiceError) -> Page<ActionDefinition> {
    let operation = "list the server's actions"
    let call =
      node.map { Call(operation, "GET", "nodes", $0, "action-definitions") }
      ?? Call(operation, "GET", "action-definitions")
    return try await Page(reply(call), ActionDefinition.init)
  }

  /// Orders an action; the server does it later.
  public func execute(
    _ action: String, on node: String, parameters: [String: String] = [:]
  ) async throws(ServiceError) {
    let members = parameters.sorted { $0.key < $1.key }.map { JSONNode.Member(key: $0.key, value: .string($0.value)) }
    let body: JSONNode = [
      "actionDefinitionId": .string(action), "targetId": .string(node), "params": .object(members),
    ]
    _ = try await answer(Call("run the action “\(action)”", "POST", "action-executions").carrying(body))
  }

  // MARK: Size of a folder, since 23.4

  public func orderSize(of folder: String) async throws(ServiceError) -> String {
    let operation = "measure a folder"
    let reply = try await reply(Call(operation, "POST", "nodes", folder, "size-details"))
    guard let job = reply.root["entry"]["jobId"].text else {
      throw ServiceError(.unreadable, operation, detail: "the answer names no job")
    }
    return job
  }

  public func size(of folder: String, job: String) async throws(ServiceError) -> Entry<FolderSize> {
    try await Entry(
      reply(Call("read the size of a folder", "GET", "nodes", folder, "size-details", job)), FolderSize.init)
  }
}
