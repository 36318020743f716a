import HTTPServer
import Synchronization

/// Faults that the control endpoint has ordered, each for a door or a path, once or until `reset`.
package final class FaultPlan: Sendable {
  /// What goes wrong.
  package enum Kind: Sendable, Equatable {
    /// The answer comes this many milliseconds later.
    case latency(Int)
    /// An HTML page with this status, as a proxy in front of a broken server sends it.
    case status(Int)
    /// The answer is right, but its second half is missing.
    case truncated
    /// 429 with `Retry-After` in seconds.
    case busy(retryAfter: Int)
    /// The connection ends before the first byte of the answer's body is complete.
    case cut
  }

  /// One order.
  package struct Fault: Sendable, Equatable {
    /// A door's name, or a path prefix that begins with `/`; empty for every request.
    package let target: String
    package let kind: Kind
    /// How many requests it strikes; nil for all until `reset`.
    package var remaining: Int?

    package init(_ kind: Kind, target: String = "", times: Int? = nil) {
      self.kind = kind
      self.target = target
      remaining = times
    }

    fileprivate func strikes(door: String, path: String) -> Bool {
      target.isEmpty || target == door || (target.hasPrefix("/") && path.hasPrefix(target))
    }
  }

  private let faults = Mutex<[Fault]>([])

  package init() {}

  package func order(_ fault: Fault) { faults.withLock { $0.append(fault) } }

  package func reset() { faults.withLock { $0 = [] } }

  package var standing: [Fault] { faults.withLock { $0 } }

  /// The faults that strike this request; each is counted down.
  package func take(door: String, path: String) -> [Kind] {
    faults.withLock { faults in
      guard !faults.isEmpty else { return [] }
      var kinds: [Kind] = []
      for index in faults.indices where faults[index].strikes(door: door, path: path) {
        kinds.append(faults[index].kind)
        faults[index].remaining = faults[index].remaining.map { $0 - 1 }
      }
      faults.removeAll { $0.remaining.map { $0 <= 0 } ?? false }
      return kinds
    }
  }
}

extension FaultPlan.Kind {
  /// The answer that takes the place of the door's own; nil where the door answers first.
  var replacement: ServerResponse? {
    switch self {
    case .status(let status):
      let page = "<html><head><title>\(status)</title></head><body><h1>Something broke</h1></body></html>\n"
      return .text(page, status: status, type: "text/html; charset=utf-8")
    case .busy(let seconds):
      return .text("{\"error\":\"too many requests\"}", status: 429, type: "application/json")
        .adding("Retry-After", String(seconds))
    case .latency, .truncated, .cut:
      return nil
    }
  }

  /// What becomes of the door's answer on its way out.
  func spoil(_ response: ServerResponse) -> ServerResponse {
    var spoiled = response
    switch (self, response.body) {
    case (.truncated, .bytes(let bytes)):
      spoiled.body = .bytes(Array(bytes.prefix(bytes.count / 2)))
    case (.cut, _):
      spoiled.body = .generated(length: 4_096) { offset, into in
        guard offset == 0, !into.isEmpty else { return -1 }
        into[0] = UInt8(ascii: "{")
        return 1
      }
    default:
      break
    }
    return spoiled
  }
}
