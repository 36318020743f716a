import HTTPServer

/// A mobile platform of the SUP and SMP line: the Connections service, and the proxy to the SUP101 data.
struct UnwiredDoor: Door {
  private let server: UnwiredServer

  init(_ setting: DoorSetting) { server = UnwiredServer(setting) }

  var name: String { "field" }

  var prefixes: [String] {
    let services = ["/odata/applications"] + UnwiredServer.applications.keys.sorted().map { "/\($0)" }
    return services + services.map { "/public\($0)" } + Self.relays.map { "/\($0.joined(separator: "/"))" } + [
      "/field-admin"
    ]
  }

  /// Where a relay server of each kind stands; the farm follows.
  private static let relays = [["ias_relay_server", "client", "rs_client.dll"], ["cli", "iasrelayserver"]]
  private static let farms: Set = ["0", "farm1"]

  func handle(_ request: SandboxRequest) -> ServerResponse {
    var path = request.segments[...]
    if path.first == "field-admin" { return administer(request) }
    // What the links of the answers begin with. Behind a relay nothing is rewritten, so they name a host inside.
    var origin = request.origin
    let relay = Self.relays.first { path.starts(with: $0) }
    if let relay {
      path = path.dropFirst(relay.count)
      guard let farm = path.first, Self.farms.contains(farm) else { return .text("Unknown farm", status: 404) }
      path = path.dropFirst()
      origin = Self.inside
    }
    let backend = request.header("X-SMP-BACKEND-URL") ?? request.header("X-SUP-BACKEND-URL")
    if let backend, backend != Self.inside, !backend.hasPrefix(Self.inside + "/") {
      return .unwired(403, "This back end is not allowed")
    }
    let isPublic = path.first == "public"
    if isPublic { path = path.dropFirst() }
    if path.starts(with: ["odata", "applications"]) {
      return ConnectionRoutes(server: server).handle(request, path.dropFirst(2), origin, isPublic: isPublic)
    }
    // Who names the back end gets its links as they are.
    let root = backend.map { "\($0)/" } ?? "\(origin)\(isPublic ? "/public" : "")/\(path.first ?? "")/"
    return DataRoutes(server: server).handle(request, path, root: root, isPublic: isPublic)
  }

  private static let inside = "http://backend.internal:8080"

  /// See `UnwiredSwitches` for what can be set.
  private func administer(_ request: SandboxRequest) -> ServerResponse {
    guard request.method == "POST", request.segments.dropFirst().first == "switch" else {
      return .text("POST /field-admin/switch?NAME=VALUE\n", status: 404)
    }
    let now = request.now
    let isDone = server.withState { state in
      request.server.query.allSatisfy { name, value in
        switch (name, value) {
        case ("drop", _):
          state.connections = value == "all" ? [:] : state.connections.filter { $0.key != value }
          return true
        case ("sessions", "expire"):
          (state.sessions, state.forgeryTokens) = ([:], [:])
          return true
        case ("delta", "expire"):
          state.generation += 1
          return true
        default:
          guard state.switches.set(name, value) else { return false }
          // A setting is one of every registration, and changes its ETag.
          guard state.switches.properties[name] != nil else { return true }
          for id in state.connections.keys { state.connections[id]?.apply([], resetsOthers: false, at: now) }
          return true
        }
      }
    }
    return isDone ? .empty(204) : .text("Unknown switch or value\n", status: 400)
  }

  func configuration(origin: String) -> String {
    """
    name: field
    kind: unwired
    url: \(origin)
    app: SUP101
    farm: "0"
    urlSuffix: ""
    domain: default
    securityConfiguration: admin
    auth:
      method: basic
      user: \(UnwiredServer.user)
      password: \(server.password)
    """
  }

  var credentials: [String] {
    ["field   \(UnwiredServer.user) / \(server.password)   applications SUP101 (OData V2), SUP101V4 (OData V4)"]
  }

  func suffer(_ event: DoorEvent) { server.suffer(event) }
}
