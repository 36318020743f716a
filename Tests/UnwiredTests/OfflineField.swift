import FoundationEssentials
import Model
import Sandbox
import Store
import TestKit
import Testing
import Wire

@testable import Unwired

/// A directory instead of a vault: the key is always the same.
private final class OpenStores: OfflineStores {
  private let path: String
  init(_ path: String) { self.path = path }

  func place(of connection: String) -> OfflinePlace {
    OfflinePlace(path: path, key: Secret(String(repeating: "5a", count: 32)), isNew: false)
  }

  func adopt(_ policy: VaultPolicy) {}
}

/// A back end with offline data against a sandbox of its own, over a socket; suites about it inherit from this.
class OfflineField {
  let sandbox: Sandbox
  let directory: TemporaryDirectory
  let keeper = StubKeeper()

  init() throws {
    sandbox = try Sandbox(SandboxOptions(documents: 1))
    directory = try TemporaryDirectory()
  }

  deinit { sandbox.stop() }

  func makeBackend(
    offline: Bool = false, readOnly: Bool = false, sets: [String] = ["Customers"], stores: Bool = true
  ) throws -> UnwiredBackend {
    let configuration = try Configuration(parsing: Array(sandbox.configuration.utf8), path: "sandbox.yaml")
    var members = try configuration.requiredConnection(named: "field").settings.members
    members.append((key: "sets", entry: .list(sets.map { .text($0, Settings.Origin()) }, Settings.Origin())))
    if readOnly { members.append((key: "readOnly", entry: .text("true", Settings.Origin()))) }
    return try UnwiredBackend(
      connection: Connection(name: "field", kind: .unwired, settings: Settings(members)), transport: CurlTransport(),
      surroundings: .stub(
        keeper: keeper, isOffline: offline,
        stores: stores ? OpenStores(directory.file("field.store")) : NoOfflineStores(),
        randomBytes: { count in (0..<count).map { _ in UInt8.random(in: 0...255) } }))
  }

  func signedIn(readOnly: Bool = false, sets: [String] = ["Customers"]) async throws -> UnwiredBackend {
    let backend = try makeBackend(readOnly: readOnly, sets: sets)
    _ = try await backend.signIn(SignInRequest())
    return backend
  }

  func at(_ text: String) throws -> Location { try Location(parsing: "field:\(text)") }

  func put(_ backend: UnwiredBackend, _ json: String, _ place: String) async throws -> Location {
    try await backend.upload(UploadRequest(MemorySource(Array(json.utf8))), to: at(place)) { _, _ in }
  }

  func city(_ backend: UnwiredBackend, _ place: String) async throws -> Value? {
    try await backend.item(at(place)).fields.first { $0.id == "city" }?.value
  }

  func pending(_ backend: UnwiredBackend) async throws -> [String] {
    let listing = try await backend.list(at("/pending"), ListQuery())
    return listing.rows.map { listing.value("state", in: $0).exactText }
  }

  @discardableResult
  func sync(_ backend: UnwiredBackend) async throws -> String {
    try await backend.synchronize { _, _ in }.message
  }

  func turn(_ knob: String) async throws {
    let url = try #require(URL(string: "\(sandbox.origin)/field-admin/switch?\(knob)"))
    let response = try await CurlTransport().send(HTTPRequest("POST", url))
    #expect(response.isSuccess)
  }
}
