import FoundationEssentials
import Model
import Sandbox
import TestKit
import Testing
import Wire

@testable import OpenBank

/// A person with a browser: opens the page it is shown, fills in the form, and goes where the last page leads.
private struct BrowsingPerson: Asker {
  let user: String
  let password: String
  private let web = CurlTransport()

  init(user: String, password: String) {
    self.user = user
    self.password = password
  }

  func ask(_ question: Question) async throws(ServiceError) -> Answer {
    switch question.kind {
    case .browser(let page):
      let last = try await signIn(page)
      let links = HTMLPage(last).links
      // The page leads on by a script; its link is the way without one.
      if let back = links.first(where: { $0.contains("oauth_verifier") }) { _ = try await get(back) }
      do { try await Task.sleep(for: .seconds(30)) } catch {}
      throw .cancelled(question.title)
    case .form(let fields, _):
      let page = question.message.replacing("open ", with: "")
      let last = HTMLPage(try await signIn(page))
      return .fields([fields[0].id: Secret(last.text(ofID: "verifier") ?? "")])
    default: throw .cancelled(question.title)
    }
  }

  /// Fills in the first form of the page and returns the page that comes at the end.
  private func signIn(_ page: String) async throws(ServiceError) -> String {
    let first = try await get(page)
    let form = HTMLPage(first)
    var fields = form.inputs.map { (name: $0.name, value: $0.value) }
    for (index, input) in form.inputs.enumerated() {
      if input.type == "password" { fields[index].value = password }
      if input.type == "text" || input.type == "email" { fields[index].value = user }
    }
    guard let base = URL(string: page), let action = URL(string: form.action ?? "", relativeTo: base)?.absoluteURL
    else {
      throw ServiceError(.unreadable, "find the form")
    }
    var request = HTTPRequest.form(action, fields)
    request.followsRedirects = false
    var response = try await send(request)
    for _ in 0..<5 {
      guard let next = response.headers["Location"], let url = URL(string: next, relativeTo: action)?.absoluteURL else {
        break
      }
      response = try await send(.get(url))
    }
    return response.text
  }

  private func get(_ page: String) async throws(ServiceError) -> String {
    guard let url = URL(string: page) else { throw ServiceError(.usage, "open \(page)") }
    return try await send(.get(url)).text
  }

  private func send(_ request: HTTPRequest) async throws(ServiceError) -> HTTPResponse {
    do { return try await web.send(request) } catch { throw error.serviceError("browse") }
  }
}

/// As much of HTML as a sign-in page has.
private struct HTMLPage {
  private let tags: [String]
  private let source: String

  init(_ source: String) {
    self.source = source
    tags = source.split(separator: "<").dropFirst().map { String($0.prefix { $0 != ">" }) }
  }

  var action: String? { tags.first { $0.hasPrefix("form") }.flatMap { HTMLPage.attribute("action", of: $0) } }

  var inputs: [(name: String, type: String, value: String)] {
    tags.filter { $0.hasPrefix("input") }.compactMap { tag in
      guard let name = HTMLPage.attribute("name", of: tag) else { return nil }
      return (name, HTMLPage.attribute("type", of: tag) ?? "text", HTMLPage.attribute("value", of: tag) ?? "")
    }
  }

  var links: [String] { tags.filter { $0.hasPrefix("a ") }.compactMap { HTMLPage.attribute("href", of: $0) } }

  func text(ofID id: String) -> String? {
    guard let start = source.firstRange(of: "id=\"\(id)\""), let open = source[start.upperBound...].firstIndex(of: ">")
    else { return nil }
    return String(source[source.index(after: open)...].prefix { $0 != "<" }).filter { !$0.isWhitespace }
  }

  private static func attribute(_ name: String, of tag: String) -> String? {
    guard let start = tag.firstRange(of: "\(name)=\"") else { return nil }
    let value = String(tag[start.upperBound...].prefix { $0 != "\"" })
    return value.replacing("&amp;", with: "&").replacing("&quot;", with: "\"")
  }
}

@Suite(.timeLimit(.minutes(1))) struct OAuthTests {
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
