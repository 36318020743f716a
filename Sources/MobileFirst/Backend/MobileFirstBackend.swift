import FoundationEssentials
import Model
import Wire

/// IBM MobileFirst Foundation as one of Atrium's back ends.
public struct MobileFirstBackend: Backend {
  /// Tokens and checks, for what the five nouns do not say.
  public let manager: AuthorizationManager
  public let protected: ProtectedResource
  let connection: Connection
  let settings: MobileFirstSettings
  let answers: CheckAnswers
  let surroundings: Surroundings
  let transport: any Transport

  /// - Throws: `.configuration` naming what is wrong.
  public init(connection: Connection, transport: any Transport, surroundings: Surroundings) throws(ServiceError) {
    try self.init(connection, transport, surroundings, makeKey: ClientRegistration.newKey)
  }

  init(
    _ connection: Connection, _ transport: any Transport, _ surroundings: Surroundings,
    makeKey: @escaping AuthorizationManager.KeyMaker
  ) throws(ServiceError) {
    self.connection = connection
    self.surroundings = surroundings
    settings = try MobileFirstSettings(connection.settings)
    let transport =
      settings.gateway.map { gateway -> any Transport in
        GatewayTransport(transport, handler: FormGateway(gateway, connection: connection.name, surroundings))
      } ?? transport
    self.transport = transport
    answers = CheckAnswers(connection: connection.name, settings: settings, surroundings: surroundings)
    manager = try AuthorizationManager(
      address: settings.address, client: settings.client, name: connection.name, transport: transport,
      surroundings: surroundings, handler: answers, wantsRefresh: settings.wantsRefresh, makeKey: makeKey)
    if let seconds = settings.loginTimeout { manager.loginTimeout = .seconds(seconds) }
    protected = ProtectedResource(manager: manager, transport: transport)
  }

  public var kind: BackendKind { .mobilefirst }
  public var capabilities: Capabilities { [.download, .rawCall] }

  public func nature(of location: Location) async throws(ServiceError) -> LocationNature {
    switch try MobileFirstPlace(location) {
    case .root, .resources, .adapters, .checks, .tokens: .container
    case .resource, .adapter, .check, .token: .item
    }
  }
}

extension MobileFirstBackend {
  func online(_ operation: String) throws(ServiceError) {
    guard !surroundings.isOffline else { throw ServiceError(.offline, operation) }
  }

  func resource(named name: String, _ location: Location) throws(ServiceError) -> MobileFirstSettings.Resource {
    guard let resource = settings.resources.first(where: { $0.name == name }) else {
      throw ServiceError(
        .notFound, "open \(location)", detail: "no resource “\(name)” is configured",
        remedy: "Look under \(connection.name):/resources, or add it to the configuration.")
    }
    return resource
  }

  /// A path as `call` and resources name it: below the adapters where it says so, else below the resources' address.
  func url(path: String, _ operation: String) throws(ServiceError) -> URL {
    let path = path.hasPrefix("/") ? path : "/" + path
    let isAdapter = path == "/adapters" || path.hasPrefix("/adapters/")
    let text = isAdapter ? settings.adapters + path.dropFirst("/adapters".count) : settings.resourceURL + path
    guard let url = URL(string: text) else {
      throw ServiceError(.usage, operation, detail: "“\(path)” cannot stand in an address")
    }
    return url
  }

  /// The request behind a resource or an adapter's procedure; a query of the location goes with it.
  func request(
    _ place: MobileFirstPlace, _ location: Location, _ operation: String
  ) throws(ServiceError) -> (HTTPRequest, Scope?) {
    var path: String
    var scope: Scope?
    var method = "GET"
    switch place {
    case .resource(let name):
      let resource = try resource(named: name, location)
      path = resource.path
      scope = resource.scope
      method = resource.method
    case .adapter(let names): path = "/adapters/" + names.map(URLForm.escape).joined(separator: "/")
    default: throw .notOffered(operation, "there is no content behind it")
    }
    let query = location.query
    if !query.isEmpty { path += (path.contains("?") ? "&" : "?") + URLForm.encode(query) }
    guard method == "GET" || !connection.isReadOnly else { throw ServiceError(.readOnly, operation) }
    let target = try url(path: path, operation)
    return (HTTPRequest(method, target, headers: ["Accept": "*/*"], label: operation), scope)
  }

  /// A refusal of the resource itself.
  func refusal(_ response: HTTPResponse, _ operation: String) -> ServiceError {
    let excerpt = response.looksLikeHTML ? "" : String(response.text.prefix(200))
    let code: ServiceError.Code = response.status == 401 ? .signInRefused : ServiceError.Code(status: response.status)
    return ServiceError(
      code, operation, detail: excerpt.isEmpty ? "status \(response.status)" : "status \(response.status): \(excerpt)",
      status: response.status)
  }
}

extension FormGateway {
  fileprivate init(_ gateway: MobileFirstSettings.Gateway, connection: String, _ surroundings: Surroundings) {
    self.init(connection: connection, user: gateway.user, password: gateway.password, surroundings: surroundings)
    if let marker = gateway.marker { self.marker = marker }
    if let address = gateway.address { self.address = address }
    if let field = gateway.userField { userField = field }
    if let field = gateway.passwordField { passwordField = field }
  }
}
