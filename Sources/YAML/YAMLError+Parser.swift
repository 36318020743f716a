internal import CYaml

extension YAMLError {
  /// What libyaml reports, in plain words and at the place where it noticed.
  init(_ parser: yaml_parser_t) {
    let problem = parser.problem.map { String(cString: $0) } ?? "there is not enough memory"
    let context = parser.context.map { String(cString: $0) } ?? ""
    switch parser.error {
    case YAML_READER_ERROR:
      let value = parser.problem_value
      let what = value >= 0 ? " (0x\(String(value, radix: 16)))" : ""
      self.init("\(Self.plain[problem] ?? problem)\(what)", at: YAMLPosition(parser.mark))
    case YAML_SCANNER_ERROR, YAML_PARSER_ERROR:
      var message = Self.plain[problem] ?? (context.isEmpty ? problem : "\(problem) \(context)")
      if problem == "found unexpected end of stream", context.contains("quoted") {
        message = "the text in quotes that begins at \(YAMLPosition(parser.context_mark)) has no closing quote"
      }
      self.init(message, at: YAMLPosition(parser.problem_mark))
    default:
      self.init(problem, at: YAMLPosition(parser.mark))
    }
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
    "block sequence entries are not allowed in this context": "a list item cannot stand here; check the indentation",
    "block mapping entries are not allowed in this context": "a key cannot stand here; check the indentation",
  ]
}
