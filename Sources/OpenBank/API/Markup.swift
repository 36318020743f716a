/// The text of a piece of HTML as the docs of the API hold it: tags gone, paragraphs on lines of their own.
enum Markup {
  static func text(_ html: String) -> String {
    var text = ""
    var rest = html[...]
    while let open = rest.firstIndex(of: "<") {
      text += rest[..<open]
      guard let close = rest[open...].firstIndex(of: ">") else {
        text += rest[open...]
        rest = ""
        break
      }
      let name = rest[rest.index(after: open)..<close].drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber }
      if breaking.contains(name.lowercased()), !text.isEmpty, text.last != "\n" { text += "\n" }
      rest = rest[rest.index(after: close)...]
    }
    text += rest
    return trimmed(unescaped(text))
  }

  private static let breaking: Set<String> = ["p", "br", "li", "ul", "ol", "div", "h1", "h2", "h3", "h4", "tr", "pre"]

  private static let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " ")]

  private static func unescaped(_ text: String) -> String {
    guard text.contains("&") else { return text }
    let plain = entities.reduce(text) { $0.replacing($1.0, with: $1.1) }
    return plain.replacing("&amp;", with: "&")
  }

  private static func trimmed(_ text: String) -> String {
    var text = text[...]
    while text.first?.isWhitespace ?? false { text.removeFirst() }
    while text.last?.isWhitespace ?? false { text.removeLast() }
    return String(text)
  }
}
