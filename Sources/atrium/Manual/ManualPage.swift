/// A page of the manual as a value; written as a manual page (man(7)) or as Markdown.
struct ManualPage {
  enum Block {
    case section(String)
    case part(String)
    case text(String)
    /// A term in bold, and what it means.
    case definition(String, String)
    case code([String])
  }

  let name: String
  /// 1 for programs, 5 for files.
  let chapter: Int
  let summary: String
  var blocks: [Block]

  // MARK: man(7)

  /// - Parameter version: Of the program, for the foot of the page.
  func roff(version: String) -> String {
    var text = ".TH \(Self.escaped(name.uppercased())) \(chapter) \(Self.date) \"Atrium \(version)\" \"Atrium\"\n"
    text += ".SH NAME\n\(Self.escaped(name)) \\- \(Self.escaped(summary))\n"
    var isFirst = false
    for block in blocks {
      text += Self.roff(block, isFirst: isFirst)
      switch block {
      case .section, .part: isFirst = true
      case .text, .definition, .code: isFirst = false
      }
    }
    return text
  }

  /// When the pages were last gone over; a date of the build would make no two packages the same.
  private static let date = "2026-11-30"

  /// - Parameter isFirst: Whether it follows a heading, which begins a paragraph by itself.
  private static func roff(_ block: Block, isFirst: Bool) -> String {
    let paragraph = isFirst ? "" : ".PP\n"
    return switch block {
    case .section(let title): ".SH \(escaped(title.uppercased()))\n"
    case .part(let title): ".SS \(escaped(title))\n"
    case .text(let text): "\(paragraph)\(line(text))\n"
    case .definition(let term, let text): ".TP\n\\fB\(escaped(term))\\fR\n\(line(text))\n"
    case .code(let lines): "\(paragraph).nf\n" + lines.map { line($0) + "\n" }.joined() + ".fi\n"
    }
  }

  /// A point or an apostrophe at the front would be a request; an empty line is not to stand in a page.
  private static func line(_ text: String) -> String {
    if text.isEmpty { return "\\&" }
    let escaped = escaped(text)
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("“", with: "\\(lq")
      .replacing("”", with: "\\(rq").replacing("…", with: "...").replacing("–", with: "\\(en")
      .replacing("⏎", with: "Enter").replacing("↑", with: "Up").replacing("↓", with: "Down")
      .replacing("←", with: "Left").replacing("→", with: "Right")
  }

  // MARK: Markdown

  var markdown: String {
    var text = "# \(name)(\(chapter))\n\n\(summary.prefix(1).uppercased())\(summary.dropFirst()).\n"
    var isList = false
    for block in blocks {
      if case .definition(let term, let help) = block {
        text += (isList ? "" : "\n") + "- `\(term)`\(help.isEmpty ? "" : ": \(Self.plain(help))")\n"
        isList = true
        continue
      }
      isList = false
      text += "\n" + Self.markdown(block)
    }
    return text
  }

  private static func markdown(_ block: Block) -> String {
    switch block {
    case .section(let title): "## \(title)\n"
    case .part(let title): "### \(title)\n"
    case .text(let text): plain(text) + "\n"
    case .definition: ""
    case .code(let lines): "```\n" + lines.joined(separator: "\n") + "\n```\n"
    }
  }

  private static func plain(_ text: String) -> String {
    text.replacing("*", with: "\\*").replacing("<", with: "&lt;").replacing("|", with: "\\|")
  }
}
