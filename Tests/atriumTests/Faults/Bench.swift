import Model
import Sandbox
import Service
import Store
import Synchronization
import TestKit
import Testing
import Wire

@testable import atrium

/// The sandbox that all benches share, and places in it that are there from the start.
struct Ground: Sendable {
  let sandbox: Sandbox
  let account: Location
  let payment: [String: String]

  static let shared = Task { try await Ground() }

  private init() async throws {
    sandbox = try Sandbox(SandboxOptions(accounts: 4, transactions: 20, documents: 20, objects: 20))
    let service = try Bench.service(sandbox.configuration, under: "/nonexistent", transport: { CurlTransport($0) })
    for place in ["docs:/files/Shared", "mobile:/storage/Empty/kept.txt"] {
      let request = UploadRequest(MemorySource(Array("kept".utf8)), name: "kept.txt", mediaType: "text/plain")
      _ = try await service.upload(request, to: Location(parsing: place))
    }
    let rows = try await service.list(Location(parsing: "bank:/accounts")).rows
    account = try #require(rows.first?.location)
    let payee = try #require(rows.dropFirst().first?.location)
    payment = [
      "type": "SANDBOX_TAN", "to_bank": payee.path[1], "to_account": payee.path[3], "amount": "1", "description": "x",
    ]
  }
}

/// The service layer with all back ends over the real transport, before a proxy that can spoil every answer.
final class Bench: Sendable {
  let account: Location
  let payment: [String: String]
  let proxy: FaultProxy
  let service: ServiceLayer
  private let patience = Patience()
  private let names = Atomic(0)

  init() async throws {
    let ground = try await Ground.shared.value
    account = ground.account
    payment = ground.payment
    proxy = try FaultProxy(to: ground.sandbox.port)
    let text = ground.sandbox.configuration.replacing(ground.sandbox.origin, with: proxy.origin)
    service = try Self.service(text, under: "/nonexistent") { [patience] settings in
      RetryingTransport(
        ImpatientTransport(settings, patience), clock: StubClock(), random: { 0 }, sleep: { patience.slept($0) })
    }
  }

  deinit { proxy.stop() }

  /// Waits that the retries asked for since this was last looked at.
  func waits() -> [Duration] { patience.takeWaits() }

  /// A name that no upload of this bench had before.
  func freshName() -> String { "new-\(UInt32.random(in: 0 ... .max))-\(names.add(1, ordering: .relaxed).newValue).txt" }

  func run(_ operation: Operation) async -> ServiceError? {
    do throws(ServiceError) {
      try await operation.run(service, self)
      return nil
    } catch {
      return error
    }
  }

  /// What came of an operation that met a fault.
  struct Meeting {
    let error: ServiceError?
    let struck: [FaultServer.Request]
  }

  func meet(_ fault: WireFault, in operation: Operation) async -> Meeting {
    await operation.prepare(service)
    patience.isShort.store(fault.isSilent, ordering: .relaxed)
    switch fault.reach {
    case .operation: proxy.arm(strikes: { operation.isAbout($0) }, fault.spoil)
    case .everything: proxy.arm(strikes: { _ in true }, fault.spoil)
    }
    let error = await run(operation)
    patience.isShort.store(false, ordering: .relaxed)
    return Meeting(error: error, struck: proxy.disarm())
  }

  /// A service layer over a configuration, that keeps nothing and asks nobody.
  static func service(
    _ configuration: String, under home: String, transport: @escaping @Sendable (TransportSettings) -> any Transport
  ) throws -> ServiceLayer {
    let keeper = MemoryKeeper()
    let surroundings = Surroundings(
      asker: StubAsker(), secrets: SecretSources(environment: [:], keeper: keeper), keeper: keeper,
      clock: SystemClock(), randomBytes: SystemRandom.bytes)
    return ServiceLayer(
      try Configuration(parsing: Array(configuration.utf8), path: "config.yaml"),
      ServiceLayer.Parts(
        makers: BackendMakers.all, transport: { settings, _ in transport(settings) },
        log: ExchangeLog(clock: SystemClock()), surroundings: surroundings, environment: [:],
        paths: StandardPaths(under: home)))
  }
}

/// How long silence is borne, and the waits that were granted without waiting.
private final class Patience: Sendable {
  let isShort = Atomic(false)
  private let waits = Mutex<[Duration]>([])

  func slept(_ wait: Duration) { waits.withLock { $0.append(wait) } }

  func takeWaits() -> [Duration] {
    waits.withLock { waits in
      defer { waits = [] }
      return waits
    }
  }
}

/// The real transport with two timeouts: a long one that a busy machine keeps, and a short one for silent servers.
private struct ImpatientTransport: Transport {
  private let patient: CurlTransport
  private let impatient: CurlTransport
  private let patience: Patience

  init(_ settings: TransportSettings, _ patience: Patience) {
    var short = settings
    short.timeout = .milliseconds(200)
    patient = CurlTransport(settings)
    impatient = CurlTransport(short)
    self.patience = patience
  }

  private var transport: CurlTransport { patience.isShort.load(ordering: .relaxed) ? impatient : patient }

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse { try await transport.send(request) }

  func download(
    _ request: HTTPRequest, to sink: any ByteSink, head: @escaping HeadHandler, progress: @escaping Progress
  ) async throws(TransportError) -> HTTPResponse {
    try await transport.download(request, to: sink, head: head, progress: progress)
  }
}

/// Takes bytes and keeps none.
final class Drain: ByteSink {
  func begin(_ head: ContentHead, at offset: Int64) {}
  func write(_ bytes: UnsafeRawBufferPointer) {}
}
