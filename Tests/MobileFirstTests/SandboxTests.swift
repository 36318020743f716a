import FoundationEssentials
import Model
import Sandbox
import Store
import TestKit
import Testing
import Wire

@testable import MobileFirst

/// The back end against the sandbox's server, over a socket, as the sandbox's own configuration says.
@Suite(.bounded) final class SandboxContractTests {
  private let sandbox: Sandbox
  private let keeper = StubKeeper()

  init() throws { sandbox = try Sandbox(SandboxOptions(documents: 1)) }

  deinit { sandbox.stop() }

  private func settings() throws -> Settings {
    let configuration = try Configuration(parsing: Array(sandbox.configuration.utf8), path: "sandbox.yaml")
    return try configuration.requiredConnection(named: "mfp").settings
  }

  /// - Parameter login: In place of the configured answer to `UserLogin`; nil to leave it as it is.
  private func makeBackend(
    login: [String: String]? = nil, asked: [[String: String]] = []
  ) throws -> (MobileFirstBackend, StubAsker) {
    let settings = try settings()
    let members = settings.members.map { key, entry -> (key: String, entry: Settings.Entry) in
      guard key == "answers", let login, case .table(let checks) = entry else { return (key: key, entry: entry) }
      let fields = login.map { (key: $0.key, entry: Settings.Entry.text($0.value, Settings.Origin())) }
      let others = checks.members.filter { $0.key != "UserLogin" }
      return (key: key, entry: .table(Settings(others + [(key: "UserLogin", entry: .table(Settings(fields)))])))
    }
    let asker = StubAsker(asked)
    let backend = try MobileFirstBackend(
      Connection(name: "mfp", kind: .mobilefirst, settings: Settings(members)), CurlTransport(),
      .stub(asker: asker, keeper: keeper, clock: WallTime()),
      makeKey: { () throws(ServiceError) in try Gatehouse.key.get() })
    return (backend, asker)
  }

  private func at(_ text: String) throws -> Location { try Location(parsing: "mfp:\(text)") }

  @Test func `every configured resource opens with the configured answers`() async throws {
    let (backend, asker) = try makeBackend()
    let resources = try await backend.list(at("/resources"), ListQuery())
    #expect(resources.rows.count >= 2)
    for row in resources.rows {
      let item = try await backend.item(row.location)
      #expect(item.raw?.bytes.isEmpty == false)
      let sink = MemorySink()
      _ = try await backend.download(row.location, DownloadRequest(), to: sink, progress: { _, _ in })
      #expect(!sink.bytes.isEmpty)
    }
    #expect(asker.questions.isEmpty)
    let tokens = try await backend.list(at("/tokens"), ListQuery())
    #expect(!tokens.rows.isEmpty)
    for row in tokens.rows { _ = try await backend.item(row.location) }
    let checks = try await backend.list(at("/checks"), ListQuery())
    #expect(checks.rows.contains { checks.value("state", in: $0) == .text("success") })
    for row in checks.rows { _ = try await backend.item(row.location) }
  }

  @Test func `a challenge is asked of a person, with the attempts left, until the answer is right`() async throws {
    let configured = try #require(try settings().table("answers.UserLogin"))
    let right = Dictionary(
      uniqueKeysWithValues: try configured.members.map { ($0.key, try configured.requiredText($0.key)) })
    let (backend, asker) = try makeBackend(login: [:], asked: [["username": "susan", "password": "wrong"], right])
    _ = try await backend.item(at("/resources/My resource"))
    #expect(asker.questions.count == 2)
    #expect(asker.questions[1].attemptsLeft != nil)
    #expect(try await backend.signInState(verifying: true).isSignedIn)
  }

  @Test func `a wrong configured password is tried once and then reported`() async throws {
    let (backend, asker) = try makeBackend(login: ["username": "susan", "password": "wrong"])
    let location = try at("/resources/My resource")
    let error = await #expect(throws: ServiceError.self) { try await backend.item(location) }
    #expect(error?.code == .signInRefused)
    #expect(asker.questions.count <= 1)
  }

  @Test func `signing out of the check brings its challenge back`() async throws {
    let (backend, _) = try makeBackend()
    _ = try await backend.item(at("/resources/My resource"))
    try await backend.signOut(SignOutRequest())
    #expect(try await backend.signInState(verifying: false).isSignedIn == false)
    let (other, asker) = try makeBackend(login: [:])
    let location = try at("/resources/My resource")
    let error = await #expect(throws: ServiceError.self) { try await other.item(location) }
    #expect(error?.code == .signInNeeded)
    #expect(asker.questions.count == 1)
  }

  @Test func `a raw call learns its scope and passes bytes through`() async throws {
    let (backend, _) = try makeBackend()
    let sink = MemorySink()
    let reply = try await backend.call(RawCall("GET", "/MyResource/MyProtectedProcedure"), to: sink)
    #expect(reply.status == 200)
    let item = try await backend.item(at("/resources/My resource"))
    #expect(item.raw?.bytes.count == sink.bytes.count)
    let bare = MemorySink()
    let refused = try await backend.call(
      RawCall("GET", "/MyResource/MyProtectedProcedure", isPublic: true), to: bare)
    #expect(refused.status == 401)
  }

  @Test func `a later run goes on with the registration and the tokens that were kept`() async throws {
    let (first, _) = try makeBackend()
    _ = try await first.item(at("/resources/My resource"))
    let (second, asker) = try makeBackend(login: [:])
    _ = try await second.item(at("/resources/My resource"))
    #expect(second.manager.clientID == first.manager.clientID)
    #expect(asker.questions.isEmpty)
  }
}

/// The sandbox lives by the real time.
private struct WallTime: WallClock {
  func now() -> Timestamp {
    Timestamp(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000))
  }
}
