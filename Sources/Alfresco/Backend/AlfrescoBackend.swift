import Model
import Wire

/// Alfresco Content Services as one of Atrium's back ends.
public struct AlfrescoBackend: Backend {
  /// The client below, for what the five nouns do not say.
  public let client: AlfrescoClient
  let connection: Connection
  let surroundings: Surroundings
  let method: SignInMethod
  /// What the server's content model calls its properties, asked for once.
  let model = ModelBook()
  /// Whether the search index may lack what was changed here.
  let lag = IndexLag()

  /// Set for `pkce` and `device`.
  let identity: IdentityService?

  enum SignInMethod: String, Sendable { case basic, ticket, pkce, device }

  /// - Throws: `.configuration` when the address or the sign-in method is wrong.
  public init(connection: Connection, transport: any Transport, surroundings: Surroundings) throws(ServiceError) {
    self.connection = connection
    self.surroundings = surroundings
    let word = try connection.settings.text("auth.method") ?? SignInMethod.basic.rawValue
    guard let method = SignInMethod(rawValue: word) else {
      throw ServiceError(
        .configuration, "read the connection “\(connection.name)”",
        detail: "“\(word)” is no sign-in method of Alfresco; use basic, ticket, pkce or device")
    }
    self.method = method
    identity =
      method == .pkce || method == .device
      ? try IdentityService(connection: connection, transport: transport, surroundings: surroundings) : nil
    client = try AlfrescoClient(
      address: try connection.settings.requiredText("url"), transport: transport,
      session: AlfrescoSession(source: identity))
  }

  public var kind: BackendKind { .alfresco }
  public var capabilities: Capabilities { [.search, .download, .upload, .delete, .rawCall, .archives] }

  public func nature(of location: Location) async throws(ServiceError) -> LocationNature {
    switch try Place(location) {
    case .root, .sites, .favorites, .shared, .trash, .people, .recent, .search, .facet, .activities, .requests,
      .siteActivities, .members, .audit, .category(nil):
      return .container
    case .person, .deleted, .facetEntry, .member, .request, .archive: return .item
    case .site: return .both(primary: .listing)
    case .category(let id?):
      return try await during("open \(location)") { () async throws(ServiceError) -> LocationNature in
        try await client.category(id).value.hasChildren ? .both(primary: .listing) : .item
      }
    case .node(let reference):
      if reference.isSurelyFolder { return .both(primary: .listing) }
      let operation = "open \(location)"
      return try await during(operation) { () async throws(ServiceError) -> LocationNature in
        try await resolve(reference).value.isFolder ? .both(primary: .listing) : .item
      }
    }
  }
}

extension AlfrescoBackend {
  /// Says what was being done in the words of this back end.
  func during<Value>(
    _ operation: String, _ work: () async throws(ServiceError) -> Value
  ) async throws(ServiceError) -> Value {
    guard !surroundings.isOffline else { throw ServiceError(.offline, operation) }
    do throws(ServiceError) {
      try await recall()
      return try await work()
    } catch {
      throw error.during(operation)
    }
  }

  /// The same for something that changes the server.
  func changing<Value>(
    _ operation: String, _ work: () async throws(ServiceError) -> Value
  ) async throws(ServiceError) -> Value {
    guard !connection.isReadOnly else { throw ServiceError(.readOnly, operation) }
    let value = try await during(operation, work)
    lag.noteChange(at: surroundings.clock.now())
    return value
  }

  func address(_ reference: NodeReference) async throws(ServiceError) -> NodeAddress {
    switch reference {
    case .id(let id): NodeAddress(id)
    case .path(let names): NodeAddress("-root-", path: names)
    case .site(let site, let names): NodeAddress(try await client.container(ofSite: site), path: names)
    }
  }

  func resolve(_ reference: NodeReference) async throws(ServiceError) -> Entry<Node> {
    try await client.node(try await address(reference))
  }

  /// The node's id, without asking where the location says it.
  func identify(_ reference: NodeReference) async throws(ServiceError) -> String {
    if case .id(let id) = reference { return id }
    return try await resolve(reference).value.id
  }

  func nodeLocation(_ id: String) -> Location { Location(connection: connection.name, path: ["nodes", id]) }

  /// Where a child stands: below its parent by name where the parent is named so, else by id.
  func childLocation(_ node: Node, of parent: Location, _ reference: NodeReference) -> Location {
    switch reference {
    case .id: nodeLocation(node.id)
    case .path, .site: parent.with(query: []).appending(node.name)
    }
  }
}
