import Model

/// Something is done elsewhere: in the system's browser, or on another device. It ends by itself or by Esc.
package struct WaitDialog: Overlay {
  package var id = 0
  package var question: Int?
  private let title: String
  private let message: String
  private let url: String
  private let code: String?
  private let expires: Timestamp?

  package init(
    title: String, message: String, url: String, code: String? = nil, expires: Timestamp? = nil, question: Int? = nil
  ) {
    self.title = title
    self.message = message
    self.url = url
    self.code = code
    self.expires = expires
    self.question = question
  }

  package func deadline(_ world: World) -> Timestamp? { Spinner.next(world.now) }

  package mutating func handle(_ event: OverlayEvent, _ world: World) -> [Effect] {
    guard case .key(let key) = event else { return [] }
    switch key {
    case .escape: return [.dismiss] + (question.map { [.answer(question: $0, nil)] } ?? [])
    case .character("o"), .enter: return [.outside(.url(url))]
    case .character("y"): return [.copy(url, name: "the address")]
    case .character("c"): return code.map { [.copy($0, name: "the code")] } ?? []
    default: return []
    }
  }

  package func render(into buffer: inout CellBuffer, area: Area, world: World) {
    let columns = DialogFrame.innerColumns(area)
    var lines = Wrap.lines(message, columns: columns).map { Line($0) } + [Line()]
    if let code {
      lines += [Line([Span("Code   ", .label), Span(code, .accent, bold: true)]), Line()]
    }
    lines += Wrap.lines(url, columns: columns).map { Line($0, .link) } + [Line()]
    var waiting = "Waiting"
    if let expires, expires > world.now {
      waiting += ", \(Format.duration(milliseconds: expires.milliseconds - world.now.milliseconds)) left"
    }
    lines.append(Line([Span("\(Spinner.frame(world.now)) ", .accent), Span("\(waiting)…", .dim)]))
    var keys = [("⏎", "open"), ("y", "copy address"), ("Esc", "cancel")]
    if code != nil { keys.insert(("c", "copy code"), at: 1) }
    let inner = DialogFrame.render(
      into: &buffer, area: area, title: title, rows: lines.count, keys: keys.map { (sign: $0.0, words: $0.1) })
    for (offset, line) in lines.prefix(inner.rows).enumerated() {
      buffer.put(line, column: inner.column, row: inner.row + offset, columns: inner.columns, ground: .dialog)
    }
  }
}
