import Crypto
import FoundationEssentials
import JSON
import Model
import Wire

extension AuthorizationServer {
  /// Registers a new client and returns its id.
  ///
  /// - SeeAlso: `POST registration/v1/self`; the id is the last part of `Location`, which names neither `v1` nor `self`.
  func register(_ body: JSONNode) async throws(ServiceError) -> String {
    let operation = "register this application"
    let response = try await postJSON("registration/v1/self", body, operation)
    guard response.status == 201 || response.status == 200 else {
      if response.status == 401 {
        throw ServiceError(
          .signInRefused, operation, detail: "the server wants a proof of authenticity that only its own apps can give",
          remedy: "Ask the administrator to switch application authenticity off for this application.", status: 401)
      }
      let refusal = refusal(response, operation, as: response.status == 403 ? .signInRefused : nil)
      guard refusal.serverCode == "APPLICATION_NOT_REGISTERED" else { throw refusal }
      throw ServiceError(
        .signInRefused, operation, detail: refusal.detail,
        remedy: "Check “app”, “auth.platform” and “auth.version”: the server knows no such application.",
        status: refusal.status, serverCode: refusal.serverCode)
    }
    try checkVersion(response, operation)
    let location = response.headers["Location"] ?? ""
    guard location.contains("registration/clients/"), let id = location.split(separator: "/").last.map(String.init)
    else {
      throw ServiceError(.unreadable, operation, detail: "the answer names no client (Location: “\(location)”)")
    }
    return id
  }

  /// Tells of another version or device.
  ///
  /// - SeeAlso: `PUT registration/v1/self/{clientId}`; a 403 there means that the key is not this client's.
  func update(_ clientID: String, _ body: JSONNode) async throws(ServiceError) {
    let operation = "tell the server of this version"
    let path = "registration/v1/self/\(URLForm.escape(clientID))"
    let response = try await postJSON(path, body, method: "PUT", operation)
    guard response.isSuccess else { throw refusal(response, operation) }
    try checkVersion(response, operation)
  }

  /// The oldest that the product's own clients of 8.0 still speak to.
  private static let minimumVersion = "8.0.2017020513"

  private func checkVersion(_ response: HTTPResponse, _ operation: String) throws(ServiceError) {
    guard let version = (try? JSONDocument(response.body))?.root["server_version"].string else { return }
    let (own, least) = (Self.numbers(version), Self.numbers(Self.minimumVersion))
    guard !own.isEmpty, own.lexicographicallyPrecedes(least) else { return }
    throw ServiceError(
      .failed, operation,
      detail: "the server is version \(version), and \(Self.minimumVersion) is the oldest that will do",
      remedy: "Ask the administrator for a newer server.", serverCode: "MINIMUM_SERVER")
  }

  private static func numbers(_ version: String) -> [Int] { version.split(separator: ".").compactMap { Int($0) } }

  /// What became of one round of checks.
  enum Preauthorization: Sendable {
    case granted([CheckSuccess], serverTime: Int64?)
    case challenged([Challenge], [CheckSuccess], serverTime: Int64?)
  }

  /// One round: asks for a scope, with answers to the challenges of the round before.
  ///
  /// - Throws: `.signInRefused` when a check refuses for good; `failed` hears which.
  func preauthorize(
    clientID: String, scope: String, answers: [JSONNode.Member], failed: (String, String) async -> Void
  ) async throws(ServiceError) -> Preauthorization {
    let operation = "be let in for “\(scope)”"
    var body: JSONNode = ["client_id": .string(clientID), "scope": .string(scope)]
    if !answers.isEmpty { body["challengeResponse"] = .object(answers) }
    let response = try await postJSON("preauth/v1/preauthorize", body, operation)
    switch response.status {
    case 204: return .granted([], serverTime: nil)
    case 200, 201:
      let root = try JSONReply(response, operation).root
      return .granted(Self.successes(root), serverTime: Self.serverTime(root))
    case 401:
      let root = try JSONReply(response, operation).root
      let answered = Set(answers.map(\.key))
      let challenges = root["challenges"].members.map {
        Challenge($0.key, $0.value, isRepeat: answered.contains($0.key))
      }
      guard !challenges.isEmpty else { throw refusal(response, operation, as: .signInRefused) }
      return .challenged(challenges, Self.successes(root), serverTime: Self.serverTime(root))
    case 403:
      let failures = (try? JSONDocument(response.body))?.root["failures"] ?? .absent
      for (check, value) in failures.members {
        let reason = Self.failure(value)
        await failed(check, reason)
        throw ServiceError(.signInRefused, "pass the check “\(check)”", detail: reason, status: 403)
      }
      throw refusal(response, operation, as: .signInRefused)
    default: throw refusal(response, operation)
    }
  }

  private static func successes(_ root: JSONValue) -> [CheckSuccess] {
    root["successes"].members.filter { $0.key != "clockSynchronization" }.map { CheckSuccess($0.key, $0.value) }
  }

  private static func serverTime(_ root: JSONValue) -> Int64? {
    root["successes"]["clockSynchronization"]["serverTimeStamp"].numberText.flatMap { Int64($0) }
  }

  /// Free-form, by check: samples say `failure`, a disabled application says `message` and where to get a newer one.
  private static func failure(_ value: JSONValue) -> String {
    let text = value["failure"].text ?? value["message"].text ?? value["reason"].text ?? value.text ?? "it refused"
    return value["downloadLink"].string.map { "\(text) (\($0))" } ?? text
  }

  /// Draws a grant code for a scope that was let in.
  func authorize(clientID: String, scope: String) async throws(ServiceError) -> String {
    let operation = "authorize “\(scope)”"
    let query = URLForm.encode([
      (name: "response_type", value: "code"), (name: "client_id", value: clientID),
      (name: "redirect_uri", value: redirectAddress), (name: "scope", value: scope),
    ])
    var request = HTTPRequest.get(try url(endpoint("az/v1/authorization?\(query)"), operation), label: operation)
    request.followsRedirects = false
    let response = try await send(request, operation)
    // 222 stands for 302 where a browser could not see a redirect.
    guard [302, 303, 222].contains(response.status), let location = response.headers["Location"] else {
      throw refusal(response, operation)
    }
    let answer = location.firstIndex(of: "?").map { URLForm.decode(location[location.index(after: $0)...]) } ?? []
    if let code = answer.first(where: { $0.name == "code" })?.value, !code.isEmpty { return code }
    let error = answer.first { $0.name == "error" || $0.name == "errorCode" }?.value
    let text = answer.first { $0.name == "errorMsg" || $0.name == "error_description" }?.value
    throw ServiceError(
      .signInRefused, operation, detail: text ?? "the server gave no grant code", serverCode: error)
  }

  /// Exchanges a grant for a token; `expires_in` is in seconds.
  func token(
    _ fields: [(name: String, value: String)], authorization: Secret? = nil, scope: Scope, now: Timestamp
  ) async throws(ServiceError) -> AccessToken {
    let operation = "get a token for “\(scope)”"
    let response = try await postForm("az/v1/token", fields, authorization: authorization, operation)
    guard response.isSuccess else {
      throw refusal(response, operation, as: [400, 401, 403].contains(response.status) ? .signInRefused : nil)
    }
    let root = try JSONReply(response, operation).root
    guard let value = root["access_token"].string else {
      throw ServiceError(.unreadable, operation, detail: "the answer holds no token")
    }
    let seconds = root["expires_in"].numberText.flatMap { Int64($0) } ?? 3600
    return AccessToken(
      value: Secret(value), scope: scope, expires: now.adding(seconds: seconds),
      refreshToken: root["refresh_token"].string.map { Secret($0) })
  }

  func logout(check: String, assertion: String) async throws(ServiceError) {
    let operation = "sign out of “\(check)”"
    let fields = Self.assertionFields(assertion) + [(name: "security_check", value: check)]
    let response = try await postForm("preauth/v1/logout", fields, operation)
    guard response.isSuccess else { throw refusal(response, operation) }
  }

  /// Says that this client is still there.
  func heartbeat(assertion: String) async throws(ServiceError) {
    let operation = "say that this client is there"
    let response = try await postForm("preauth/v1/heartbeat", Self.assertionFields(assertion), operation)
    guard response.isSuccess else { throw refusal(response, operation) }
  }

  /// Whether the server still knows this client.
  func knows(clientID: String, assertion: String) async throws(ServiceError) -> Bool {
    let operation = "ask whether this application is registered"
    let query = URLForm.encode(Self.assertionFields(assertion))
    let address = endpoint("registration/v1/self/\(URLForm.escape(clientID))?\(query)")
    let response = try await send(.get(try url(address, operation), label: operation), operation)
    if response.isSuccess { return true }
    if [400, 401, 404].contains(response.status) { return false }
    throw refusal(response, operation)
  }

  static func assertionFields(_ assertion: String) -> [(name: String, value: String)] {
    [
      (name: "client_assertion_type", value: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
      (name: "client_assertion", value: assertion),
    ]
  }
}
