import Model

/// `:`, a location to go to or a command by name, with completion from what the server lists and from history.
package struct CommandLine: Overlay {
  struct Suggestion: Sendable, Hashable {
    let text: String
    let detail: String
    /// Set for what lies below a place.
    var place: Location?
  }

  package var id = 0
  private var field: TextField
  /// What stands there at first is selected, as in the address line of a web browser: typing replaces it, moving the
  /// cursor or completing keeps it.
  private var isSelected: Bool
  /// The place it was opened at: what lies below it can be named without the way there.
  private let base: Location?
  private var suggestions: [Suggestion] = []
  /// Among the suggestions; nil as long as what is typed stands by itself.
  private var chosen: Int?
  /// Names below a place, by the place.
  private var known: [Location: [Suggestion]] = [:]
  private var asked: Set<Location> = []
  private var serials: [Int: Location] = [:]
  private var serial = 0
  /// Walking through what was typed before; counts from the newest.
  private var historyIndex: Int?
  private var problem: String?

  package init(at base: Location? = nil) {
    let text = base.map { $0.text + ($0.isRoot ? "" : "/") } ?? ""
    self.base = base
    field = TextField(text)
    isSelected = !text.isEmpty
  }

  package mutating func handle(_ event: OverlayEvent, _ world: World) -> [Effect] {
    switch event {
    case .appeared: return changed(world)
    case .key(let key): return handle(key, world)
    case .paste(let text):
      replaceSelected()
      field.insert(text)
      return changed(world)
    case .reply(let serial, let reply):
      take(reply, serial: serial)
      suggest(world)
      return []
    case .mouse(let mouse):
      guard mouse.kind == .press else { return [] }
      let window = window(Area(world.size))
      let position = window.lowerBound + mouse.row - (world.size.rows - 1 - window.count)
      guard mouse.row < world.size.rows - 1 else { return [] }
      guard window.contains(position) else { return [.dismiss] }
      chosen = position
      return complete(world)
    case .deadline: return []
    }
  }

  private mutating func handle(_ key: Key, _ world: World) -> [Effect] {
    problem = nil
    if case .character = key { replaceSelected() }
    isSelected = false
    switch key {
    case .escape: return [.dismiss]
    case .backspace where field.isEmpty: return [.dismiss]
    case .enter: return run(world)
    case .tab: return complete(world)
    case .down, .control("n"): step(1, world)
    case .up, .control("p"): step(-1, world)
    case .shiftTab: step(-1, world)
    default:
      guard field.handle(key) else { return [] }
      return changed(world)
    }
    return []
  }

  private mutating func replaceSelected() {
    if isSelected { field.set("") }
    isSelected = false
  }

  /// Up goes into the history when no suggestion is chosen.
  private mutating func step(_ step: Int, _ world: World) {
    if chosen == nil, step < 0 || historyIndex != nil {
      let next = (historyIndex ?? -1) - step
      guard world.memory.typed.indices.contains(world.memory.typed.count - 1 - next) else {
        if next < 0 { historyIndex = nil }
        return
      }
      historyIndex = next
      field.set(world.memory.typed[world.memory.typed.count - 1 - next])
      suggest(world)
      return
    }
    guard !shown.isEmpty else { return }
    let next = (chosen ?? -1) + step
    chosen = next < 0 ? nil : min(next, shown.count - 1)
  }

  private mutating func complete(_ world: World) -> [Effect] {
    guard let first = chosen.map({ shown[$0] }) ?? shown.first else { return [] }
    // Without a choice, as much as all suggestions share.
    let common = chosen == nil ? CommandLine.common(shown.map(\.text)) : first.text
    field.set(common.count > field.text.count ? common : first.text)
    return changed(world)
  }

  private static func common(_ texts: [String]) -> String {
    guard var common = texts.first else { return "" }
    for text in texts {
      while !text.hasPrefix(common) { common.removeLast() }
    }
    return common
  }

  private mutating func run(_ world: World) -> [Effect] {
    if let chosen, shown.indices.contains(chosen) { field.set(shown[chosen].text) }
    // A colon typed once more means nothing; no name begins with one.
    let text = field.text.drop { $0 == ":" }
    let name = String(text.hasSuffix(" ") ? text.dropLast() : text)
    if name.isEmpty { return [.dismiss] }
    if let command = Command(rawValue: name == "q" ? "quit" : name) {
      return [.dismiss, .remember(name), .run(command)]
    }
    guard let location = place(named: name, world) else {
      let names = Command.allCases.map(\.rawValue) + world.connections.map { $0.name + ":/" }
      let near = Fuzzy.nearest(name, in: names).map { "; did you mean “\($0)”?" } ?? ""
      problem = "no such connection or command\(near)"
      return []
    }
    return [.dismiss, .remember(location.text), .open(location, nil)]
  }

  /// A location, or something that lies below where we are.
  private func place(named name: String, _ world: World) -> Location? {
    if let location = try? Location(parsing: name), world.connection(location.connection) != nil { return location }
    let below = base.flatMap { known[$0] } ?? []
    return below.first { $0.place?.path.last == name }?.place
  }

  // MARK: Completion

  private mutating func changed(_ world: World) -> [Effect] {
    historyIndex = nil
    suggest(world)
    guard let parent = typedParent(world), !asked.contains(parent), answersQuietly(parent, world) else { return [] }
    asked.insert(parent)
    serial += 1
    serials[serial] = parent
    return [.ask(RequestID(owner: id, serial: serial), .list(parent, ListQuery(), isRefresh: false))]
  }

  /// Whether a connection can be asked without a dialog that would take the keys from who is typing.
  private func answersQuietly(_ location: Location, _ world: World) -> Bool {
    switch world.connection(location.connection)?.state {
    case .live, .offline: true
    case .untouched, .signedOut, .unreachable, nil: false
    }
  }

  /// The place whose children are being typed: everything up to the last slash.
  private func typedParent(_ world: World) -> Location? {
    guard let slash = field.text.lastIndex(of: "/"),
      let location = try? Location(parsing: String(field.text[...slash])),
      world.connection(location.connection) != nil
    else { return nil }
    return location
  }

  private mutating func take(_ reply: Reply, serial: Int) {
    guard let parent = serials[serial] else { return }
    switch reply {
    case .listing(let listing, _):
      known[parent] = listing.rows.map { row in
        let words = zip(listing.columns, row.values).first { column, value in
          column.kind == .text && column.id != "id" && !value.isNull && value.exactText != row.location.path.last
        }
        return Suggestion(
          text: row.location.text + (row.opening == .listing ? "/" : ""), detail: words?.1.exactText ?? "",
          place: row.location)
      }
    default: known[parent] = []
    }
  }

  private mutating func suggest(_ world: World) {
    chosen = nil
    let text = field.text
    var all: [Suggestion] = []
    if let parent = typedParent(world) {
      all = known[parent] ?? []
    } else {
      all += world.connections.map { Suggestion(text: $0.root.text, detail: $0.kind.title) }
      all += Command.allCases.compactMap { command in
        world.keys.row(of: command).map { Suggestion(text: command.rawValue, detail: $0.help) }
      }
    }
    all += world.bookmarks.map { Suggestion(text: $0.text, detail: "bookmark") }
    let lower = text.lowercased()
    var seen: Set<String> = []
    suggestions = all.filter {
      $0.text != text && $0.text.lowercased().hasPrefix(lower) && seen.insert($0.text).inserted
    }
    if !text.isEmpty, let below = base.flatMap({ known[$0] }) {
      suggestions += below.filter {
        $0.place?.path.last?.lowercased().hasPrefix(lower) == true && seen.insert($0.text).inserted
      }
    }
    if text.isEmpty { suggestions = Array(suggestions.prefix(world.connections.count)) }
  }

  private static let most = 8
  private var shown: [Suggestion] { Array(suggestions.prefix(200)) }

  /// The suggestions in view above the line.
  private func window(_ area: Area) -> Range<Int> {
    let rows = min(CommandLine.most, shown.count, max(0, area.rows - 4))
    let top = max(0, min((chosen ?? 0) - rows + 1, shown.count - rows))
    return top..<(top + rows)
  }

  // MARK: Drawing

  package func render(into buffer: inout CellBuffer, area: Area, world: World) {
    let row = area.endRow - 1
    buffer.fill(Area(column: 0, row: row, columns: area.columns, rows: 1), style: Style(.text, on: .footer))
    var columns = area.columns
    if let problem {
      let text = " ✗ \(problem) "
      columns = max(20, area.columns - TextWidth.columns(of: text))
      buffer.putRight(
        text, endColumn: area.endColumn, row: row, columns: area.columns - columns, style: Style(.bad, on: .footer))
    }
    renderSuggestions(into: &buffer, area: area, world: world)
    PromptLine.render(
      field, sign: ":", isSelected: isSelected, into: &buffer,
      area: Area(column: 0, row: row, columns: columns, rows: 1))
  }

  private func renderSuggestions(into buffer: inout CellBuffer, area: Area, world: World) {
    let window = window(area)
    let (top, rows) = (window.lowerBound, window.count)
    let widest = shown.map { TextWidth.columns(of: $0.text) }.max() ?? 0
    let columns = min(area.columns - 2, max(44, min(widest + 34, 84)))
    for offset in 0..<rows {
      let suggestion = shown[top + offset]
      let isChosen = chosen == top + offset
      let row = area.endRow - 1 - rows + offset
      let ground: Style.Ground = isChosen ? .selection : .dialog
      buffer.fill(Area(column: 1, row: row, columns: columns, rows: 1), style: Style(.text, on: ground))
      buffer.put(isChosen ? "▌" : " ", column: 1, row: row, style: Style(.accent, on: ground))
      let room = columns - 3
      let end = buffer.put(suggestion.text, column: 3, row: row, columns: room, style: Style(.text, on: ground))
      let detail = world.isPrivate ? Mask.masked(suggestion.detail) : suggestion.detail
      let rest = columns + 1 - end - 3
      if rest > 4 {
        buffer.putRight(detail, endColumn: columns, row: row, columns: rest, style: Style(.dim, on: ground))
      }
    }
  }
}
