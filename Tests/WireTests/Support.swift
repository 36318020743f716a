import FoundationEssentials
import HTTPServer
import Model
import Synchronization
import TestKit
import Testing
import Wire

/// Starts a server for the length of a test.
func withServer<Result>(
  _ handler: @escaping HTTPServer.Handler, _ body: (HTTPServer) async throws -> Result
) async throws -> Result {
  let server = try HTTPServer(handler: handler)
  defer { server.stop() }
  return try await body(server)
}

/// Starts a misbehaving server for the length of a test.
func withFaults<Result>(
  onConnect: [FaultServer.Step] = [], _ script: @escaping FaultServer.Script,
  _ body: (FaultServer) async throws -> Result
) async throws -> Result {
  let server = try FaultServer(onConnect: onConnect, script: script)
  defer { server.stop() }
  return try await body(server)
}

/// An address of a test; one that is none goes nowhere.
func url(_ text: String) -> URL { URL(string: text) ?? URL(filePath: "/none") }

/// Reads bytes from memory, and fails or stalls where told.
final class ScriptedSource: ByteSource {
  struct Broken: Error {}

  let count: Int64?
  private let pieces: Mutex<[[UInt8]]>
  private let breaks: Bool

  init(_ pieces: [[UInt8]], count: Int64?, breaks: Bool = false) {
    self.pieces = Mutex(pieces)
    self.count = count
    self.breaks = breaks
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let piece = pieces.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    guard let piece else {
      if breaks { throw Broken() }
      return 0
    }
    piece.withUnsafeBytes { buffer.copyMemory(from: $0) }
    return piece.count
  }

  func rewind() throws {}
}

/// A sink whose owner decides when a write may go on.
final class GatedSink: ByteSink {
  struct Full: Error {}

  let received = Mutex(0)
  private let limit: Int

  /// - Parameter limit: Bytes after which it fails, as a full disk does.
  init(limit: Int = .max) { self.limit = limit }

  func begin(_ head: ContentHead, at offset: Int64) {}

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    let total = received.withLock { received in
      received += bytes.count
      return received
    }
    if total > limit { throw Full() }
  }
}
