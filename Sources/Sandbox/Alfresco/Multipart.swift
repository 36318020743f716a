import Glibc
import HTTPServer

/// One part of a `multipart/form-data` body.
struct MultipartPart: Sendable {
  let name: String
  let fileName: String?
  let contentType: String?
  let content: NodeContent

  /// The part as a form field's text.
  var text: String {
    if case .bytes(let bytes) = content { return String(decoding: bytes, as: UTF8.self) }
    return ""
  }
}

/// Reads a `multipart/form-data` body piece by piece (RFC 7578); a large part goes to a file, never to memory.
struct MultipartReader {
  /// A part beyond this is spooled.
  static let memoryLimit = 1 << 20

  private enum Place { case preamble, headers, content, end }

  private let delimiter: [UInt8]
  private var place = Place.preamble
  private var pending: [UInt8] = [13, 10]
  private var head: (name: String, fileName: String?, contentType: String?) = ("", nil, nil)
  private var collected: [UInt8] = []
  private var writer: SpooledFile.Writer?
  private var parts: [MultipartPart] = []

  /// The parts in order; nil where the content type names no boundary or the body is not what it says.
  static func parts(of body: RequestBody, contentType: String) -> [MultipartPart]? {
    guard let boundary = boundary(of: contentType) else { return nil }
    var reader = MultipartReader(boundary: boundary)
    var isSound = true
    body.withChunks { chunk in
      if isSound { isSound = reader.feed(chunk) }
    }
    return isSound && reader.place == .end ? reader.parts : nil
  }

  static func boundary(of contentType: String) -> String? {
    guard contentType.lowercased().hasPrefix("multipart/form-data"),
      let range = contentType.lowercased().firstRange(of: "boundary=")
    else { return nil }
    let rest = contentType[range.upperBound...].prefix { $0 != ";" }
    let boundary = rest.filter { $0 != "\"" && $0 != " " }
    return boundary.isEmpty ? nil : String(boundary)
  }

  private init(boundary: String) { delimiter = Array("\r\n--\(boundary)".utf8) }

  /// False where the body is broken or the disk full.
  private mutating func feed(_ chunk: UnsafeRawBufferPointer) -> Bool {
    pending.append(contentsOf: chunk)
    while true {
      switch place {
      case .preamble:
        guard let found = find(delimiter) else { return keepTail() }
        pending.removeSubrange(..<(found + delimiter.count))
        place = .headers
      case .headers:
        guard pending.count >= 2 else { return true }
        if pending.starts(with: Array("--".utf8)) {
          place = .end
          return true
        }
        guard let end = find([13, 10, 13, 10]) else { return pending.count < 65_536 }
        readHead(String(decoding: pending[..<end], as: UTF8.self))
        pending.removeSubrange(..<(end + 4))
        place = .content
      case .content:
        guard let end = find(delimiter) else {
          let safe = max(0, pending.count - delimiter.count)
          guard keep(safe) else { return false }
          return true
        }
        guard keep(end) else { return false }
        pending.removeSubrange(..<delimiter.count)
        finishPart()
        place = .headers
      case .end:
        pending = []
        return true
      }
    }
  }

  private mutating func keepTail() -> Bool {
    pending.removeSubrange(..<max(0, pending.count - delimiter.count))
    return true
  }

  /// Where `needle`, which begins with a carriage return, first stands in the pending bytes.
  private func find(_ needle: [UInt8]) -> Int? {
    pending.withUnsafeBytes { hay in
      needle.withUnsafeBytes { needle in
        guard let base = hay.baseAddress, let wanted = needle.baseAddress else { return nil }
        var start = 0
        while start + needle.count <= hay.count,
          let found = memchr(base + start, Int32(needle[0]), hay.count - needle.count - start + 1)
        {
          if memcmp(found, wanted, needle.count) == 0 { return UnsafeRawPointer(found) - base }
          start = UnsafeRawPointer(found) - base + 1
        }
        return nil
      }
    }
  }

  /// Moves the first `count` pending bytes into the part.
  private mutating func keep(_ count: Int) -> Bool {
    guard count > 0 else { return true }
    defer { pending.removeSubrange(..<count) }
    if writer == nil, collected.count + count <= Self.memoryLimit {
      collected += pending[..<count]
      return true
    }
    if writer == nil {
      guard let opened = SpooledFile.Writer() else { return false }
      writer = opened
      guard collected.withUnsafeBytes({ opened.write($0) }) else { return false }
      collected = []
    }
    return pending.withUnsafeBytes { writer?.write(UnsafeRawBufferPointer(rebasing: $0[..<count])) } ?? false
  }

  private mutating func finishPart() {
    let content: NodeContent = writer.map { .spooled($0.finished()) } ?? .bytes(collected)
    parts.append(
      MultipartPart(name: head.name, fileName: head.fileName, contentType: head.contentType, content: content))
    collected = []
    writer = nil
  }

  private mutating func readHead(_ text: String) {
    head = ("", nil, nil)
    for line in text.split(separator: "\r\n") {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      switch line[..<colon].lowercased() {
      case "content-type": head.contentType = String(value)
      case "content-disposition":
        head.name = Self.parameter("name", of: value) ?? ""
        let extended = Self.parameter("filename*", of: value)
        head.fileName =
          extended.flatMap { $0.split(separator: "'").last.map { PercentEncoding.decode($0) } }
          ?? Self.parameter("filename", of: value)
      default: break
      }
    }
  }

  /// The value of a parameter of a header; `\"` and, as browsers write it, `%22` stand for a quote.
  static func parameter(_ name: String, of header: Substring) -> String? {
    var rest = header
    while let mark = rest.firstIndex(of: ";") {
      rest = rest[rest.index(after: mark)...].drop { $0 == " " }
      guard rest.lowercased().hasPrefix("\(name)=") else { continue }
      var value = rest.dropFirst(name.count + 1)
      guard value.first == "\"" else { return String(value.prefix { $0 != ";" }) }
      value = value.dropFirst()
      var text = ""
      while let character = value.popFirst(), character != "\"" {
        if character == "\\", let next = value.popFirst() { text.append(next) } else { text.append(character) }
      }
      return text.replacing("%22", with: "\"").replacing("%0D", with: "\r").replacing("%0A", with: "\n")
    }
    return nil
  }
}
