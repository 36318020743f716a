/// Blanks the values of sensitive members in JSON text, broken or cut off as it may be, and leaves the rest as it is.
struct JSONRedaction {
  private let bytes: UnsafeRawBufferPointer
  private var output: [UInt8] = []
  private var index = 0
  /// Everything before stands in the output already.
  private var copied = 0
  /// For each open container, whether its direct values are secret.
  private var containers: [Bool] = []
  /// The next value belongs to a sensitive key.
  private var isArmed = false
  /// What was blanked, for those who want to know it elsewhere.
  private var found: [[UInt8]] = []

  static func redact(_ bytes: UnsafeRawBufferPointer) -> (output: [UInt8], found: [[UInt8]]) {
    var redaction = JSONRedaction(bytes)
    redaction.run()
    return (redaction.output, redaction.found)
  }

  private init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    output.reserveCapacity(bytes.count + 64)
  }

  private mutating func run() {
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        string()
      case UInt8(ascii: "{"):
        open(isSecret: false)
      case UInt8(ascii: "["):
        open(isSecret: isArmed)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        _ = containers.popLast()
        index += 1
      case UInt8(ascii: ","):
        isArmed = false
        index += 1
      case UInt8(ascii: "-"), 0x30...0x39, 0x61...0x7A:
        scalar()
      default:
        index += 1
      }
    }
    copy(upTo: bytes.count)
  }

  private var isSecret: Bool { isArmed || containers.last == true }

  private mutating func open(isSecret: Bool) {
    containers.append(isSecret)
    isArmed = false
    index += 1
  }

  private mutating func copy(upTo end: Int) {
    output.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[copied..<end]))
    copied = end
  }

  /// Puts `text` where the bytes up to `end` were.
  private mutating func replace(upTo end: Int, with text: String) {
    copy(upTo: index)
    output.append(contentsOf: text.utf8)
    copied = end
    index = end
    isArmed = false
  }

  private mutating func string() {
    let end = endOfString()
    let isClosed = end < bytes.count
    let content = UnsafeRawBufferPointer(rebasing: bytes[index + 1..<end])
    let behind = min(end + 1, bytes.count)
    var next = behind
    while next < bytes.count, Self.isBlank(bytes[next]) { next += 1 }
    if next < bytes.count, bytes[next] == UInt8(ascii: ":") {
      isArmed =
        content.contains(UInt8(ascii: "\\"))
        ? SensitiveNames.isField(Self.unescaped(content)) : SensitiveNames.isField(content)
      index = next + 1
    } else if isSecret, !content.isEmpty {
      found.append(Self.unescaped(content))
      replace(upTo: behind, with: "\"\(SensitiveNames.mark)\(isClosed ? "\"" : "")")
    } else {
      index = behind
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

  /// Index of the closing quote, or the end of the text.
  private func endOfString() -> Int {
    var end = index + 1
    while end < bytes.count, bytes[end] != UInt8(ascii: "\"") { end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1 }
    return min(end, bytes.count)
  }

  /// A number is as secret as a string; `true`, `false` and `null` tell nothing.
  private mutating func scalar() {
    var end = index
    while end < bytes.count, !Self.endsScalar(bytes[end]) { end += 1 }
    let isWord = (0x61...0x7A).contains(bytes[index])
    if isSecret, !isWord { replace(upTo: end, with: "\"\(SensitiveNames.mark)\"") } else { index = end }
  }

  private static func endsScalar(_ byte: UInt8) -> Bool {
    byte == 0x2C || byte == 0x7D || byte == 0x5D || isBlank(byte)
  }

  /// Resolves `\u0041` and the short escapes; only ASCII matters here.
  private static func unescaped(_ text: UnsafeRawBufferPointer) -> [UInt8] {
    guard text.contains(UInt8(ascii: "\\")) else { return Array(text) }
    var plain: [UInt8] = []
    var rest = Array(text)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let kind = rest.popFirst() else {
        plain.append(byte)
        continue
      }
      guard kind == UInt8(ascii: "u"), rest.count >= 4,
        let code = UInt32(String(decoding: rest.prefix(4), as: UTF8.self), radix: 16), let scalar = Unicode.Scalar(code)
      else {
        plain.append([0x6E: 0x0A, 0x74: 0x09, 0x72: 0x0D][kind] ?? kind)
        continue
      }
      rest = rest.dropFirst(4)
      plain += Array(String(Character(scalar)).utf8)
    }
    return plain
  }
}
