package import Model
import Synchronization

/// Answers questions from a script, in order, and remembers them; without an answer nobody can be asked.
package final class StubAsker: Asker {
  private struct State {
    var answers: [[String: String]]
    var questions: [Question] = []
  }

  private let state: Mutex<State>

  /// - Parameter answers: The fields of each form to come.
  package init(_ answers: [[String: String]] = []) { state = Mutex(State(answers: answers)) }

  package var questions: [Question] { state.withLock { $0.questions } }

  package func ask(_ question: Question) async throws(ServiceError) -> Answer {
    let answer = state.withLock { state -> [String: String]? in
      state.questions.append(question)
      return state.answers.isEmpty ? nil : state.answers.removeFirst()
    }
    guard let answer else { throw ServiceError(.signInNeeded, question.title) }
    return .fields(answer.mapValues { Secret($0) })
  }
}

/// Resolves literals, and whatever else from a table.
package struct StubResolver: SecretResolver {
  package var values: [SecretSource: Secret]
  package init(_ values: [SecretSource: Secret] = [:]) { self.values = values }

  package func resolve(_ source: SecretSource) async throws(ServiceError) -> Secret {
    if case .literal(let secret) = source { return secret }
    guard let secret = values[source] else { throw ServiceError(.configuration, "find a secret") }
    return secret
  }
}

/// Keeps secrets in memory.
package final class StubKeeper: SecretKeeper {
  private let secrets: Mutex<[String: Secret]>
  package let isLasting = false

  package init(_ secrets: [String: Secret] = [:]) { self.secrets = Mutex(secrets) }

  package var all: [String: Secret] { secrets.withLock { $0 } }
  package func secret(named name: String) async throws(ServiceError) -> Secret? { secrets.withLock { $0[name] } }
  package func keep(_ secret: Secret, named name: String) async throws(ServiceError) {
    secrets.withLock { $0[name] = secret }
  }
  package func remove(named name: String) async throws(ServiceError) { secrets.withLock { $0[name] = nil } }
}

/// Stands still until it is moved.
package final class StubClock: WallClock {
  private let moment: Mutex<Timestamp>
  /// 2026-11-30T09:15:00Z unless told otherwise.
  package init(_ moment: Timestamp = Timestamp(seconds: 1_796_030_100)) { self.moment = Mutex(moment) }

  package func now() -> Timestamp { moment.withLock { $0 } }
  package func move(seconds: Int64) { moment.withLock { $0 = $0.adding(seconds: seconds) } }
}

extension Surroundings {
  /// Surroundings for a test: nobody to ask, nothing kept, a clock that stands, bytes that count up.
  package static func stub(
    asker: any Asker = StubAsker(), secrets: any SecretResolver = StubResolver(),
    keeper: any SecretKeeper = StubKeeper(), clock: any WallClock = StubClock(), isOffline: Bool = false,
    stores: any OfflineStores = NoOfflineStores(),
    randomBytes: @escaping @Sendable (Int) -> [UInt8] = { count in (0..<count).map { UInt8(truncatingIfNeeded: $0) } }
  ) -> Surroundings {
    Surroundings(
      asker: asker, secrets: secrets, keeper: keeper, clock: clock,
      randomBytes: randomBytes, isOffline: isOffline, stores: stores)
  }
}

extension Settings {
  /// Settings by dotted path: `["url": "…", "auth.user": "ada"]`.
  package static func table(_ values: KeyValuePairs<String, String>) -> Settings {
    var tables: [(name: String, members: [(key: String, entry: Entry)])] = []
    var members: [(key: String, entry: Entry)] = []
    for (path, value) in values {
      let names = path.split(separator: ".", maxSplits: 1).map(String.init)
      guard names.count == 2 else {
        members.append((key: path, entry: .text(value, Origin())))
        continue
      }
      if !tables.contains(where: { $0.name == names[0] }) { tables.append((name: names[0], members: [])) }
      guard let index = tables.firstIndex(where: { $0.name == names[0] }) else { continue }
      tables[index].members.append((key: names[1], entry: .text(value, Origin())))
    }
    members += tables.map { (key: $0.name, entry: .table(Settings($0.members))) }
    return Settings(members)
  }
}
