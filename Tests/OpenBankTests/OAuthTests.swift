import FoundationEssentials
import Model
import Sandbox
import TestKit
import Testing
import Wire

@testable import OpenBank

/// A person with a browser: opens the page it is shown, fills in the form, and goes where the last page leads.
private struct BrowsingPerson: Asker {
  let visitor: PageVisitor

  init(user: String, password: String) { visitor = PageVisitor(user: user, password: password) }

  func ask(_ question: Question) async throws(ServiceError) -> Answer {
    switch question.kind {
    case .browser(let page):
      try await visitor.visit(page)
      do { try await Task.sleep(for: .seconds(30)) } catch {}
      throw .cancelled(question.title)
    case .form(let fields, _):
      let last = try await visitor.signIn(question.message.replacing("open ", with: ""))
      return .fields([fields[0].id: Secret(last.text(ofID: "verifier") ?? "")])
    default: throw .cancelled(question.title)
    }
  }
}

@Suite(.bounded) struct OAuthTests {
  private static let sandbox = Result { try Sandbox(SandboxOptions(accounts: 4, transactions: 10)) }

  private func backend(
    _ asker: (_ user: String, _ password: String) -> any Asker, keeper: StubKeeper = StubKeeper(),
    secret: String? = nil
  ) throws -> OpenBankBackend {
    let sandbox = try OAuthTests.sandbox.get()
    let printed = SandboxContractTests.values(of: "bank", in: sandbox.configuration)
    let settings: Settings = .table([
      "url": "\(sandbox.origin)/obp/v4.0.0", "auth.method": "oauth1", "auth.consumerKey": printed["consumerKey"] ?? "",
      "auth.consumerSecret": secret ?? printed["consumerSecret"] ?? "",
      "auth.redirectURL": printed["redirectURL"] ?? "",
    ])
    let trimmed = Settings(
      settings.members.map { member in
        guard member.key == "auth", case .table(let auth) = member.entry else { return member }
        let kept = auth.members.filter { pair in if case .text("", _) = pair.entry { false } else { true } }
        return (key: "auth", entry: .table(Settings(kept)))
      })
    return try OpenBankBackend(
      connection: Connection(name: "bank", kind: .openbank, settings: trimmed), transport: CurlTransport(),
      surroundings: Surroundings(
        asker: asker(printed["user"] ?? "", printed["password"] ?? ""), secrets: StubResolver(), keeper: keeper,
        clock: SystemTime(), randomBytes: { count in (0..<count).map { _ in UInt8.random(in: 0...255) } }))
  }

  /// Signatures carry the time, so this side needs the real one.
  private struct SystemTime: WallClock {
    func now() -> Timestamp { Timestamp(seconds: Int64(Date().timeIntervalSince1970)) }
  }

  @Test func `three steps with a browser lead to signed calls, which a later run can make, too`() async throws {
    let keeper = StubKeeper()
    let backend = try backend({ BrowsingPerson(user: $0, password: $1) }, keeper: keeper)
    let state = try await backend.signIn(SignInRequest())
    #expect(state.isSignedIn)
    let me = try await backend.item(try Location(parsing: "bank:/me"))
    #expect(me.fields.contains { $0.id == "name" && !$0.value.isNull })
    let later = try self.backend({ _, _ in StubAsker() }, keeper: keeper)
    #expect(try await later.list(try Location(parsing: "bank:/accounts"), ListQuery()).rows.isEmpty == false)
  }

  @Test func `a verifier that the page shows does as well`() async throws {
    let backend = try backend({ BrowsingPerson(user: $0, password: $1) })
    _ = try await backend.signIn(SignInRequest(page: .outOfBand))
    #expect(try await backend.signInState(verifying: true).isSignedIn)
  }

  @Test func `a wrong consumer secret is a refused sign-in that names the setting for tunnels`() async throws {
    let backend = try backend({ _, _ in StubAsker() }, secret: "0000000000000000000000000000000000000000")
    let error = await #expect(throws: ServiceError.self) { try await backend.signIn(SignInRequest()) }
    #expect(error?.code == .signInRefused)
    #expect(error?.advice.contains("serverURL") ?? false)
  }
}
