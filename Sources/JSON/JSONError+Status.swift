internal import CSimdjson

extension JSONError {
  /// What the parser reports, put into words; line and column are counted only now.
  init(_ failure: csimdjson_failure, in bytes: [UInt8], from base: Int) {
    let (code, reason) = Self.words(for: failure.status)
    let offset = min(Int(failure.offset) + base, bytes.count)
    let place = Self.place(of: offset, in: bytes)
    self.init(code, reason, offset: offset, line: place.line, column: place.column)
  }

  private static func words(for status: csimdjson_status) -> (Code, String) {
    switch status {
    case CSIMDJSON_EMPTY: (.empty, "there is no text")
    case CSIMDJSON_TOO_LARGE: (.tooLarge, "the text is longer than 256 MiB")
    case CSIMDJSON_TOO_DEEP: (.tooDeep, "the values are nested too deep")
    case CSIMDJSON_TOO_MANY: (.tooMany, "there are too many values")
    case CSIMDJSON_NOT_UTF8: (.notUTF8, "this byte is not UTF-8")
    case CSIMDJSON_UNFINISHED: (.unfinished, "the text ends in the middle of a value")
    case CSIMDJSON_UNCLOSED_STRING: (.unfinished, "the string that begins here has no closing quote")
    case CSIMDJSON_CONTROL_IN_STRING: (.syntax, "a control character stands in a string without being escaped")
    case CSIMDJSON_BAD_ESCAPE: (.syntax, "this backslash does not begin an escape that JSON knows")
    case CSIMDJSON_BAD_NUMBER: (.syntax, "this is not a number as JSON writes it")
    case CSIMDJSON_EXPECTED_VALUE: (.syntax, "a value must stand here")
    case CSIMDJSON_EXPECTED_NAME: (.syntax, "a member name in double quotes must stand here")
    case CSIMDJSON_EXPECTED_COLON: (.syntax, "a colon must stand here")
    case CSIMDJSON_EXPECTED_COMMA_OR_BRACE: (.syntax, "a comma or } must stand here")
    case CSIMDJSON_EXPECTED_COMMA_OR_BRACKET: (.syntax, "a comma or ] must stand here")
    case CSIMDJSON_EXPECTED_END: (.syntax, "the document has ended before this")
    default: (.outOfMemory, "there is not enough memory")
    }
  }

  static func place(of offset: Int, in bytes: [UInt8]) -> (line: Int, column: Int) {
    let before = bytes[..<offset]
    let line = 1 + before.count { $0 == UInt8(ascii: "\n") }
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    // A byte 10xxxxxx continues a character begun before it.
    return (line, 1 + bytes[lineStart..<offset].count { $0 & 0xC0 != 0x80 })
  }
}
