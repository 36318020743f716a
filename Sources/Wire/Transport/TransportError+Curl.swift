import Curl

extension TransportError {
  /// Nil for a transfer that went well.
  init?(_ outcome: CurlOutcome, silence: Duration) {
    switch outcome.result {
    case .done: return nil
    case .failed(let failure):
      // On a kept connection the rest of an earlier answer, longer than it said, stands where this one should begin.
      let isLeftover = outcome.info.isReused && failure.text.contains("HTTP/0.9")
      self.init(isLeftover ? .brokenOff : Self.code(failure.kind), Self.sentence(failure.text))
    case .silent: self.init(.timedOut, "nothing arrived for \(Self.seconds(silence)) s")
    case .stopped: self.init(.interrupted, "the transfer was stopped")
    case .notLoopback: self.init(.insecure, "the name leads to another machine")
    case .cancelled: self.init(.cancelled, "it was cancelled")
    }
  }

  private static func code(_ kind: CurlFailure.Kind) -> Code {
    switch kind {
    case .missingLibrary, .badRequest: .badRequest
    case .unreachable: .unreachable
    case .timedOut: .timedOut
    case .tls: .tls
    case .brokenOff: .brokenOff
    case .tooLarge: .tooLarge
    case .unreadable: .unreadable
    }
  }

  private static func seconds(_ duration: Duration) -> String {
    let (seconds, fraction) = duration.components
    return fraction == 0 ? "\(seconds)" : "\(Double(seconds) + Double(fraction) / 1e18)"
  }

  /// libcurl's words without the full stop some of them end in.
  private static func sentence(_ text: String) -> String {
    text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}
