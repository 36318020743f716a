import Wire

/// An exchange in one line, for `--log-level info`; `debug` adds what it was for, how long it took and how much came.
enum Narration {
  static func line(of exchange: Exchange, isDetailed: Bool) -> String {
    var end = "\(exchange.status)"
    if case .failed(let reason) = exchange.state { end = "failed: \(reason)" }
    if isDetailed {
      let milliseconds = exchange.timings.total / .milliseconds(1)
      end += " in \(Int(milliseconds)) ms, sent \(exchange.requestBody.size) B, got \(exchange.responseBody.size) B"
      if let label = exchange.label { end += ", to \(label)" }
    }
    return "\(exchange.connection): \(exchange.method) \(exchange.url) → \(end)"
  }
}
