import Model
import Screens
import Wire

extension ExchangeInfo {
  /// An exchange of the log as the browser shows it.
  ///
  /// - Parameter isTimed: Whether it says how long it took.
  init(_ exchange: Exchange, isTimed: Bool) {
    var failure: String?
    if case .failed(let reason) = exchange.state { failure = reason }
    let timings = exchange.timings
    let phases: [(String, Duration)] = [
      ("resolve", timings.lookup), ("connect", timings.connect), ("TLS", timings.tls), ("wait", timings.wait),
      ("receive", timings.receive),
    ]
    self.init(
      id: exchange.id, connection: exchange.connection, started: exchange.started, method: exchange.method,
      url: exchange.url, status: exchange.status == 0 ? nil : exchange.status, failure: failure,
      version: exchange.version, bytes: exchange.state == .answered ? exchange.responseBody.size : nil,
      phases: isTimed ? phases.map { Phase($0.0, $0.1.milliseconds) } : [],
      requestHeaders: exchange.requestHeaders.fields.map { Header($0.name, $0.value) },
      responseHeaders: exchange.responseHeaders.fields.map { Header($0.name, $0.value) },
      requestBody: exchange.requestBody.bytes, responseBody: exchange.responseBody.bytes,
      isBodyCut: exchange.responseBody.isCut, curl: exchange.curlCommand)
  }
}

extension Duration {
  fileprivate var milliseconds: Double {
    Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15
  }
}
