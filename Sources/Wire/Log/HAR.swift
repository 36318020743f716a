import JSON
import Model

/// Exchanges in the HTTP Archive format, version 1.2.
public enum HAR {
  /// A whole archive.
  ///
  /// - Parameter version: The program's own.
  public static func archive(_ exchanges: [Exchange], version: String) -> [UInt8] {
    let log: JSONNode = [
      "log": [
        "version": "1.2", "creator": ["name": "Atrium", "version": .string(version)],
        "entries": .array(exchanges.map(entry)),
      ]
    ]
    return log.encoded(pretty: true)
  }

  static func entry(_ exchange: Exchange) -> JSONNode {
    var entry: JSONNode = [
      "startedDateTime": .string(exchange.started.rfc3339WithMilliseconds),
      "time": milliseconds(exchange.timings.total), "request": request(exchange), "response": response(exchange),
      "cache": [:], "timings": timings(exchange.timings), "comment": .string(exchange.label ?? ""),
    ]
    if let address = exchange.remoteAddress {
      entry["serverIPAddress"] = .string(host(address))
      entry["connection"] = .string(address)
    }
    return entry
  }

  private static func request(_ exchange: Exchange) -> JSONNode {
    var request: JSONNode = [
      "method": .string(exchange.method), "url": .string(exchange.url),
      "httpVersion": .string(exchange.version.isEmpty ? "HTTP/1.1" : exchange.version),
      "cookies": cookies(exchange.requestHeaders["Cookie"].map { [$0] } ?? []),
      "headers": headers(exchange.requestHeaders), "queryString": query(exchange.url), "headersSize": -1,
      "bodySize": .integer(exchange.requestBody.size),
    ]
    if exchange.requestBody.size > 0 {
      request["postData"] = [
        "mimeType": .string(exchange.requestHeaders["Content-Type"] ?? "application/octet-stream"),
        "text": .string(exchange.requestBody.text ?? ""),
        "comment": .string(exchange.requestBody.isCut ? "shortened" : ""),
      ]
    }
    return request
  }

  private static func response(_ exchange: Exchange) -> JSONNode {
    var response: JSONNode = [
      "status": .int(exchange.status), "statusText": .string(""),
      "httpVersion": .string(exchange.version.isEmpty ? "HTTP/1.1" : exchange.version),
      "cookies": cookies(exchange.responseHeaders.values(for: "Set-Cookie")),
      "headers": headers(exchange.responseHeaders), "content": content(exchange),
      "redirectURL": .string(exchange.responseHeaders["Location"] ?? ""), "headersSize": -1, "bodySize": -1,
    ]
    if case .failed(let reason) = exchange.state { response["comment"] = .string(reason) }
    return response
  }

  private static func content(_ exchange: Exchange) -> JSONNode {
    let body = exchange.responseBody
    var content: JSONNode = [
      "size": .integer(body.size),
      "mimeType": .string(exchange.responseHeaders["Content-Type"] ?? "application/octet-stream"),
    ]
    if let text = body.text { content["text"] = .string(text) }
    if body.isCut || body.text == nil { content["comment"] = .string(body.text == nil ? "not text" : "shortened") }
    return content
  }

  private static func headers(_ headers: HTTPHeaders) -> JSONNode {
    .array(headers.fields.map { ["name": .string($0.name), "value": .string($0.value)] })
  }

  /// Names alone: every value is a secret.
  private static func cookies(_ lines: [String]) -> JSONNode {
    .array(
      lines.flatMap { $0.split(separator: ";") }.filter { $0.contains(SensitiveNames.mark) }.map { pair in
        let name = pair.prefix { $0 != "=" }.drop { $0 == " " }
        return ["name": .string(String(name)), "value": .string(SensitiveNames.mark)]
      })
  }

  private static func query(_ url: String) -> JSONNode {
    guard let mark = url.firstIndex(of: "?") else { return [] }
    return .array(
      URLForm.decode(url[url.index(after: mark)...].prefix { $0 != "#" })
        .map { ["name": .string($0.name), "value": .string($0.value)] })
  }

  /// -1 stands for a phase that does not apply; sending is part of the wait.
  private static func timings(_ timings: HTTPTimings) -> JSONNode {
    let connected = timings.connect + timings.tls
    return [
      "blocked": -1, "dns": timings.reusedConnection ? -1 : milliseconds(timings.lookup),
      "connect": timings.reusedConnection ? -1 : milliseconds(connected),
      "ssl": timings.tls == .zero ? -1 : milliseconds(timings.tls), "send": 0, "wait": milliseconds(timings.wait),
      "receive": milliseconds(timings.receive),
    ]
  }

  /// Exact to the microsecond.
  private static func milliseconds(_ duration: Duration) -> JSONNode {
    let micro = duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
    let fraction = String(1000 + micro % 1000).dropFirst()
    return .number("\(micro / 1000).\(fraction)")
  }

  private static func host(_ address: String) -> String {
    guard let colon = address.lastIndex(of: ":") else { return address }
    return address[..<colon].filter { $0 != "[" && $0 != "]" }
  }
}

extension Timestamp {
  /// Always with milliseconds, as archives have it.
  fileprivate var rfc3339WithMilliseconds: String {
    let text = rfc3339
    return text.contains(".") ? text : "\(text.dropLast()).000Z"
  }
}
