/// Status line and header fields, put together line by line.
struct ResponseHead: Sendable {
  enum Progress { case reading, complete, tooLarge, unreadable }

  static let maxBytes = 256 << 10
  static let maxFields = 1000

  private(set) var status = 0
  private(set) var version = ""
  private(set) var headers = HTTPHeaders()
  private(set) var isComplete = false
  private var bytes = 0

  /// Takes one line. Interim answers (1xx) make way for the final one; trailers after it are not kept.
  mutating func add(_ line: UnsafeRawBufferPointer) -> Progress {
    bytes += line.count
    guard bytes <= Self.maxBytes, headers.fields.count < Self.maxFields else { return .tooLarge }
    guard !isComplete else { return .reading }
    let text = Self.text(line)
    if text.isEmpty {
      guard status >= 200 else { return status == 0 ? .unreadable : .reading }
      isComplete = true
      return .complete
    }
    if text.hasPrefix("HTTP/") { return begin(text) }
    if let first = text.utf8.first, first == 0x20 || first == 0x09 { return .unreadable }
    guard let colon = text.utf8.firstIndex(of: 0x3A) else { return .unreadable }
    headers.append(Self.trimmed(text[..<colon]), Self.trimmed(text[text.index(after: colon)...]))
    return .reading
  }

  private mutating func begin(_ line: String) -> Progress {
    let parts = line.split(separator: " ", maxSplits: 2)
    guard parts.count >= 2, let status = Int(parts[1]), (100...999).contains(status) else { return .unreadable }
    self.status = status
    version = parts[0] == "HTTP/2.0" ? "HTTP/2" : String(parts[0])
    headers = HTTPHeaders()
    return .reading
  }

  private static func text(_ line: UnsafeRawBufferPointer) -> String {
    var end = line.count
    while end > 0, line[end - 1] == 0x0A || line[end - 1] == 0x0D { end -= 1 }
    return String(decoding: UnsafeRawBufferPointer(rebasing: line[..<end]), as: UTF8.self)
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return String(text)
  }
}
