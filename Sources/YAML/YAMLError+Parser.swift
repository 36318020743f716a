internal import CYaml

extension YAMLError {
  /// What libyaml reports, in plain words and at the place where it noticed.
  init(_ parser: yaml_parser_t, in bytes: UnsafeBufferPointer<UInt8>) {
    let problem = parser.problem.map { String(cString: $0) } ?? "there is not enough memory"
    let context = parser.context.map { String(cString: $0) } ?? ""
    switch parser.error {
    case YAML_READER_ERROR:
      // The reader runs ahead of the marks; it knows the byte.
      let isUTF8 = !problem.contains("UTF-8") && parser.problem_value >= 0
      let which = isUTF8 ? " (U+\(String(parser.problem_value, radix: 16, uppercase: true)))" : ""
      self.init((Self.plain[problem] ?? problem) + which, at: Self.position(of: parser.problem_offset, in: bytes))
    case YAML_SCANNER_ERROR, YAML_PARSER_ERROR:
      self.init(Self.words(problem, context, parser.context_mark), at: YAMLPosition(parser.problem_mark))
    default:
      self.init(problem, at: YAMLPosition(parser.mark))
    }
  }

  private static func words(_ problem: String, _ context: String, _ contextMark: yaml_mark_t) -> String {
    let isCutOff = ["found unexpected end of stream", "found unexpected document indicator"].contains(problem)
    if isCutOff, context.contains("quoted") {
      return "the text in quotes that begins at \(YAMLPosition(contextMark)) has no closing quote"
    }
    return plain[problem] ?? (context.isEmpty ? problem : "\(problem) \(context)")
  }

  private static func position(of offset: Int, in bytes: UnsafeBufferPointer<UInt8>) -> YAMLPosition {
    let before = bytes[..<min(offset, bytes.count)]
    let line = before.reversed().prefix { $0 != 0x0A }
    return YAMLPosition(line: 1 + before.count { $0 == 0x0A }, column: 1 + line.count { $0 & 0xC0 != 0x80 })
  }

  /// libyaml's sentences that people meet, by what they can do about them.
  private static let plain = [
    "control characters are not allowed": "a control character is not allowed here",
    "invalid leading UTF-8 octet": "this byte is not UTF-8",
    "invalid trailing UTF-8 octet": "this byte is not UTF-8",
    "incomplete UTF-8 octet sequence": "the text ends in the middle of a character",
    "invalid length of a UTF-8 sequence": "this byte is not UTF-8",
    "invalid Unicode character": "this is no character of Unicode",
    "mapping values are not allowed in this context":
      "a colon cannot stand here; put the text in quotes or check the indentation",
    "did not find expected key": "a key must stand here; check the indentation and the quotes above",
    "did not find expected '-' indicator": "an item beginning with - must stand here; check the indentation",
    "did not find expected ',' or ']'": "a comma or ] must stand here",
    "did not find expected ',' or '}'": "a comma or } must stand here",
    "did not find expected node content": "a value must stand here",
    "did not find expected <document start>": "the document has ended before this; check the indentation",
    "could not find expected ':'": "a colon and a space must follow the key above",
    "found character that cannot start any token":
      "a value cannot begin with this character; put the text in quotes, and use spaces, not tabs, to indent",
    "found a tab character where an indentation space is expected": "use spaces, not tabs, to indent",
    "found a tab character that violates indentation": "use spaces, not tabs, to indent",
    "found unknown escape character": "this backslash does not begin an escape that YAML knows",
    "did not find expected hexdecimal number": "\\x, \\u and \\U take 2, 4 and 8 hexadecimal digits",
    "found invalid Unicode character escape code": "this escape stands for no character of Unicode",
    "did not find expected comment or line break": "after | or > the text begins on the next line",
    "did not find expected alphabetic or numeric character":
      "the name of an anchor or alias has letters and digits only",
    "found unexpected ':'": "a colon cannot stand here; put the text in quotes",
    "mapping keys are not allowed in this context": "a key cannot stand here; check the indentation",
    "block sequence entries are not allowed in this context": "a list item cannot stand here; check the indentation",
    "block mapping entries are not allowed in this context": "a key cannot stand here; check the indentation",
  ]
}
