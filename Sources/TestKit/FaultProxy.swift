import Synchronization

/// Stands before a real server on loopback: passes requests on, and spoils the answers it was told to spoil.
package final class FaultProxy: Sendable {
  /// What becomes of a request that is struck.
  ///
  /// - Parameters:
  ///   - number: Counts the struck requests from 0.
  ///   - relay: Asks the real server, and gives its whole answer.
  package typealias Spoil =
    @Sendable (_ number: Int, _ request: FaultServer.Request, _ relay: () -> [UInt8]) -> [FaultServer.Step]

  private struct State: Sendable {
    var strikes: @Sendable (FaultServer.Request) -> Bool = { _ in false }
    var spoil: Spoil = { _, _, relay in [.send(relay())] }
    var struck: [FaultServer.Request] = []
  }

  private final class Orders: Sendable {
    let state = Mutex(State())
  }

  private let orders: Orders
  private let server: FaultServer

  package init(to port: UInt16) throws {
    let orders = Orders()
    self.orders = orders
    server = try FaultServer { request in
      let relay = { FaultProxy.answer(to: request, port: port) }
      let order = orders.state.withLock { state -> (number: Int, spoil: Spoil)? in
        guard state.strikes(request) else { return nil }
        state.struck.append(request)
        return (state.struck.count - 1, state.spoil)
      }
      guard let order else { return [.send(relay())] }
      return order.spoil(order.number, request, relay)
    }
  }

  package var origin: String { server.origin }

  /// Spoils from now on the answers to the requests that `strikes` picks.
  package func arm(strikes: @escaping @Sendable (FaultServer.Request) -> Bool, _ spoil: @escaping Spoil) {
    orders.state.withLock { $0 = State(strikes: strikes, spoil: spoil) }
  }

  /// Passes everything on again; gives back the requests that were struck.
  @discardableResult
  package func disarm() -> [FaultServer.Request] {
    orders.state.withLock { state in
      defer { state = State() }
      return state.struck
    }
  }

  package func stop() { server.stop() }

  /// The real server's answer, which leaves the connection open; nothing when it cannot be had.
  private static func answer(to request: FaultServer.Request, port: UInt16) -> [UInt8] {
    guard let client = try? RawClient(port: port) else { return [] }
    var lines = head(of: request.bytes).lines.filter { !names($0, "expect") && !names($0, "connection") }
    lines.append("Connection: close")
    let body = request.bytes[head(of: request.bytes).end...]
    guard (try? client.send(bytes(lines) + body)) != nil else { return [] }
    var all: [UInt8] = []
    while let piece = try? client.receive(), !piece.isEmpty { all += piece }
    let (kept, end) = head(of: all)
    return bytes(kept.filter { !names($0, "connection") }) + all[end...]
  }

  /// The lines of a head, and where what follows it begins.
  private static func head(of bytes: [UInt8]) -> (lines: [String], end: Int) {
    guard let mark = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return ([], bytes.count) }
    let text = String(decoding: bytes[..<mark.lowerBound], as: UTF8.self)
    return (text.split(separator: "\r\n").map(String.init), mark.upperBound)
  }

  private static func names(_ line: String, _ field: String) -> Bool { line.lowercased().hasPrefix("\(field):") }

  private static func bytes(_ lines: [String]) -> [UInt8] {
    Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }
}
