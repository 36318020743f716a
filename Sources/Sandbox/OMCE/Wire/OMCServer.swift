import Crypto
import HTTPServer
import JSON
import Synchronization

/// Who may use the backend, and which tokens are out; reference omce.md, section 2.
final class OMCServer: Sendable {
  let setting: DoorSetting
  let credentials: OMCCredentials
  let users: [OMCUser]
  let storage: StorageService
  let tasks: TaskList
  let attachments = AttachmentList()
  private let state = Mutex(State())

  private struct State {
    var tokens: [String: (principal: OMCPrincipal, expires: SandboxTime)] = [:]
    var refreshTokens: [String: OMCPrincipal] = [:]
    var devices: [String: JSONNode] = [:]
    var events: [JSONNode] = []
    var notifications: [JSONNode] = []
    var serial = 0
  }

  init(_ setting: DoorSetting) {
    self.setting = setting
    credentials = OMCCredentials(setting)
    users = OMCCredentials.users(setting)
    storage = StorageService(setting, users: users)
    tasks = TaskList(setting)
  }

  func user(named name: String) -> OMCUser? {
    users.first { $0.username == name || $0.email == name }
  }

  func user(_ name: String, password: String) -> OMCUser? {
    guard let user = user(named: name) else { return nil }
    return constantTimeEquals(Array(user.password.utf8), Array(password.utf8)) ? user : nil
  }

  /// Who sends a request, in the order of the reference's section 10.2.
  func principal(of request: SandboxRequest) throws(OMCError) -> OMCPrincipal {
    guard let authorization = request.header("Authorization") else { throw .noCredentials }
    if let token = request.bearerToken {
      let known = state.withLock { $0.tokens[token] }
      guard let known, known.expires > request.now else { throw .badCredentials }
      return known.principal
    }
    guard authorization.lowercased().hasPrefix("basic ") else { throw .badCredentials }
    guard let backend = request.header("Oracle-Mobile-Backend-ID") else { throw .noBackend }
    guard backend.lowercased() == credentials.backendID else { throw .badCredentials }
    let key = authorization.dropFirst(6).filter { $0 != " " }
    if key == credentials.anonymousKey { return try anonymousOrSocial(request) }
    guard let pair = request.basicCredentials, let user = user(pair.user, password: pair.password) else {
      throw .badCredentials
    }
    return .user(user)
  }

  private func anonymousOrSocial(_ request: SandboxRequest) throws(OMCError) -> OMCPrincipal {
    guard let provider = request.header("Oracle-Mobile-Social-Identity-Provider") else { return .anonymous }
    guard provider.lowercased() == "facebook",
      request.header("Oracle-Mobile-Social-Access-Token") == credentials.socialToken
    else { throw .badCredentials }
    return .social(id: "facebook-\(credentials.backendID.prefix(8))")
  }

  /// Changes `COLLECTION/OBJECT`, of a shared collection, `tasks/NUMBER` or `files/NAME`, as if tess had; false when there is none.
  func edit(_ name: String) -> Bool {
    let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return false }
    if parts[0] == "tasks" {
      guard let number = Int(parts[1]), var body = tasks.item(number)?.body else { return false }
      body["title"] = "Changed by tess"
      return tasks.change(number, ifMatch: nil, to: body) != nil
    }
    if parts[0] == "files" {
      guard attachments.file(parts[1]) != nil else { return false }
      let theirs = AttachmentList.File(bytes: Array("Changed by tess.\n".utf8), mediaType: "text/plain")
      return attachments.put(parts[1], theirs, ifMatch: nil)
    }
    guard let collection = StorageCollection.all.first(where: { $0.id == parts[0] && !$0.isIsolated }) else {
      return false
    }
    return storage.edit(parts[1], owner: nil, in: collection, at: setting.clock.now)
  }

  /// A new access token, and a refresh token where the scope asked for offline access.
  func issue(_ principal: OMCPrincipal, lifetime: Int, at now: SandboxTime, offline: Bool) -> JSONNode {
    var random = makeRandom("token")
    let header = Base64URL.encode(Array(#"{"alg":"RS256","typ":"JWT"}"#.utf8))
    let claims: JSONNode = [
      "sub": .string(principal.name), "iat": .integer(now.seconds), "exp": .integer(now.seconds + Int64(lifetime)),
      "jti": .string(random.uuid()),
    ]
    let token = "\(header).\(Base64URL.encode(claims.encoded())).\(random.secret(86))"
    var answer: JSONNode = [
      "access_token": .string(token), "token_type": "Bearer", "expires_in": .int(lifetime),
    ]
    let refresh = offline ? random.secret(64) : nil
    state.withLock { state in
      state.tokens[token] = (principal, now.adding(seconds: lifetime))
      if let refresh { state.refreshTokens[refresh] = principal }
    }
    if let refresh { answer["refresh_token"] = .string(refresh) }
    return answer
  }

  func takeRefreshToken(_ token: String) -> OMCPrincipal? {
    state.withLock { $0.refreshTokens.removeValue(forKey: token) }
  }

  func expireTokens() {
    state.withLock {
      $0.tokens = [:]
      $0.refreshTokens = [:]
    }
  }

  func reset() {
    state.withLock { $0 = State() }
    storage.reset()
    tasks.reset()
    attachments.reset()
  }

  func makeRandom(_ name: String) -> SeededRandom {
    let serial = state.withLock { state in
      state.serial += 1
      return state.serial
    }
    return setting.random("mobile/runtime/\(name)", index: serial)
  }

  /// The id that support and the server's log search by.
  func makeTrace() -> String {
    var random = makeRandom("ecid")
    return "\(random.hex(16)):-\(random.hex(8)):\(random.hex(11)):-8000-\(random.hex(16)), 0:1"
  }
}

extension OMCServer {
  func register(_ device: JSONNode, token: String) { state.withLock { $0.devices[token] = device } }

  func deregister(token: String) -> Bool { state.withLock { $0.devices.removeValue(forKey: token) != nil } }

  func collect(_ events: [JSONNode]) { state.withLock { $0.events += events } }

  /// Analytics events that were accepted, in order.
  var collected: [JSONNode] { state.withLock { $0.events } }

  /// Adds a notification under the next number and returns it.
  func send(_ make: (Int) -> JSONNode) -> JSONNode {
    state.withLock { state in
      let made = make(state.notifications.count + 1)
      state.notifications.append(made)
      return made
    }
  }

  var notifications: [JSONNode] { state.withLock { $0.notifications } }

  var deviceCount: Int { state.withLock { $0.devices.count } }
}
