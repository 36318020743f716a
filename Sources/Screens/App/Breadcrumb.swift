import Model

/// A location cut to fit: its end stays, and of what stays each part can be clicked.
struct Breadcrumb {
  struct Part {
    let text: String
    let location: Location
    let isLast: Bool
  }

  private(set) var parts: [Part] = []
  /// Whether parts at the front are left out.
  private(set) var isCut = false
  private static let margin = 2

  init(_ location: Location, columns: Int) {
    var place = Location(connection: location.connection)
    let path = location.path
    parts = [Part(text: "\(location.connection):", location: place, isLast: path.isEmpty)]
    for (index, name) in path.enumerated() {
      place = place.appending(name)
      let shown = String(place.text.split(separator: "/").last ?? "")
      parts.append(Part(text: "/" + shown, location: place, isLast: index == path.count - 1))
    }
    if !location.query.isEmpty, let mark = location.text.firstIndex(of: "?") {
      parts.append(Part(text: String(location.text[mark...]), location: location, isLast: true))
    }
    // The connection stays in view; parts behind it give way.
    while parts.count > 2, width > columns {
      isCut = true
      parts.remove(at: 1)
    }
    if parts.count == 2, width > columns {
      isCut = true
      parts.removeFirst()
    }
  }

  /// Before which part something is left out.
  private var cut: Int { min(1, parts.count - 1) }

  private var width: Int { parts.reduce(isCut ? 2 : 0) { $0 + TextWidth.columns(of: Visible.line($1.text)) } }

  var line: Line {
    var spans: [Span] = []
    for (index, part) in parts.enumerated() {
      if isCut, index == cut { spans.append(Span(cut == 0 ? "…" : "/…", .dim, on: .header)) }
      let style = Style(
        index == 0 ? .accent : part.isLast ? .title : .text, on: .header, bold: part.isLast || index == 0)
      spans.append(Span(part.text, style))
    }
    return Line(spans)
  }

  func place(at column: Int) -> Location? {
    var at = Breadcrumb.margin
    for (index, part) in parts.enumerated() {
      if isCut, index == cut { at += cut == 0 ? 1 : 2 }
      let width = TextWidth.columns(of: Visible.line(part.text))
      if (at..<(at + width)).contains(column) { return part.location }
      at += width
    }
    return nil
  }
}
