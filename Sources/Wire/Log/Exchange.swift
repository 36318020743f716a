public import Model

/// One request and what became of it, without its secrets.
public struct Exchange: Sendable, Identifiable {
  public enum State: Sendable, Equatable {
    case running
    case answered
    case failed(String)
  }

  /// What is kept of a body: the beginning, and how long it was.
  public struct Body: Sendable, Equatable {
    public var bytes: [UInt8] = []
    /// Bytes in all; those of an upload before, those of an answer after decompression.
    public var size: Int64 = 0
    public var isCut = false

    public init() {}

    /// Nil where it is not text.
    public var text: String? {
      bytes.contains(0) ? nil : String(validating: isCut ? bytes.droppingBrokenEnd : bytes, as: UTF8.self)
    }
  }

  /// Counts from 1, in the order of starting.
  public let id: Int
  public let connection: String
  /// What it was for, in words.
  public let label: String?
  public let started: Timestamp
  public let method: String
  public let url: String
  public let requestHeaders: HTTPHeaders
  public let requestBody: Body

  public internal(set) var state = State.running
  /// 0 until there is an answer.
  public internal(set) var status = 0
  public internal(set) var version = ""
  public internal(set) var responseHeaders: HTTPHeaders = [:]
  public internal(set) var responseBody = Body()
  public internal(set) var timings = HTTPTimings()
  public internal(set) var remoteAddress: String?

  /// Memory it takes, roughly.
  var cost: Int { 600 + requestBody.bytes.count + responseBody.bytes.count + url.utf8.count }
}

extension [UInt8] {
  /// Without the first bytes of a character that was cut in two.
  fileprivate var droppingBrokenEnd: [UInt8] {
    var end = count
    var steps = 0
    while end > 0, steps < 4, self[end - 1] & 0xC0 == 0x80 {
      end -= 1
      steps += 1
    }
    if end > 0, self[end - 1] >= 0xC0 { end -= 1 } else { end += steps }
    return Array(self[..<Swift.min(end, count)])
  }
}

extension Exchange {
  /// Everything as text, as an inspector or a pager shows it.
  public var text: String {
    var lines = ["\(method) \(url)"]
    lines += requestHeaders.fields.map { "\($0.name): \($0.value)" }
    lines += [""] + Self.lines(of: requestBody)
    switch state {
    case .running:
      lines.append("(no answer yet)")
    case .failed(let reason):
      lines.append("(no answer: \(reason))")
    case .answered:
      lines.append("\(version) \(status)")
      lines += responseHeaders.fields.map { "\($0.name): \($0.value)" }
      lines += [""] + Self.lines(of: responseBody)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func lines(of body: Body) -> [String] {
    guard body.size > 0 else { return [] }
    guard let text = body.text, !text.isEmpty else { return ["(\(body.size) bytes)", ""] }
    return [text] + (body.isCut ? ["(the first \(body.bytes.count) of \(body.size) bytes)"] : []) + [""]
  }

  /// A command that repeats the request, with `$TOKEN`, `$COOKIE` and `$SECRET` where secrets were.
  public var curlCommand: String {
    var words = ["curl"]
    if method == "HEAD" { words.append("--head") } else if method != "GET" { words += ["-X", Self.quoted(method)] }
    words.append(Self.quoted(url, secret: "SECRET"))
    for field in requestHeaders.fields {
      let name = field.name.lowercased()
      let secret = name.contains("cookie") ? "COOKIE" : name.contains("authorization") ? "TOKEN" : "SECRET"
      words += ["-H", Self.quoted("\(field.name): \(field.value)", secret: secret)]
    }
    if requestBody.size > 0 {
      if let text = requestBody.text, !requestBody.isCut {
        words += ["--data-raw", Self.quoted(text, secret: "SECRET")]
      } else {
        words += ["--data-binary", "@FILE"]
      }
    }
    return words.joined(separator: " ")
  }

  /// Single quotes keep everything from the shell; marks become variables in double quotes.
  private static func quoted(_ text: String, secret: String = "SECRET") -> String {
    let parts = text.split(separator: SensitiveNames.mark, omittingEmptySubsequences: false)
    let quoted = parts.map { $0.isEmpty && parts.count > 1 ? "" : "'\($0.replacing("'", with: "'\\''"))'" }
    return quoted.joined(separator: "\"$\(secret)\"")
  }
}
