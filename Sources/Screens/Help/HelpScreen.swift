import Model

/// Help for the screen below it, made from the key table: what works there first, with reasons for what does not.
struct HelpScreen: Screen {
  var id = 0
  private let about: String
  private let works: [KeyRow]
  private let off: [(row: KeyRow, reason: String)]
  private var pager = Pager()
  private var prompt: TextField?
  private var columns = 0

  init(for screen: any Screen, title: String, _ world: World) {
    about = title
    var works: [KeyRow] = []
    var off: [(row: KeyRow, reason: String)] = []
    for row in world.keys.rows where !row.place.isDisjoint(with: screen.place) && !row.keys.isEmpty {
      // A key that another command takes here is not this command's.
      guard row.keys.contains(where: { world.keys.command(for: $0, in: screen.place) == row.command }) else { continue }
      var row = row
      row.keys = row.keys.filter { world.keys.command(for: $0, in: screen.place) == row.command }
      if let reason = screen.reason(against: row.command, world) {
        off.append((row, reason))
      } else {
        works.append(row)
      }
    }
    self.works = works
    self.off = off
  }

  var place: Place { .text }
  var crumb: Crumb { .title("Help: \(about)") }
  var takesText: Bool { prompt != nil }

  mutating func handle(_ event: ScreenEvent, _ world: World) -> [Effect] {
    if columns != world.body.columns {
      columns = world.body.columns
      pager.setLines(lines(columns - 2), page: world.body.rows)
    }
    switch event {
    case .command(.filter, _): prompt = TextField()
    case .command(.back, _), .command(.help, _):
      if !pager.finder.text.isEmpty {
        pager.finder.clear()
      } else {
        return [.close]
      }
    case .command(let command, let times): _ = pager.handle(command, times: times, page: world.body.rows)
    case .mouse(let mouse) where mouse.kind == .wheelUp: _ = pager.handle(.up, times: 3, page: world.body.rows)
    case .mouse(let mouse) where mouse.kind == .wheelDown: _ = pager.handle(.down, times: 3, page: world.body.rows)
    case .key(.enter): prompt = nil
    case .key(.escape):
      prompt = nil
      pager.finder.clear()
    case .key(let key):
      if prompt?.handle(key) == true { find(world) }
    case .paste(let text):
      prompt?.insert(text)
      find(world)
    default: break
    }
    return []
  }

  private mutating func find(_ world: World) {
    pager.find(prompt?.text ?? "")
    pager.showMatch(page: world.body.rows)
  }

  private func lines(_ columns: Int) -> [Line] {
    let signs = min(26, columns / 2)
    var lines = [Line(), Line("Keys that work in \(about)", .heading, bold: true)]
    for row in works { lines += entry(row, note: nil, signs: signs, columns: columns) }
    lines += [Line(), Line("Not just now", .heading, bold: true)]
    for (row, reason) in off { lines += entry(row, note: reason, signs: signs, columns: columns) }
    lines += [Line(), Line("In dialogs", .heading, bold: true)]
    let dialogs = [
      ("⏎", "confirm"), ("Esc", "cancel"), ("Tab  Shift-Tab", "next, previous field"), ("^U", "clear a field"),
      ("first letter", "presses a button when no field has the cursor"),
    ]
    lines += dialogs.map { Line([Span($0.0.padded(columns: signs), .key), Span($0.1)]) }
    let notes = [
      "A number before a key repeats it: 12j goes down twelve rows.",
      "Every action has a name for keys: in config.yaml and for the command line (:), shown here in brackets.",
    ]
    return lines + [Line()] + notes.flatMap { Wrap.lines($0, columns: columns) }.map { Line($0, .dim) }
  }

  private func entry(_ row: KeyRow, note: String?, signs: Int, columns: Int) -> [Line] {
    let keys = row.keys.map(\.sign).joined(separator: "  ").padded(columns: signs - 1) + " "
    let style = Style(note == nil ? .text : .dim)
    let words = note.map { "\(row.help): \($0)" } ?? row.help
    let pieces = Wrap.lines(words, columns: max(10, columns - signs))
    let name = " [\(row.command.rawValue)]"
    return pieces.enumerated().map { index, piece in
      var spans = [Span(index == 0 ? keys : String(repeating: " ", count: signs), note == nil ? .key : .dim)]
      spans.append(Span(piece, style))
      let used = signs + TextWidth.columns(of: piece)
      if index == pieces.count - 1, used + name.utf8.count <= columns { spans.append(Span(name, .dim)) }
      return Line(spans)
    }
  }

  func hints(_ world: World) -> [Command] { [.filter, .nextMatch, .pageDown, .back] }

  func reason(against command: Command, _ world: World) -> String? {
    switch command {
    case .nextMatch, .previousMatch: pager.finder.lines.isEmpty ? "nothing is looked for; / finds" : nil
    case .wrap, .copy, .openOutside, .view, .actions, .search, .refresh, .reload, .nextPane, .previousPane:
      "this is the help"
    default: nil
    }
  }

  func status(_ world: World) -> Line {
    Line([Span(pager.finder.status, .match, on: .footer)])
  }

  func renderPrompt(into buffer: inout CellBuffer, area: Area) -> Bool {
    guard let prompt else { return false }
    PromptLine.render(prompt, into: &buffer, area: area)
    return true
  }

  func render(into buffer: inout CellBuffer, area: Area, world: World) { pager.render(into: &buffer, area: area) }
}
