import Model

/// One of several things to choose, by arrows, by number, or by typing part of its name.
package struct MenuDialog: Overlay {
  package struct Entry: Sendable {
    package var title: String
    /// Stands behind the title, dimmed: a value, a key, the reason why not.
    package var detail: String
    package var isEnabled: Bool
    /// The detail is masked in privacy mode.
    package var isPrivate: Bool
    package var run: @Sendable () -> [Effect]

    package init(
      _ title: String, detail: String = "", isEnabled: Bool = true, isPrivate: Bool = false,
      run: @escaping @Sendable () -> [Effect]
    ) {
      self.title = title
      self.detail = detail
      self.isEnabled = isEnabled
      self.isPrivate = isPrivate
      self.run = run
    }
  }

  package var id = 0
  package var question: Int?
  var title: String
  var message: String
  private(set) var entries: [Entry]
  /// Typing narrows the entries; nil where digits choose instead.
  private(set) var typed: TextField?
  private(set) var scroller = Scroller()
  /// Entries that match what is typed, best first, with the matched letters.
  private(set) var shown: [(index: Int, offsets: [Int])] = []
  /// Runs whenever another entry is selected: a live preview.
  private let selected: (@Sendable (Int) -> [Effect])?
  private let cancel: [Effect]
  private let verb: String

  package init(
    title: String, message: String = "", entries: [Entry], isTyped: Bool = false, start: Int = 0,
    verb: String = "choose",
    question: Int? = nil, cancel: [Effect] = [], selected: (@Sendable (Int) -> [Effect])? = nil
  ) {
    self.title = title
    self.message = message
    self.entries = entries
    self.question = question
    self.cancel = cancel
    self.selected = selected
    self.verb = verb
    typed = isTyped ? TextField() : nil
    narrow()
    scroller.select(start, count: shown.count, page: max(1, shown.count))
  }

  /// Rows in view at most.
  private static let page = 16

  private func page(_ area: Area) -> Int {
    let around = 2 + (typed == nil ? 0 : 2) + messageLines(area).count
    return max(1, min(MenuDialog.page, area.rows - around - 1))
  }

  private func messageLines(_ area: Area) -> [String] {
    message.isEmpty ? [] : Wrap.lines(message, columns: DialogFrame.innerColumns(area, wanted: columns(area))) + [""]
  }

  private func columns(_ area: Area) -> Int {
    let widest = entries.map { TextWidth.columns(of: $0.title) + min(44, TextWidth.columns(of: $0.detail)) + 6 }.max()
    return max(44, min(76, widest ?? 0))
  }

  mutating func setEntries(_ entries: [Entry]) {
    self.entries = entries
    narrow()
  }

  private mutating func narrow() {
    guard let typed, !typed.isEmpty else {
      shown = entries.indices.map { ($0, []) }
      return
    }
    let found = entries.indices.compactMap { index in
      Fuzzy.match(typed.text, in: entries[index].title).map { (index: index, match: $0) }
    }
    // Where something is named so, what only has the same letters somewhere stays away.
    let best = found.map(\.match.score).max() ?? 0
    shown = found.filter { $0.match.score > best - 500 }.sorted {
      ($1.match.score, $0.index) < ($0.match.score, $1.index)
    }.map {
      ($0.index, $0.match.offsets)
    }
  }

  // MARK: Handling

  package mutating func handle(_ event: OverlayEvent, _ world: World) -> [Effect] {
    let page = page(Area(world.size))
    switch event {
    case .key(let key): return handle(key, page: page)
    case .paste(let text):
      typed?.insert(text)
      return typedMore(page)
    case .mouse(let mouse): return handle(mouse, world, page: page)
    case .appeared, .reply, .deadline: return []
    }
  }

  private mutating func handle(_ key: Key, page: Int) -> [Effect] {
    switch key {
    case .escape: return [.dismiss] + cancel
    case .enter: return choose(scroller.selected)
    case .up, .control("p"), .shiftTab: return move(.up, page)
    case .down, .control("n"), .tab: return move(.down, page)
    case .pageUp: return move(.pageUp, page)
    case .pageDown: return move(.pageDown, page)
    case .home: return move(.first, page)
    case .end: return move(.last, page)
    default: break
    }
    if typed != nil {
      guard typed?.handle(key) == true else { return [] }
      return typedMore(page)
    }
    switch key {
    case .character("k"): return move(.up, page)
    case .character("j"): return move(.down, page)
    case .character("q"): return [.dismiss] + cancel
    case .character(let letter):
      if let number = letter.wholeNumberValue, (1...9).contains(number), number <= shown.count {
        return choose(number - 1)
      }
      return []
    default: return []
    }
  }

  private mutating func typedMore(_ page: Int) -> [Effect] {
    narrow()
    scroller.select(0, count: shown.count, page: page)
    return []
  }

  private mutating func move(_ command: Command, _ page: Int) -> [Effect] {
    let before = scroller.selected
    // A menu goes round, so that its last entry is one key away.
    if command == .up, before == 0 {
      scroller.select(shown.count - 1, count: shown.count, page: page)
    } else if command == .down, before == shown.count - 1 {
      scroller.select(0, count: shown.count, page: page)
    } else {
      _ = scroller.handle(command, times: 1, count: shown.count, page: page)
    }
    guard scroller.selected != before, shown.indices.contains(scroller.selected) else { return [] }
    return selected?(shown[scroller.selected].index) ?? []
  }

  private mutating func choose(_ position: Int) -> [Effect] {
    guard shown.indices.contains(position) else { return [] }
    let entry = entries[shown[position].index]
    guard entry.isEnabled else { return [.say(Message(.warning, "\(entry.title): \(entry.detail)"))] }
    return [.dismiss] + entry.run()
  }

  private mutating func handle(_ mouse: Mouse, _ world: World, page: Int) -> [Effect] {
    switch mouse.kind {
    case .wheelUp: return move(.up, page)
    case .wheelDown: return move(.down, page)
    case .press, .doublePress:
      let area = Area(world.size)
      let box = area.centered(columns: DialogFrame.innerColumns(area, wanted: columns(area)) + 4, rows: rows(area) + 2)
      guard box.contains(column: mouse.column, row: mouse.row) else { return [.dismiss] + cancel }
      let first = box.row + 1 + messageLines(area).count + (typed == nil ? 0 : 2)
      let position = mouse.row - first + scroller.top
      guard mouse.row >= first, position < shown.count else { return [] }
      return choose(position)
    case .release: return []
    }
  }

  // MARK: Drawing

  private func rows(_ area: Area) -> Int {
    if entries.isEmpty, !message.isEmpty { return messageLines(area).count - 1 }
    return messageLines(area).count + (typed == nil ? 0 : 2)
      + max(1, min(page(area), typed == nil ? shown.count : entries.count))
  }

  package func render(into buffer: inout CellBuffer, area: Area, world: World) {
    var keys = [(sign: "Esc", words: "close")]
    if !entries.isEmpty { keys.insert((sign: "⏎", words: verb), at: 0) }
    if typed == nil, shown.count > 1 { keys.append((sign: "1-9", words: verb)) }
    var inner = DialogFrame.render(
      into: &buffer, area: area, title: title, rows: rows(area), wanted: columns(area), keys: keys)
    let messages = messageLines(area)
    for (offset, line) in messages.enumerated() {
      buffer.put(line, column: inner.column, row: inner.row + offset, style: Style(.text, on: .dialog))
    }
    inner = inner.cuttingTop(messages.count).rest
    if let typed {
      typed.render(
        into: &buffer, column: inner.column, row: inner.row, columns: inner.columns,
        style: Style(.text, on: .fieldFocused), isFocused: true)
      inner = inner.cuttingTop(2).rest
    }
    if shown.isEmpty, !entries.isEmpty || message.isEmpty {
      buffer.put("nothing matches", column: inner.column, row: inner.row, style: Style(.dim, on: .dialog))
    }
    for (offset, position) in scroller.visible(count: shown.count, page: inner.rows).enumerated() {
      render(position, into: &buffer, inner: inner, row: inner.row + offset, world: world)
    }
  }

  private func render(_ position: Int, into buffer: inout CellBuffer, inner: Area, row: Int, world: World) {
    let entry = entries[shown[position].index]
    let isSelected = position == scroller.selected
    let ground: Style.Ground = isSelected ? .selection : .dialog
    buffer.fill(
      Area(column: inner.column - 1, row: row, columns: inner.columns + 2, rows: 1), style: Style(.text, on: ground))
    buffer.put(isSelected ? "▌" : " ", column: inner.column - 1, row: row, style: Style(.accent, on: ground))
    var at = inner.column
    if typed == nil {
      if position < 9 { buffer.put("\(position + 1)", column: at, row: row, style: Style(.key, on: ground)) }
      at += 2
    }
    let room = inner.endColumn - at
    let detail = world.isPrivate && entry.isPrivate ? Mask.masked(entry.detail) : entry.detail
    let detailRoom = max(0, room - TextWidth.columns(of: entry.title) - 2)
    let style = Style(entry.isEnabled ? .text : .dim, on: ground)
    buffer.put(entry.title, column: at, row: row, columns: room, style: style)
    let letters = Array(entry.title)
    for offset in shown[position].offsets where offset < letters.count {
      let before = TextWidth.columns(of: String(letters[..<offset]))
      guard before < room else { break }
      buffer.put(String(letters[offset]), column: at + before, row: row, style: Style(.match, on: ground, bold: true))
    }
    if isSelected, typed == nil { buffer.cursor = (inner.column - 1, row) }
    guard detailRoom > 3 else { return }
    buffer.putRight(
      detail, endColumn: inner.endColumn, row: row, columns: detailRoom, style: Style(.dim, on: ground))
  }
}
