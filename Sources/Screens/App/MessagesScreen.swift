import Model

/// Everything that was said, newest last.
struct MessagesScreen: Screen {
  var id = 0
  private var messages: [Message]
  private var pager = Pager()
  private var columns = 0

  init(_ messages: [Message]) { self.messages = messages }

  var place: Place { .text }
  var crumb: Crumb { .title("Messages") }

  mutating func handle(_ event: ScreenEvent, _ world: World) -> [Effect] {
    if columns != world.body.columns {
      columns = world.body.columns
      pager.setLines(lines(world), page: world.body.rows)
      pager.scroll(to: Int.max, page: world.body.rows)
    }
    switch event {
    case .command(.back, _), .command(.messages, _): return [.close]
    case .command(.copy, _):
      let text = messages.map { "\($0.time.rfc3339) \($0.text)" }.joined(separator: "\n")
      return [.present(CopyMenu.dialog([CopyMenu.Entry("All messages", text)]))]
    case .command(let command, let times): _ = pager.handle(command, times: times, page: world.body.rows)
    default: break
    }
    return []
  }

  private func lines(_ world: World) -> [Line] {
    messages.flatMap { message in
      Wrap.lines(message.text, columns: max(10, columns - 15)).enumerated().map { index, piece in
        let time = index == 0 ? world.zone.clock(message.time) : "        "
        let sign = index == 0 ? ToastView.sign(message.kind) : " "
        return Line([
          Span(time, .time), Span(" \(sign) ", ToastView.role(message.kind)), Span(piece),
        ])
      }
    }
  }

  func hints(_ world: World) -> [Command] { [.copy, .help, .back] }

  func reason(against command: Command, _ world: World) -> String? {
    switch command {
    case .filter, .nextMatch, .previousMatch, .wrap, .openOutside, .view, .actions, .search, .refresh, .reload,
      .nextPane, .previousPane:
      "these are the messages so far"
    default: nil
    }
  }

  func status(_ world: World) -> Line {
    Line([Span(Format.count(messages.count, "message"), .text, on: .footer)])
  }

  func render(into buffer: inout CellBuffer, area: Area, world: World) {
    if messages.isEmpty { return StateView.empty("Nothing was said so far.", [], into: &buffer, area: area) }
    pager.render(into: &buffer, area: area)
  }
}

/// How a message looks for a while above the footer.
enum ToastView {
  static func sign(_ kind: Message.Kind) -> String {
    switch kind {
    case .info: "·"
    case .good: "✓"
    case .warning: "!"
    case .bad: "✗"
    }
  }

  static func role(_ kind: Message.Kind) -> Style.Role {
    switch kind {
    case .info: .info
    case .good: .good
    case .warning: .warning
    case .bad: .bad
    }
  }

  /// At the right, above the footer. What went wrong is shown to its end, which says what to do.
  static func render(_ message: Message, into buffer: inout CellBuffer, area: Area) {
    let most = max(10, min(area.columns - 2, max(72, area.columns / 2)))
    var lines = Wrap.lines(message.text, columns: most - 4)
    let rows = min(message.kind == .bad || message.kind == .warning ? 8 : 3, max(1, area.rows - 2))
    if lines.count > rows { lines = lines.prefix(rows - 1) + [lines[rows - 1].fitted(columns: most - 5) + "…"] }
    let columns = min(most, (lines.map { TextWidth.columns(of: $0) }.max() ?? 0) + 5)
    let isBad = message.kind == .bad
    let ground: Style.Ground = isBad ? .errorToast : .toast
    let box = Area(
      column: area.endColumn - columns - 1, row: area.endRow - lines.count, columns: columns, rows: lines.count)
    guard box.row >= area.row else { return }
    buffer.fill(box, style: Style(.text, on: ground))
    buffer.put(" \(sign(message.kind))", column: box.column, row: box.row, style: Style(role(message.kind), on: ground))
    for (offset, line) in lines.enumerated() {
      buffer.put(line, column: box.column + 3, row: box.row + offset, style: Style(.text, on: ground))
    }
  }
}
