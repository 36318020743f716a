import FoundationEssentials
import Model
import Sandbox
import Store
import Synchronization
import TestKit
import Testing
import Wire

@testable import Unwired

/// A directory instead of a vault: the key is always the same until it is told otherwise.
final class OpenStores: OfflineStores {
  static let usual = Secret(String(repeating: "5a", count: 32))
  private let path: String
  private let state = Mutex<(key: Secret, policy: VaultPolicy?)>((OpenStores.usual, nil))

  init(_ path: String) { self.path = path }

  var key: Secret {
    get { state.withLock(\.key) }
    set { state.withLock { $0.key = newValue } }
  }
  /// What a server demanded last.
  var policy: VaultPolicy? { state.withLock(\.policy) }

  func place(of connection: String) async throws(ServiceError) -> OfflinePlace {
    OfflinePlace(path: path, key: key, isNew: false)
  }

  func adopt(_ policy: VaultPolicy) async throws(ServiceError) { state.withLock { $0.policy = policy } }
}

/// A back end with offline data against a sandbox of its own, over a socket; suites about it inherit from this.
class OfflineField {
  let sandbox: Sandbox
  let directory: TemporaryDirectory
  let keeper = StubKeeper()
  let stores: OpenStores

  init() throws {
    sandbox = try Sandbox(SandboxOptions(documents: 1))
    directory = try TemporaryDirectory()
    stores = OpenStores(directory.file("field.store"))
  }

  deinit { sandbox.stop() }

  func makeBackend(
    offline: Bool = false, readOnly: Bool = false, sets: [String] = ["Customers"], hasVault: Bool = true,
    settings more: KeyValuePairs<String, String> = [:]
  ) throws -> UnwiredBackend {
    let configuration = try Configuration(parsing: Array(sandbox.configuration.utf8), path: "sandbox.yaml")
    var members = try configuration.requiredConnection(named: "field").settings.members
    members.append((key: "sets", entry: .list(sets.map { .text($0, Settings.Origin()) }, Settings.Origin())))
    members += Settings.table(more).members
    if readOnly { members.append((key: "readOnly", entry: .text("true", Settings.Origin()))) }
    return try UnwiredBackend(
      connection: Connection(name: "field", kind: .unwired, settings: Settings(members)), transport: CurlTransport(),
      surroundings: .stub(
        keeper: keeper, isOffline: offline,
        stores: hasVault ? stores : NoOfflineStores(),
        randomBytes: { count in (0..<count).map { _ in UInt8.random(in: 0...255) } }))
  }

  func signedIn(
    readOnly: Bool = false, sets: [String] = ["Customers"], settings more: KeyValuePairs<String, String> = [:]
  ) async throws -> UnwiredBackend {
    let backend = try makeBackend(readOnly: readOnly, sets: sets, settings: more)
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
