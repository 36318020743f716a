import Model
import Sandbox
import Store
import TestKit
import Testing
import Wire

@testable import Alfresco

/// A back end on the real sandbox over a socket, signed in as the sandbox's configuration says.
final class LiveSandbox {
  private let sandbox: Sandbox
  let keeper = StubKeeper()
  let backend: AlfrescoBackend

  init(method: String? = nil, password: String? = nil, documents: Int = 60) async throws {
    sandbox = try Sandbox(SandboxOptions(documents: documents))
    let configuration = try Configuration(parsing: Array(sandbox.configuration.utf8), path: "sandbox.yaml")
    let connection = try configuration.requiredConnection(named: "docs")
    let settings = connection.settings.replacing("auth.method", method).replacing("auth.password", password)
    backend = try AlfrescoBackend(
      connection: Connection(name: "docs", kind: .alfresco, settings: settings), transport: CurlTransport(),
      surroundings: .stub(keeper: keeper))
  }

  deinit { sandbox.stop() }

  func signIn() async throws { _ = try await backend.signIn(SignInRequest()) }

  func at(_ text: String) throws -> Location { try Location(parsing: "docs:\(text)") }

  func list(_ text: String, _ query: ListQuery = ListQuery()) async throws -> Listing {
    try await backend.list(at(text), query)
  }

  func put(_ text: String, _ content: String, name: String? = nil, ifMatch: String? = nil, keepsBoth: Bool = false)
    async throws -> Location
  {
    let request = UploadRequest(
      MemorySource(Array(content.utf8)), name: name, mediaType: "text/plain", ifMatch: ifMatch, keepsBoth: keepsBoth)
    return try await backend.upload(request, to: at(text), progress: { _, _ in })
  }

  func get(_ location: Location, _ request: DownloadRequest = DownloadRequest()) async throws -> MemorySink {
    let sink = MemorySink()
    _ = try await backend.download(location, request, to: sink, progress: { _, _ in })
    return sink
  }

  @discardableResult
  func act(_ action: String, _ location: Location, _ fields: [String: String] = [:]) async throws -> ActionOutcome {
    try await backend.perform(action, at: location, fields: fields)
  }

  /// A request of the core API by hand, with its whole answer.
  func raw(
    _ method: String, _ path: String, _ body: String? = nil, headers: [(String, String)] = []
  ) async throws -> RawAnswer {
    var fields = headers.map { (name: $0.0, value: $0.1) }
    if body != nil, !headers.contains(where: { $0.0 == "Content-Type" }) {
      fields.append((name: "Content-Type", value: "application/json"))
    }
    let sink = MemorySink()
    let call = RawCall(
      method, "/api/-default-/public/alfresco/versions/1\(path)", headers: fields,
      body: body.map { MemorySource(Array($0.utf8)) })
    let reply = try await backend.call(call, to: sink)
    return RawAnswer(status: reply.status, headers: reply.headers, text: sink.text)
  }

  struct RawAnswer {
    let status: Int
    let headers: [(name: String, value: String)]
    let text: String
    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
  }

  /// Signs in as the one who may do everything.
  func becomeAdministrator() async throws {
    let line = try #require(sandbox.credentials.first { $0.hasPrefix("docs") })
    let password = try #require(line.split(separator: " ").last)
    _ = try await backend.signIn(SignInRequest(user: "admin", password: Secret(String(password))))
  }

  func field(_ id: String, of location: Location) async throws -> Value {
    try await backend.item(location).fields.first { $0.id == id }?.value ?? .null
  }
}

extension Settings {
  /// The same with another text under a dotted path; nil changes nothing.
  fileprivate func replacing(_ path: String, _ text: String?) -> Settings {
    guard let text else { return self }
    let names = path.split(separator: ".", maxSplits: 1).map(String.init)
    let members = members.map { key, entry -> (key: String, entry: Entry) in
      guard key == names[0] else { return (key: key, entry: entry) }
      if names.count == 2, case .table(let table) = entry {
        return (key: key, entry: .table(table.replacing(names[1], text)))
      }
      return (key: key, entry: .text(text, Origin()))
    }
    return Settings(members, origin: origin, directory: directory)
  }
}
