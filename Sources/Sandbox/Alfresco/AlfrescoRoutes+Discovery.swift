import HTTPServer
import JSON

extension AlfrescoRoutes {
  /// What the server is, and whether it is there (reference 0, 2.13).
  mutating func addDiscovery() {
    for path in ["/service/api/server", "/s/api/server"] {
      free("GET", path, isPublic: true) { _, _ in
        .alfresco(["data": ["edition": "Community", "version": "23.4.0 (r0123abcd-b21)", "schema": "19100"]])
      }
    }
    free("GET", "/api/discovery") { _, _ in .entry(["repository": Self.repository]) }
    for probe in ["-ready-", "-live-"] {
      on("GET", "probes/\(probe)", isPublic: true) { _, _ in
        .entry(["message": .string("\(probe.dropFirst().dropLast())Probe: Success - Tested")])
      }
    }
  }

  private static let repository: JSONNode = [
    "id": "3d8c1b77-54a0-4a7e-9d53-0f6b2c8e4a19", "edition": "Community",
    "version": [
      "major": "23", "minor": "4", "patch": "0", "hotfix": "0", "schema": 19100, "label": "r0123abcd-b21",
      "display": "23.4.0.0 (r0123abcd-b21) schema 19100",
    ],
    "status": [
      "isReadOnly": false, "isAuditEnabled": true, "isQuickShareEnabled": true, "isThumbnailGenerationEnabled": true,
      "isDirectAccessUrlEnabled": false,
    ],
    "modules": [
      [
        "id": "alfresco-share-services", "title": "Alfresco Share Services AMP", "version": "23.4.0",
        "installState": "INSTALLED", "versionMin": "6.1", "versionMax": "999",
      ]
    ],
  ]

  /// Tickets: made from a name and a password, ended by hand or after an hour (reference 1.4).
  mutating func addAuthentication() {
    free("POST", "\(Self.authentication)/tickets", isPublic: true, TicketRoutes.make)
    free("GET", "\(Self.authentication)/tickets/{ticket}", isPublic: true, TicketRoutes.show)
    free("DELETE", "\(Self.authentication)/tickets/{ticket}", isPublic: true, TicketRoutes.end)
  }
}

private enum TicketRoutes {
  @Sendable static func make(_ server: AlfrescoServer, _ call: AlfrescoCall) throws -> ServerResponse {
    guard let body = try? call.object(), let name = body["userId"].string, let password = body["password"].string,
      !name.isEmpty, !password.isEmpty
    else { throw AlfrescoFault.badRequest("Invalid login details.") }
    guard let user = server.checked(name, password) else { throw AlfrescoFault(403, "Login failed", "Login failed") }
    return .entry(["id": .string(ticket(of: user, server, call)), "userId": .string(user)], status: 201)
  }

  private static func ticket(of user: String, _ server: AlfrescoServer, _ call: AlfrescoCall) -> String {
    server.withTickets { office in
      office.ticket(for: user, at: call.now) {
        var random = SystemRandomNumberGenerator()
        return (0..<40).map { _ in String(Int.random(in: 0..<16, using: &random), radix: 16) }.joined()
      }
    }
  }

  /// The ticket that the request carries, as Basic or in the query.
  private static func carried(_ request: SandboxRequest) -> String? {
    if let ticket = request.query("alf_ticket") { return ticket }
    guard let header = request.header("Authorization"), header.lowercased().hasPrefix("basic "),
      let bytes = PercentCoding.decodeBase64(header.dropFirst(6))
    else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    if text.hasPrefix("ROLE_TICKET:") { return String(text.dropFirst(12)) }
    return text.contains(":") ? nil : text
  }

  @Sendable static func show(_ server: AlfrescoServer, _ call: AlfrescoCall) throws -> ServerResponse {
    guard call["ticket"] == "-me-" else { throw AlfrescoFault.invalidArgument(call["ticket"]) }
    if call.request.bearerToken != nil, !call.user.isEmpty {
      return .entry(["id": .string(ticket(of: call.user, server, call))])
    }
    guard let ticket = carried(call.request) else {
      let isBasic = call.request.header("Authorization") != nil
      throw AlfrescoFault.badRequest(
        isBasic ? "Ticket base authentication required." : "Authorization header is required.")
    }
    guard server.withTickets({ $0.use(ticket, at: call.now) }) != nil else {
      throw call.user.isEmpty ? AlfrescoFault.unauthenticated : AlfrescoFault.unknownEntity(ticket)
    }
    return .entry(["id": .string(ticket)])
  }

  @Sendable static func end(_ server: AlfrescoServer, _ call: AlfrescoCall) throws -> ServerResponse {
    guard call["ticket"] == "-me-" else { throw AlfrescoFault.invalidArgument(call["ticket"]) }
    guard let ticket = carried(call.request) else {
      throw AlfrescoFault.badRequest("Ticket base authentication required.")
    }
    guard server.withTickets({ $0.end(ticket) }) else { throw AlfrescoFault.unauthenticated }
    return .empty(204)
  }
}
