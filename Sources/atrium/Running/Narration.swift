import OMCE
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

  /// Headers and bodies as the profile of the connection bounds them; secrets are gone from the log already.
  static func lines(of exchange: Exchange, _ profile: ProfileLogging) -> [String] {
    var lines = ["\(exchange.method) \(exchange.url)"]
    lines += fields(exchange.requestHeaders, profile) + body(exchange.requestBody, profile)
    guard exchange.status > 0 else { return lines }
    lines.append("\(exchange.version) \(exchange.status)")
    return lines + fields(exchange.responseHeaders, profile) + body(exchange.responseBody, profile)
  }

  private static func fields(_ headers: HTTPHeaders, _ profile: ProfileLogging) -> [String] {
    headers.fields.map { "  \($0.name): \(profile.cut(header: $0.value))" }
  }

  private static func body(_ body: Exchange.Body, _ profile: ProfileLogging) -> [String] {
    guard body.size > 0 else { return [] }
    guard let text = profile.cut(body: body.bytes), !text.isEmpty else { return ["  (\(body.size) bytes)"] }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)" }
  }
}
