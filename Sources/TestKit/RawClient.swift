import Glibc

/// A blocking TCP client for tests that must see or send the exact bytes; reads give up after ten seconds.
///
/// Use it from one thread at a time.
package final class RawClient {
  package struct Failure: Error { package let call: String, number: Int32 }

  private let descriptor: Int32

  package init(port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Failure(call: "socket", number: errno) }
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    inet_pton(AF_INET, "127.0.0.1", &name.sin_addr)
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let connected = withUnsafeBytes(of: &name) {
      connect(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), size)
    }
    // `deinit` closes it: this is a whole object already, and a number closed twice may be somebody else's by then.
    guard connected == 0 else { throw Failure(call: "connect", number: errno) }
  }

  deinit { close(descriptor) }

  package func send(_ text: String) throws {
    try send(Array(text.utf8))
  }

  package func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard sent > 0 else { throw Failure(call: "send", number: errno) }
      rest = rest.dropFirst(sent)
    }
  }

  /// What arrives next; empty once the other side has closed.
  package func receive(max: Int = 64 << 10) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: max)
    let count = recv(descriptor, &buffer, max, 0)
    if count < 0, errno == ECONNRESET { return [] }
    guard count >= 0 else { throw Failure(call: "recv", number: errno) }
    return Array(buffer[..<count])
  }

  /// Everything until the other side closes.
  package func receiveAll() throws -> String {
    var all: [UInt8] = []
    while true {
      let piece = try receive()
      if piece.isEmpty { return String(decoding: all, as: UTF8.self) }
      all += piece
    }
  }

  /// Reads until `mark` has arrived, and returns everything up to and with it, perhaps more.
  package func receive(until mark: String) throws -> String {
    var all = ""
    while !all.contains(mark) {
      let piece = try receive()
      if piece.isEmpty { return all }
      all += String(decoding: piece, as: UTF8.self)
    }
    return all
  }
}
