import Crypto
import HTTPServer
import JSON

/// Registration of app instances (reference 2.2).
enum RegistrationRoutes {
  static func add(to router: inout Router, _ server: MobileFirstServer) {
    router.on("POST", "/api/registration/v1/self") { register(server, $0, known: nil) }
    router.on("PUT", "/api/registration/v1/self/{client}") { request in
      guard let known = server.withState({ $0.clients[request["client"]] }) else { return .unknownClient }
      return register(server, request, known: known)
    }
    router.on("GET", "/api/registration/v1/self/{client}") { request in
      guard let known = server.withState({ $0.clients[request["client"]] }) else {
        return .mobileFirst(errorCode: "INVALID_CLIENT_ID", "Invalid client ID", status: 404)
      }
      guard let assertion = request.query("client_assertion"), request.query("client_assertion_type") != nil else {
        return .oauth("invalid_request", "client_assertion is missing")
      }
      guard server.client(provenBy: assertion, id: known.id, at: request.now) != nil else {
        return .oauth("invalid_client", "The assertion is not valid", status: 401)
      }
      return .mobileFirst(record(known, isProtected: false))
    }
    router.on("GET|POST|DELETE", "/api/registration/v1/clients/{client}") { manage(server, $0, isProtected: false) }
    router.on("GET", "/api/registration/v1/clients/{client}/protected") { manage(server, $0, isProtected: true) }
  }

  private static func register(
    _ server: MobileFirstServer, _ request: SandboxRequest, known: MobileFirstServer.Client?
  ) -> ServerResponse {
    guard let body = try? JSONDocument(request.body()).root else { return .oauth("invalid_request", "No JSON") }
    let signed = body["signedRegistrationData"]
    guard let header = signed["header"].string, let payload = signed["payload"].string,
      let signature = signed["signature"].string,
      let parts = SignedParts(header: header, payload: payload, signature: signature),
      let key = ClientKey(jwk: parts.header["jwk"])
    else { return .oauth("invalid_request", "The registration data cannot be read") }
    guard parts.isSigned(by: known?.key ?? key) else {
      return .mobileFirst(errorCode: "INVALID_SIGNATURE", "Invalid request.", status: known == nil ? 400 : 403)
    }
    let knobs = server.knobs
    if knobs.wantsAuthenticity {
      return .mobileFirst(["challenges": ["appAuthenticity": .null]], status: 401)
        .adding("WWW-Authenticate", "MFP-Challenge")
    }
    let application = parts.payload["application"]
    guard application["id"].string == MobileFirstServer.application else {
      return .mobileFirst(errorCode: "APPLICATION_NOT_REGISTERED", "The application is not registered", status: 403)
    }
    let name = [application["id"], application["clientPlatform"], application["version"]]
      .map { $0.text ?? "" }.joined(separator: "$")
    var random = SystemRandomNumberGenerator()
    let id = known?.id ?? uuid(&random)
    server.withState { state in
      var client =
        state.clients[id]
        ?? MobileFirstServer.Client(
          id: id, key: key, registration: .null, application: name, lastActivity: request.now)
      client.registration = parts.payload.node()
      client.application = name
      client.lastActivity = request.now
      state.clients[id] = client
    }
    let response = ServerResponse.mobileFirst(
      ["server_version": .string(knobs.version)], status: known == nil ? 201 : 200)
    // Neither `v1` nor `self` stands in this address.
    return known == nil ? response.adding("Location", "/mfp/api/registration/clients/\(id)") : response
  }

  private static func uuid(_ random: inout SystemRandomNumberGenerator) -> String {
    let hex = Hex.encode(RandomBytes.make(16))
    let cut = [0, 8, 12, 16, 20, 32]
    return zip(cut, cut.dropFirst()).map { start, end in String(hex.dropFirst(start).prefix(end - start)) }
      .joined(separator: "-")
  }

  private static func record(_ client: MobileFirstServer.Client, isProtected: Bool) -> JSONNode {
    var data = client.registration
    data["device"]?["deviceStatus"] = "ACTIVE"
    var node: JSONNode = [
      "clientId": .string(client.id), "registrationData": data, "signatureAlgorithm": "RS256", "enabled": true,
      "lastActivityTime": .integer(client.lastActivity.milliseconds),
    ]
    if let user = client.user(at: client.lastActivity) {
      node["associatedUsers"] = ["UserLogin": ["id": .string(user), "displayName": .string(user)]]
    }
    node["publicAttributes"] = [:]
    if isProtected { node["protectedAttributes"] = [:] }
    return node
  }

  /// What a confidential client may do with registrations.
  private static func manage(
    _ server: MobileFirstServer, _ request: SandboxRequest, isProtected: Bool
  ) -> ServerResponse {
    let scope =
      switch request.method {
      case "POST": "clients:modify"
      case "DELETE": "clients:delete"
      default: isProtected ? "clients:read-protected" : "clients:read"
      }
    if let refusal = ResourceGuard(server).refusal(request, scope: scope) { return refusal }
    guard let client = server.withState({ $0.clients[request["client"]] }) else {
      return .mobileFirst(errorCode: "INVALID_CLIENT_ID", "Invalid client ID", status: 404)
    }
    if request.method == "DELETE" {
      server.withState { state in
        state.clients[client.id] = nil
        state.tokens = state.tokens.filter { $0.value.client != client.id }
      }
      return .empty(204)
    }
    return .mobileFirst(record(client, isProtected: isProtected))
  }
}
