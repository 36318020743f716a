/// Text between the web clients' HTML and a terminal.
enum PlainText {
  /// The words of a comment: tags are dropped, paragraphs and breaks become line ends, the usual entities are read.
  static func withoutMarkup(_ html: String) -> String {
    guard html.contains("<") || html.contains("&") else { return html }
    var text = ""
    var rest = html[...]
    while let start = rest.firstIndex(where: { $0 == "<" || $0 == "&" }) {
      text += rest[..<start]
      rest = rest[start...]
      if rest.first == "<", let end = rest.firstIndex(of: ">"), isTag(rest[rest.index(after: start)..<end]) {
        let name = rest[rest.index(after: start)..<end].lowercased()
        if ["/p", "br", "br/", "br /", "/li", "/div"].contains(name), !text.hasSuffix("\n") { text += "\n" }
        rest = rest[rest.index(after: end)...]
      } else if rest.first == "&", let entity = entity(at: rest) {
        text += entity.text
        rest = rest.dropFirst(entity.length)
      } else {
        text.append(rest.removeFirst())
      }
    }
    text += rest
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }

  /// What has to be written so that a web client shows the same words.
  static func asMarkup(_ text: String) -> String {
    var html = ""
    for character in text {
      switch character {
      case "&": html += "&amp;"
      case "<": html += "&lt;"
      case ">": html += "&gt;"
      default: html.append(character)
      }
    }
    return html
  }

  /// A name, perhaps behind a slash: `a < b > c` is not a tag.
  private static func isTag(_ inside: Substring) -> Bool {
    let name = inside.first == "/" ? inside.dropFirst() : inside
    return name.first.map { $0.isASCII && $0.isLetter } ?? false
  }

  private static let named = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " "]

  private static func entity(at text: Substring) -> (text: String, length: Int)? {
    guard let end = text.prefix(12).firstIndex(of: ";") else { return nil }
    let name = text[text.index(after: text.startIndex)..<end]
    let length = text.distance(from: text.startIndex, to: end) + 1
    if let known = named[String(name)] { return (known, length) }
    guard name.first == "#" else { return nil }
    let digits = name.dropFirst()
    let code = digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return code.flatMap(Unicode.Scalar.init).map { (String(Character($0)), length) }
  }
}
