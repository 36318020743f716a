/// Blanks the values of sensitive members in JSON text, broken or cut off as it may be, and leaves the rest as it is.
struct JSONRedaction {
  private let bytes: UnsafeRawBufferPointer
  private var output: [UInt8] = []
  private var index = 0
  /// For each open container, whether its direct values are secret.
  private var containers: [Bool] = []
  /// The next value belongs to a sensitive key.
  private var isArmed = false
  /// What was blanked, for those who want to know it elsewhere.
  private(set) var found: [[UInt8]] = []

  static func redact(_ bytes: UnsafeRawBufferPointer) -> (output: [UInt8], found: [[UInt8]]) {
    var redaction = JSONRedaction(bytes)
    redaction.run()
    return (redaction.output, redaction.found)
  }

  private init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    output.reserveCapacity(bytes.count)
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
        copy(1)
      case UInt8(ascii: ","):
        isArmed = false
        copy(1)
      case UInt8(ascii: "-"), 0x30...0x39, 0x61...0x7A:
        scalar()
      default:
        copy(1)
      }
    }
  }

  private var isSecret: Bool { isArmed || containers.last == true }

  private mutating func open(isSecret: Bool) {
    containers.append(isSecret)
    isArmed = false
    copy(1)
  }

  private mutating func copy(_ count: Int) {
    output.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[index..<index + count]))
    index += count
  }

  private mutating func string() {
    let end = endOfString()
    let isClosed = end < bytes.count
    let content = UnsafeRawBufferPointer(rebasing: bytes[index + 1..<end])
    var next = min(end + 1, bytes.count)
    while next < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[next]) { next += 1 }
    if next < bytes.count, bytes[next] == UInt8(ascii: ":") {
      isArmed = SensitiveNames.isField(Self.unescaped(content))
      copy(next + 1 - index)
      return
    }
    guard isSecret, !content.isEmpty else { return copy(min(end + 1, bytes.count) - index) }
    found.append(Self.unescaped(content))
    output.append(UInt8(ascii: "\""))
    output.append(contentsOf: SensitiveNames.mark.utf8)
    if isClosed { output.append(UInt8(ascii: "\"")) }
    index = min(end + 1, bytes.count)
    isArmed = false
  }

  /// Index of the closing quote, or the end of the text.
  private func endOfString() -> Int {
    var end = index + 1
    while end < bytes.count, bytes[end] != UInt8(ascii: "\"") { end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1 }
    return min(end, bytes.count)
  }

  /// A number is as secret as a string; `true`, `false` and `null` tell nothing.
  private mutating func scalar() {
    var end = index
    while end < bytes.count, ![0x2C, 0x7D, 0x5D, 0x20, 0x0A, 0x0D, 0x09].contains(bytes[end]) { end += 1 }
    let isWord = (0x61...0x7A).contains(bytes[index])
    guard isSecret, !isWord else { return copy(end - index) }
    output.append(contentsOf: "\"\(SensitiveNames.mark)\"".utf8)
    index = end
    isArmed = false
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
