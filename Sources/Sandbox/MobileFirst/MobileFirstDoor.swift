import HTTPServer

/// MobileFirst Foundation 8.0 at `/mfp`, and an external resource server beside it.
struct MobileFirstDoor: Door {
  private let server: MobileFirstServer
  private let gateway: SandboxGateway
  private let inside: Router
  private let outside: Router

  init(_ setting: DoorSetting) {
    server = MobileFirstServer(setting)
    gateway = SandboxGateway(server.secrets)
    var router = Router()
    RegistrationRoutes.add(to: &router, server)
    PreauthorizationRoutes.add(to: &router, server)
    TokenRoutes.add(to: &router, server)
    AdapterRoutes.add(to: &router, server)
    router.on("GET", "/api/reach") { _ in .mobileFirst([:]) }
    router.on("POST", "/api/loguploader") { _ in .text("", status: 201) }
    router.on("GET", "/api/clientLogProfile/{app}/{platform}") { request in
      request["app"] == MobileFirstServer.application ? .mobileFirst([:]) : .text("Not found", status: 404)
    }
    inside = router
    var external = Router()
    ExternalResources.add(to: &external, server)
    outside = external
  }

  var name: String { "mfp" }
  var prefixes: [String] { ["/mfp", "/MyResource", "/getBalance"] }

  func handle(_ request: SandboxRequest) -> ServerResponse {
    if server.knobs.hasGateway, let answer = gateway.answer(request) { return answer }
    let isInside = request.segments.first == "mfp"
    return (isInside ? inside : outside).respond(to: request, dropping: isInside ? 1 : 0) { match, _ in
      if case .methodNotAllowed(let allowed) = match {
        return ServerResponse.text("Method not allowed", status: 405).adding("Allow", allowed.joined(separator: ", "))
      }
      return .text("Not found", status: 404)
    }
  }

  func configuration(origin: String) -> String {
    """
    name: mfp
    kind: mobilefirst
    url: \(origin)/mfp
    adapters: \(origin)/mfp/api/adapters
    resourceURL: \(origin)
    app: \(MobileFirstServer.application)
    resources:
      - { name: My resource, path: /MyResource/MyProtectedProcedure }
      - { name: Balance, path: /getBalance }
      - { name: Public notice, path: /MyResource/Public }
    answers:
      UserLogin: { username: \(MobileFirstSecrets.user), password: \(server.secrets.userPassword) }
      PinCode: { pin: "\(server.secrets.pin)" }
    """
  }

  var credentials: [String] {
    let secrets = server.secrets
    return [
      "mfp     UserLogin \(MobileFirstSecrets.user) / \(secrets.userPassword)   PinCode \(secrets.pin)",
      "mfp     confidential clients: test / \(secrets.testSecret)   reader / \(secrets.readerSecret)",
    ]
  }

  func set(_ name: String, to value: String) -> Bool { server.set(name, to: value) }

  func suffer(_ event: DoorEvent) {
    server.suffer(event)
    gateway.reset()
  }
}
