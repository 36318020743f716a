import Model
import Synchronization
import Wire

/// One session for each server record, found again or made: the class methods of `OBPSession`.
public final class OpenBankSessions: Sendable {
  private struct Entry {
    let record: OpenBankServerRecord
    let client: OpenBankClient
  }

  private let records: OpenBankServerRecords
  private let transport: any Transport
  private let surroundings: Surroundings
  private let entries = Mutex<[Entry]>([])

  /// - Parameter surroundings: Its asker shows pages and puts questions; see `OpenBankPages`. Secrets are kept by the
  ///   records' own keeper.
  public init(records: OpenBankServerRecords, transport: any Transport, surroundings: Surroundings) {
    self.records = records
    self.transport = transport
    self.surroundings = Surroundings(
      asker: surroundings.asker, secrets: KeptSecrets(keeper: records.keeper, others: surroundings.secrets),
      keeper: records.keeper, clock: surroundings.clock, randomBytes: surroundings.randomBytes,
      isOffline: surroundings.isOffline, stores: surroundings.stores)
  }

  /// The session of a record (`sessionWithServerInfo:`), found or made, behind the client that speaks for it.
  ///
  /// - Parameters:
  ///   - method: How to sign in; another one than before ends the old session here.
  ///   - redirectURL: As registered with the server, for OAuth 1.0a; nil for any free port on loopback.
  public func client(
    for record: OpenBankServerRecord, method: OpenBankSession.Method = .oauth1, user: String? = nil,
    redirectURL: String? = nil
  ) throws(ServiceError) -> OpenBankClient {
    if let known = found(record), known.session.method == method { return known }
    let client = try OpenBankClient(
      connection: OpenBankSessions.connection(record, method, user, redirectURL), transport: transport,
      surroundings: surroundings)
    entries.withLock { entries in
      entries.removeAll { $0.record.id == record.id }
      entries.append(Entry(record: record, client: client))
    }
    return client
  }

  /// `findSessionWithServerInfo:`.
  public func found(_ record: OpenBankServerRecord) -> OpenBankClient? {
    entries.withLock { $0.first { $0.record.id == record.id }?.client }
  }

  /// `allSessions`, the current one first.
  public var all: [OpenBankClient] { entries.withLock { $0.map(\.client) } }

  /// `currentSession`.
  public var current: OpenBankClient? { all.first }

  /// Moves a session to the front (`setCurrentSession:`).
  public func makeCurrent(_ record: OpenBankServerRecord) {
    entries.withLock { entries in
      guard let index = entries.firstIndex(where: { $0.record.id == record.id }) else { return }
      entries.insert(entries.remove(at: index), at: 0)
    }
  }

  /// Ends a session and forgets it here (`removeSession:`).
  public func remove(_ record: OpenBankServerRecord) async throws(ServiceError) {
    try await found(record)?.session.invalidate()
    entries.withLock { $0.removeAll { $0.record.id == record.id } }
  }

  private static func connection(
    _ record: OpenBankServerRecord, _ method: OpenBankSession.Method, _ user: String?, _ redirectURL: String?
  ) -> Connection {
    let text: (String?) -> Settings.Entry? = { $0.map { .text($0, .init()) } }
    let auth: [(key: String, entry: Settings.Entry?)] = [
      (key: "method", entry: text(method.rawValue)), (key: "user", entry: text(user)),
      (key: "consumerKey", entry: .secret(.vault("\(record.id)/client-key"), .init())),
      (key: "consumerSecret", entry: .secret(.vault("\(record.id)/client-secret"), .init())),
      (key: "redirectURL", entry: text(redirectURL)), (key: "requestPath", entry: text(record.paths.request)),
      (key: "authorizePath", entry: text(record.paths.authorize)), (key: "tokenPath", entry: text(record.paths.token)),
    ]
    let members: [(key: String, entry: Settings.Entry?)] = [
      (key: "url", entry: text(record.url)), (key: "authURL", entry: text(record.authURL)),
      (key: "auth", entry: .table(Settings(OpenBankSessions.present(auth)))),
    ]
    return Connection(name: record.id, kind: .openbank, settings: Settings(OpenBankSessions.present(members)))
  }

  private static func present(
    _ members: [(key: String, entry: Settings.Entry?)]
  ) -> [(key: String, entry: Settings.Entry)] {
    members.compactMap { member in member.entry.map { (key: member.key, entry: $0) } }
  }
}

/// Secrets of the records out of their keeper, all others as before.
private struct KeptSecrets: SecretResolver {
  let keeper: any SecretKeeper
  let others: any SecretResolver

  func resolve(_ source: SecretSource) async throws(ServiceError) -> Secret {
    if case .vault(let name) = source, let secret = try await keeper.secret(named: name) { return secret }
    return try await others.resolve(source)
  }
}
