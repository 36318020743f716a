import Wire

/// An exchange in one line, for `--log-level info`.
enum Narration {
  static func line(of exchange: Exchange) -> String {
    var end = "\(exchange.status)"
    if case .failed(let reason) = exchange.state { end = "failed: \(reason)" }
    return "\(exchange.connection): \(exchange.method) \(exchange.url) → \(end)"
  }
}
