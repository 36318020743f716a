import HTTPServer
import JSON
import Synchronization

/// The content repository as a server: its data, who is signed in, and what it refuses.
final class AlfrescoServer: Sendable {
  private struct State {
    /// Made when first asked for, so that a sandbox whose documents nobody opens starts at once.
    var repository: Repository?
    var index: SearchIndex?
    var tickets = TicketOffice()
    var refusals = 0
    var conflicts = 0
  }

  let setting: DoorSetting
  let people: [RepoPerson]
  let issuer: OpenIDIssuer
  private let state = Mutex(State())

  init(_ setting: DoorSetting) {
    self.setting = setting
    people = RepoPerson.all(seed: setting.options.seed)
    issuer = OpenIDIssuer(seed: setting.options.seed, people: people)
  }

  /// Looks at the repository, or changes it, while nobody else does.
  func withRepository<Result: Sendable>(_ body: (inout Repository) throws -> Result) rethrows -> Result {
    try state.withLock { state in
      var repository = state.repository.take() ?? makeRepository()
      defer { state.repository = repository }
      return try body(&repository)
    }
  }

  /// The search index over a copy of the repository as it is now.
  func searchable() -> (repository: Repository, index: SearchIndex) {
    state.withLock { state in
      let repository = state.repository ?? makeRepository()
      state.repository = repository
      var index = state.index ?? SearchIndex(corpus: repository.corpus)
      state.index = nil
      index.update(from: repository)
      state.index = index
      return (repository, index)
    }
  }

  private func makeRepository() -> Repository {
    Repository.generated(seed: setting.options.seed, documents: setting.options.documents)
  }

  func withTickets<Result: Sendable>(_ body: (inout TicketOffice) throws -> Result) rethrows -> Result {
    try state.withLock { try body(&$0.tickets) }
  }

  func suffer(_ event: DoorEvent) {
    state.withLock { state in
      switch event {
      case .expireTokens: state.tickets = TicketOffice()
      case .conflict: state.conflicts += 1
      case .reset:
        let refusals = state.refusals
        state = State()
        state.refusals = refusals
      }
    }
    if event != .conflict { issuer.endAllSessions() }
  }

  /// Throws once for each conflict that the control endpoint has ordered.
  func checkConflict() throws(AlfrescoFault) {
    let strikes = state.withLock { state in
      guard state.conflicts > 0 else { return false }
      state.conflicts -= 1
      return true
    }
    if strikes { throw AlfrescoFault(409, "framework.exception.StaleEntity", "Attempt to update a stale entity") }
  }

  /// Who sends this request; nil where it carries no credentials or wrong ones.
  func user(of request: SandboxRequest) -> String? {
    if let header = request.header("Authorization") {
      if let token = request.bearerToken { return issuer.user(ofAccessToken: token, at: request.now) }
      if let (user, password) = request.basicCredentials {
        if user == "ROLE_TICKET" { return withTickets { $0.use(password, at: request.now) } }
        return checked(user, password)
      }
      guard header.lowercased().hasPrefix("basic "), let bytes = PercentCoding.decodeBase64(header.dropFirst(6))
      else { return nil }
      return withTickets { $0.use(String(decoding: bytes, as: UTF8.self), at: request.now) }
    }
    return request.query("alf_ticket").flatMap { ticket in withTickets { $0.use(ticket, at: request.now) } }
  }

  /// The user's id, if the password is right; user names are compared without case.
  func checked(_ user: String, _ password: String) -> String? {
    let person = people.first { $0.id == user.lowercased() }
    guard let person, person.password == password else { return nil }
    return person.id
  }

  func response(to fault: AlfrescoFault, at now: SandboxTime) -> ServerResponse {
    let number = state.withLock { state in
      state.refusals += 1
      return state.refusals
    }
    var random = setting.random("alfresco.log", index: number)
    let response = ServerResponse.alfresco(
      fault.node(at: now, number: number, logID: random.uuid()), status: fault.status)
    guard fault.status == 401 else { return response }
    return response.adding("WWW-Authenticate", "AlfTicket realm=\"Alfresco -default- tenant\"")
  }
}

extension ServerResponse {
  static func alfresco(_ node: JSONNode, status: Int = 200) -> ServerResponse {
    ServerResponse(
      status: status,
      headers: [("Content-Type", "application/json;charset=UTF-8"), ("Cache-Control", "no-cache")],
      body: .bytes(node.encoded()))
  }

  static func entry(_ node: JSONNode, status: Int = 200) -> ServerResponse {
    .alfresco(["entry": node], status: status)
  }
}

/// The tickets handed out: one per user, good for an hour after its last use.
struct TicketOffice: Sendable {
  private var tickets: [String: (user: String, used: SandboxTime)] = [:]
  private static let life = 3_600

  /// The user's ticket, a new one if there is none or the old one has run out.
  mutating func ticket(for user: String, at now: SandboxTime, make: () -> String) -> String {
    let known = tickets.first { $0.value.user == user && now < $0.value.used.adding(seconds: Self.life) }?.key
    let ticket = known ?? "TICKET_\(make())"
    tickets[ticket] = (user, now)
    return ticket
  }

  /// Whose ticket it is; using one makes it last longer.
  mutating func use(_ ticket: String, at now: SandboxTime) -> String? {
    guard let (user, used) = tickets[ticket], now < used.adding(seconds: Self.life) else { return nil }
    tickets[ticket]?.used = now
    return user
  }

  mutating func end(_ ticket: String) -> Bool { tickets.removeValue(forKey: ticket) != nil }
}
