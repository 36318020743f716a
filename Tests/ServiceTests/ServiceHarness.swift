import Model
import Store
import TestKit
import Wire

@testable import Service

/// A service layer over stub back ends, with nothing of this machine in it.
struct Harness {
  let directory: TemporaryDirectory
  let service: ServiceLayer
  let questions = QuestionQueue()

  init(_ backend: StubBackend, settings: String = "") throws {
    directory = try TemporaryDirectory()
    let text = "connections:\n- { name: bank, kind: openbank, url: 'http://127.0.0.1/' \(settings) }\n"
    let configuration = try Configuration(parsing: Array(text.utf8), path: "config.yaml")
    let keeper = MemoryKeeper()
    let surroundings = Surroundings(
      asker: questions, secrets: SecretSources(environment: [:], keeper: keeper), keeper: keeper, clock: StillClock(),
      randomBytes: { [UInt8](repeating: 7, count: $0) })
    service = ServiceLayer(
      configuration,
      ServiceLayer.Parts(
        makers: [.openbank: { _, _, _ throws(ServiceError) in backend }], transport: { _, _ in NoTransport() },
        log: ExchangeLog(clock: StillClock()), surroundings: surroundings, environment: [:],
        paths: StandardPaths(under: directory.file("home"))))
  }
}

let banks = Location(connection: "bank", path: ["banks"])

struct StillClock: WallClock {
  func now() -> Timestamp { Timestamp(seconds: 1_000_000) }
}

/// Stubs send nothing.
struct NoTransport: Transport {
  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    throw TransportError(.unreachable, "no transport")
  }

  func download(
    _ request: HTTPRequest, to sink: any ByteSink, head: @escaping HeadHandler, progress: @escaping Progress
  ) async throws(TransportError) -> HTTPResponse {
    throw TransportError(.unreachable, "no transport")
  }
}

struct NoSink: ByteSink {
  func begin(_ head: ContentHead, at offset: Int64) {}
  func write(_ bytes: UnsafeRawBufferPointer) {}
}

/// Runs the body and gives back what it threw.
func failure<Value>(_ body: () async throws(ServiceError) -> Value) async -> ServiceError? {
  do throws(ServiceError) {
    _ = try await body()
    return nil
  } catch {
    return error
  }
}

/// Returns when the task is cancelled.
func cancellation() async {
  let stream = AsyncStream<Never> { _ in }
  for await _ in stream {}
}
