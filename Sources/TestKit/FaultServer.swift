import Glibc
import Synchronization

/// A server on loopback that misbehaves exactly as told.
///
/// It reads a request, asks the script what to do, does it, and reads the next one on the same connection.
package final class FaultServer: Sendable {
  package enum Step: Sendable {
    case send([UInt8])
    /// The same bytes, each in a packet of its own.
    case trickle([UInt8])
    /// The same bytes again and again; they are never held more than once.
    case flood([UInt8], times: Int)
    /// Says nothing until the client hangs up or the server stops.
    case silence
    /// Ends the connection in good order.
    case close
    /// Ends it with a TCP reset.
    case reset

    package static func send(_ text: String) -> Step { .send(Array(text.utf8)) }
  }

  package struct Request: Sendable {
    /// Counts connections from 0.
    package let connection: Int
    /// Counts the requests of this connection from 0.
    package let ordinal: Int
    /// Head and body as they arrived.
    package let bytes: [UInt8]
    package var text: String { String(decoding: bytes, as: UTF8.self) }
    package var method: String { String(text.prefix { $0 != " " }) }
    package var target: String { String(text.split(separator: " ", maxSplits: 2).dropFirst().first ?? "") }
  }

  package typealias Script = @Sendable (Request) -> [Step]

  private struct State {
    var requests: [Request] = []
    var connections: [Int32: Int] = [:]
    var accepted = 0
    var isListening = true
    var isStopped = false
  }

  package let port: UInt16
  private let listener: Int32
  private let onConnect: [Step]
  private let script: Script
  private let state = Mutex(State())

  /// - Parameters:
  ///   - onConnect: Done before anything is read, for a server that closes or resets at once.
  package init(onConnect: [Step] = [], script: @escaping Script) throws {
    (listener, port) = try Self.listen()
    self.onConnect = onConnect
    self.script = script
    spawn { [self] in acceptAll() }
  }

  /// Does the same for every request.
  package convenience init(_ steps: Step...) throws {
    try self.init { _ in steps }
  }

  package var origin: String { "http://127.0.0.1:\(port)" }
  package var requests: [Request] { state.withLock { $0.requests } }
  package var connections: Int { state.withLock { $0.accepted } }

  /// A port on which nothing listens.
  ///
  /// It stays taken, so that no other server comes to it while a test counts on nobody being there.
  package static func closedPort() throws -> UInt16 {
    let (socket, port) = try bound()
    closedPorts.withLock { $0.append(socket) }
    return port
  }

  private static let closedPorts = Mutex<[Int32]>([])

  package func stop() {
    // Under the lock: a number that is closed meanwhile may be somebody else's already.
    state.withLock { state in
      state.isStopped = true
      if state.isListening { shutdown(listener, Int32(SHUT_RDWR)) }
      for socket in state.connections.keys { shutdown(socket, Int32(SHUT_RDWR)) }
    }
  }

  private static func listen() throws -> (socket: Int32, port: UInt16) {
    let (socket, port) = try bound()
    guard Glibc.listen(socket, 64) == 0 else { throw RawClient.Failure(call: "listen", number: errno) }
    return (socket, port)
  }

  private static func bound() throws -> (socket: Int32, port: UInt16) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    inet_pton(AF_INET, "127.0.0.1", &name.sin_addr)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isUp = withUnsafeMutableBytes(of: &name) { bytes in
      guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
      return bind(descriptor, address, size) == 0 && getsockname(descriptor, address, &size) == 0
    }
    guard isUp else { throw RawClient.Failure(call: "bind", number: errno) }
    return (descriptor, UInt16(bigEndian: name.sin_port))
  }

  private func acceptAll() {
    while true {
      let socket = accept(listener, nil, nil)
      if socket < 0, errno == EINTR || errno == ECONNABORTED { continue }
      guard socket >= 0 else { break }
      _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
      let number = state.withLock { state -> Int? in
        guard !state.isStopped else { return nil }
        defer { state.accepted += 1 }
        state.connections[socket] = state.accepted
        return state.accepted
      }
      guard let number else {
        close(socket)
        break
      }
      spawn { [self] in serve(FaultConnection(socket), number: number) }
    }
    state.withLock { state in
      state.isListening = false
      close(listener)
    }
  }

  private func serve(_ connection: FaultConnection, number: Int) {
    var goesOn = onConnect.allSatisfy { connection.perform($0) }
    var ordinal = 0
    while goesOn, let bytes = connection.readRequest() {
      let request = Request(connection: number, ordinal: ordinal, bytes: bytes)
      state.withLock { $0.requests.append(request) }
      goesOn = script(request).allSatisfy { connection.perform($0) }
      ordinal += 1
    }
    state.withLock { state in
      state.connections[connection.socket] = nil
      close(connection.socket)
    }
  }
}

/// One accepted connection; used by its own thread only.
private final class FaultConnection {
  let socket: Int32
  private var unread: [UInt8] = []

  init(_ socket: Int32) {
    self.socket = socket
    var yes: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
  }

  /// - Returns: Whether the connection goes on.
  func perform(_ step: FaultServer.Step) -> Bool {
    switch step {
    case .send(let bytes):
      return write(bytes[...])
    case .trickle(let bytes):
      return bytes.indices.allSatisfy { write(bytes[$0...$0]) }
    case .flood(let bytes, let times):
      return (0..<times).allSatisfy { _ in write(bytes[...]) }
    case .silence:
      while receive() {}
      return false
    case .close:
      return false
    case .reset:
      var hard = linger(l_onoff: 1, l_linger: 0)
      setsockopt(socket, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
      return false
    }
  }

  /// Head and body of the next request; nil once the client is gone.
  func readRequest() -> [UInt8]? {
    var end: Int?
    while end == nil {
      end = Self.headEnd(unread)
      if end == nil, !receive() { return nil }
    }
    guard let end else { return nil }
    let head = String(decoding: unread[..<end], as: UTF8.self)
    let fields = head.lowercased().split(separator: "\r\n")
    if fields.contains("expect: 100-continue") { _ = write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)[...]) }
    let length = fields.first { $0.hasPrefix("content-length:") }.flatMap { Int($0.dropFirst(15).filter(\.isNumber)) }
    while unread.count < end + (length ?? 0) { if !receive() { break } }
    if fields.contains("transfer-encoding: chunked") {
      while !unread.suffix(5).elementsEqual("0\r\n\r\n".utf8) { if !receive() { break } }
      defer { unread = [] }
      return unread
    }
    let total = min(unread.count, end + (length ?? 0))
    defer { unread.removeFirst(total) }
    return Array(unread[..<total])
  }

  private static func headEnd(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 4 else { return nil }
    let mark = Array("\r\n\r\n".utf8)
    return bytes.firstRange(of: mark)?.upperBound
  }

  private func receive() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = recv(socket, &buffer, buffer.count, 0)
    guard count > 0 else { return false }
    unread += buffer[..<count]
    return true
  }

  private func write(_ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard sent > 0 else { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }
}

/// Runs a function on a thread of its own.
private func spawn(_ body: @escaping @Sendable () -> Void) {
  final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  let context = Unmanaged.passRetained(Box(body)).toOpaque()
  let failure = pthread_create(
    &thread, nil,
    { context in
      guard let context else { return nil }
      Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
      return nil
    }, context)
  if failure == 0 { pthread_detach(thread) } else { Unmanaged<Box>.fromOpaque(context).release() }
}
