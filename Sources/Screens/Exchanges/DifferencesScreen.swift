import Model

/// Two texts and what differs: side by side where there is room, else below one another.
package struct DifferencesScreen: Screen {
  package struct Side: Sendable {
    let title: String
    let lines: [String]

    package init(_ title: String, _ text: String) {
      self.title = title
      lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
  }

  package var id = 0
  package let crumb: Crumb
  private let left: Side
  private let right: Side
  private let diff: LineDiff
  private var pager = Pager()
  /// First lines of the changes, as they are laid out.
  private var marks: [Int] = []
  private var isWhole = false
  private var prompt: TextField?

  package init(title: String, _ left: Side, _ right: Side) {
    crumb = .title(title)
    self.left = left
    self.right = right
    diff = LineDiff(left.lines, right.lines)
  }

  package var place: Place { .text }
  package var takesText: Bool { prompt != nil }

  // MARK: Handling

  package mutating func handle(_ event: ScreenEvent, _ world: World) -> [Effect] {
    let page = page(world)
    switch event {
    case .appeared, .resized: layOut(world)
    case .command(let command, let times): return perform(command, times: times, world)
    case .mouse(let mouse) where mouse.kind == .wheelUp: _ = pager.handle(.up, times: 3, page: page)
    case .mouse(let mouse) where mouse.kind == .wheelDown: _ = pager.handle(.down, times: 3, page: page)
    case .key(.escape):
      prompt = nil
      pager.finder.clear()
    case .key(.enter): prompt = nil
    case .key(let key):
      if prompt?.handle(key) == true { find(page) }
    case .paste(let text):
      prompt?.insert(text)
      find(page)
    case .mouse, .reply, .arranged, .deadline: break
    }
    return []
  }

  private mutating func perform(_ command: Command, times: Int, _ world: World) -> [Effect] {
    let page = page(world)
    switch command {
    case .nextMatch where pager.finder.text.isEmpty:
      if let next = marks.first(where: { $0 > pager.top + page / 3 }) { pager.scroll(to: next - page / 3, page: page) }
      return []
    case .previousMatch where pager.finder.text.isEmpty:
      if let last = marks.last(where: { $0 < pager.top + page / 3 }) { pager.scroll(to: last - page / 3, page: page) }
      return []
    case .view:
      isWhole.toggle()
      layOut(world)
    case .filter: prompt = TextField()
    case .copy: return [.present(CopyMenu.dialog([CopyMenu.Entry("The differences", plain, isPrivate: true)]))]
    case .openOutside: return [.outside(.pager(text: plain, name: "differences"))]
    case .back where !pager.finder.text.isEmpty: pager.finder.clear()
    case .back: return [.close]
    default: _ = pager.handle(command, times: times, page: page)
    }
    return []
  }

  private mutating func find(_ page: Int) {
    pager.find(prompt?.text ?? "")
    pager.showMatch(page: page)
  }

  // MARK: Lines

  private func isSplit(_ world: World) -> Bool { world.body.columns >= 80 }
  private func headRows(_ world: World) -> Int { world.body.rows >= 5 ? 1 : 0 }
  private func page(_ world: World) -> Int { max(1, world.body.rows - headRows(world)) }

  private mutating func layOut(_ world: World) {
    let columns = world.body.columns - 2
    let shown: [LineDiff.Row?] = isWhole ? diff.rows : diff.excerpt(around: 3)
    var lines: [Line] = []
    marks = []
    var wasChange = false
    for row in shown {
      let isChange = row?.isChange == true
      if isChange, !wasChange { marks.append(lines.count) }
      wasChange = isChange
      lines += isSplit(world) ? [sideBySide(row, columns: columns)] : stacked(row)
    }
    pager.setLines(lines, page: page(world))
  }

  private func sideBySide(_ row: LineDiff.Row?, columns: Int) -> Line {
    let half = (columns - 3) / 2
    func cell(_ text: String?, _ sign: String, _ role: Style.Role) -> [Span] {
      guard let text else { return [Span(String(repeating: " ", count: half))] }
      return [Span(sign, role, bold: true), Span(Visible.line(text).padded(columns: half - 2), role)]
    }
    let (left, right) = texts(row)
    switch row {
    case nil: return Line(String(repeating: "┄", count: columns), .dim)
    case .same: return Line(cell(left, "  ", .text) + [Span(" │ ", .border)] + cell(right, "  ", .text))
    case .changed: return Line(cell(left, "- ", .negative) + [Span(" │ ", .border)] + cell(right, "+ ", .positive))
    }
  }

  private func stacked(_ row: LineDiff.Row?) -> [Line] {
    let (left, right) = texts(row)
    return switch row {
    case nil: [Line("┄┄┄", .dim)]
    case .same: [Line([Span("  "), Span(left ?? "")])]
    case .changed:
      [left.map { ("- ", $0, Style.Role.negative) }, right.map { ("+ ", $0, Style.Role.positive) }]
        .compactMap { $0 }.map { Line([Span($0.0, $0.2, bold: true), Span($0.1, $0.2)]) }
    }
  }

  private func texts(_ row: LineDiff.Row?) -> (left: String?, right: String?) {
    switch row {
    case nil: (nil, nil)
    case .same(let left, let right): (self.left.lines[left], self.right.lines[right])
    case .changed(let left, let right): (left.map { self.left.lines[$0] }, right.map { self.right.lines[$0] })
    }
  }

  /// As text that other programs read.
  private var plain: String {
    (["--- \(left.title)", "+++ \(right.title)"]
      + diff.excerpt(around: 3).flatMap { stacked($0).map(\.text) }).joined(separator: "\n") + "\n"
  }

  // MARK: What works just now

  package func hints(_ world: World) -> [Command] { [.nextMatch, .view, .filter, .copy, .openOutside, .help, .back] }

  package func reason(against command: Command, _ world: World) -> String? {
    switch command {
    case .nextMatch, .previousMatch:
      pager.finder.text.isEmpty && diff.changes.isEmpty ? "the two are the same" : nil
    case .wrap, .actions, .search, .nextPane, .previousPane, .refresh, .reload: "these are two texts side by side"
    default: nil
    }
  }

  package func status(_ world: World) -> Line {
    let found = pager.finder.status
    let changes = diff.changes.isEmpty ? "no differences" : Format.count(diff.changes.count, "difference")
    return Line([Span(found.isEmpty ? changes : "\(found)  \(changes)", .text, on: .footer)])
  }

  package func renderPrompt(into buffer: inout CellBuffer, area: Area) -> Bool {
    guard let prompt else { return false }
    PromptLine.render(prompt, into: &buffer, area: area)
    return true
  }

  package func render(into buffer: inout CellBuffer, area: Area, world: World) {
    guard !world.isPrivate else {
      return StateView.empty("Privacy mode hides both texts.", [], into: &buffer, area: area)
    }
    guard !diff.changes.isEmpty || isWhole else {
      return StateView.empty("The two are the same.", ["v shows the text"], into: &buffer, area: area)
    }
    let (head, rest) = area.cuttingTop(headRows(world))
    if !head.isEmpty { renderHead(into: &buffer, area: head, world) }
    pager.render(into: &buffer, area: rest)
  }

  private func renderHead(into buffer: inout CellBuffer, area: Area, _ world: World) {
    let half = (area.columns - 5) / 2
    let style = Style(.heading, on: .columns)
    buffer.fill(area, style: style)
    buffer.put("- \(left.title)", column: area.column + 1, row: area.row, columns: half, style: style)
    buffer.put(
      "+ \(right.title)", column: area.column + half + 4, row: area.row, columns: area.columns - half - 5, style: style)
  }
}
