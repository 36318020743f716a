import Model

/// Secrets that were taken out where an exchange was recorded: `«redacted»` stands for each, and is seen as such.
enum RedactionMarks {
  /// A text with its marks in a style of their own.
  static func spans(_ text: String, _ style: Style) -> [Span] {
    guard text.contains("«") else { return [Span(text, style)] }
    var spans: [Span] = []
    var rest = text[...]
    while let start = rest.firstIndex(of: "«"), let end = rest[start...].firstIndex(of: "»") {
      if start > rest.startIndex { spans.append(Span(String(rest[..<start]), style)) }
      spans.append(Span(String(rest[start...end]), Style(.secret, on: style.ground, bold: true)))
      rest = rest[rest.index(after: end)...]
    }
    return rest.isEmpty ? spans : spans + [Span(String(rest), style)]
  }

  static func line(_ line: Line) -> Line { Line(line.spans.flatMap { spans($0.text, $0.style) }) }

  static func count(in text: String) -> Int {
    text.split(separator: "«", omittingEmptySubsequences: false).dropFirst().count { $0.contains("»") }
  }

  /// In address, headers and bodies together.
  static func count(in exchange: ExchangeInfo) -> Int {
    let headers = (exchange.requestHeaders + exchange.responseHeaders).map(\.value)
    let bodies = [exchange.requestBody, exchange.responseBody].map { String(decoding: $0, as: UTF8.self) }
    return ([exchange.url] + headers + bodies).reduce(0) { $0 + count(in: $1) }
  }
}
