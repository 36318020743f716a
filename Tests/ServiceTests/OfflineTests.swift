import FoundationEssentials
import Model
import Store
import TestKit
import Testing
import Wire

@testable import Service

/// With `--offline` nothing is sent, whatever the back end: its transport refuses, and nobody is asked to sign in.
@Suite struct OfflineTests {
  /// Asks the server for everything, without a thought of being offline.
  private func service(_ directory: TemporaryDirectory, isOffline: Bool = true) throws -> ServiceLayer {
    let text = "connections:\n- { name: bank, kind: openbank, url: 'http://127.0.0.1/' }\n"
    let keeper = MemoryKeeper()
    let surroundings = Surroundings(
      asker: QuestionQueue(), secrets: SecretSources(environment: [:], keeper: keeper), keeper: keeper,
      clock: StillClock(), randomBytes: { [UInt8](repeating: 7, count: $0) }, isOffline: isOffline)
    return ServiceLayer(
      try Configuration(parsing: Array(text.utf8), path: "config.yaml"),
      ServiceLayer.Parts(
        makers: [.openbank: { _, transport, _ throws(ServiceError) in EagerBackend(transport: transport) }],
        transport: { _, _ in NoTransport() }, log: ExchangeLog(clock: StillClock()), surroundings: surroundings,
        environment: [:], paths: StandardPaths(under: directory.file("home"))))
  }

  @Test func `reads, writes, calls and signing in end offline`() async throws {
    let directory = try TemporaryDirectory()
    let service = try service(directory)
    #expect(await failure { () throws(ServiceError) in try await service.list(banks) }?.code == .offline)
    #expect(await failure { () throws(ServiceError) in try await service.delete(banks) }?.code == .offline)
    #expect(
      await failure { () throws(ServiceError) in
        try await service.call("bank", RawCall("GET", "/x"), to: NoSink())
      }?.code == .offline)
    #expect(
      await failure { () throws(ServiceError) in try await service.signIn("bank", SignInRequest()) }?.code == .offline)
  }

  @Test func `a back end that wants a sign-in first ends offline, too`() async throws {
    let directory = try TemporaryDirectory()
    let service = try service(directory)
    let item = Location(connection: "bank", path: ["me"])
    #expect(await failure { () throws(ServiceError) in try await service.item(item) }?.code == .offline)
  }

  @Test func `online the connection's own transport is used`() async throws {
    let directory = try TemporaryDirectory()
    let service = try service(directory, isOffline: false)
    #expect(await failure { () throws(ServiceError) in try await service.list(banks) }?.code == .unreachable)
  }
}

private struct EagerBackend: Backend {
  let transport: any Transport
  let kind = BackendKind.openbank
  let capabilities: Capabilities = []

  private func send(_ operation: String) async throws(ServiceError) {
    guard let url = URL(string: "http://127.0.0.1/") else { return }
    do throws(TransportError) {
      _ = try await transport.send(.get(url, label: operation))
    } catch {
      throw error.serviceError(operation)
    }
  }

  func nature(of location: Location) async throws(ServiceError) -> LocationNature { .container }

  func list(_ location: Location, _ query: ListQuery) async throws(ServiceError) -> Listing {
    try await send("list")
    return Listing(location, title: "", columns: [], rows: [])
  }

  func item(_ location: Location) async throws(ServiceError) -> Item { throw ServiceError(.signInNeeded, "show") }

  func delete(_ location: Location) async throws(ServiceError) -> ActionOutcome {
    try await send("delete")
    return ActionOutcome("")
  }

  func call(_ call: RawCall, to sink: any ByteSink) async throws(ServiceError) -> RawReply {
    try await send("call")
    throw ServiceError(.failed, "call")
  }

  func signIn(_ request: SignInRequest) async throws(ServiceError) -> SignInState { SignInState(isSignedIn: true) }
  func signOut(_ request: SignOutRequest) async throws(ServiceError) {}
  func signInState(verifying: Bool) async throws(ServiceError) -> SignInState { SignInState(isSignedIn: false) }
}
