import Model

/// An item as lines of some width, each knowing what stands on it.
struct ItemLines {
  enum Target: Hashable { case field(Field), link(Link), action(Action) }

  struct Entry {
    let target: Target?
    let lines: [Line]
  }

  /// Sections with their fields.
  private(set) var fields: [Entry] = []
  /// Related places and actions.
  private(set) var ways: [Entry] = []

  private let columns: Int
  private let world: World
  private let isBrief: Bool
  /// A longer text is cut here; opening the field shows all of it.
  private static let longest = 8

  /// - Parameter isBrief: For a preview: without fields that say nothing, and without actions.
  init(_ item: Item, columns: Int, world: World, isBrief: Bool = false) {
    self.columns = max(1, columns)
    self.world = world
    self.isBrief = isBrief
    if !item.title.isEmpty, isBrief { addHeading(item.title, role: .title) }
    for notice in item.notices {
      fields.append(Entry(target: nil, lines: wrapped("! \(notice)", .warning)))
    }
    let labels = labelColumns(item)
    let comparison = isBrief ? nil : EditComparison(item)
    for section in item.sections where comparison == nil || !EditComparison.isSide(section) {
      let shown = section.fields.filter { !isBrief || !($0.value.isNull || $0.value == .text("")) }
      if shown.isEmpty { continue }
      if !fields.isEmpty { fields.append(Entry(target: nil, lines: [Line()])) }
      if !section.title.isEmpty { addHeading(section.title, role: .heading) }
      for field in shown { fields.append(Entry(target: .field(field), lines: lines(field, labels))) }
    }
    if let comparison {
      if !fields.isEmpty { fields.append(Entry(target: nil, lines: [Line()])) }
      fields += ComparisonLines(comparison, columns: self.columns, world: world).entries
    }
    addWays(item)
  }

  /// Fields and related places below one another.
  var stacked: [Entry] {
    fields.isEmpty || ways.isEmpty ? fields + ways : fields + [Entry(target: nil, lines: [Line()])] + ways
  }

  var plainLines: [Line] { stacked.flatMap(\.lines) }

  private func labelColumns(_ item: Item) -> Int {
    let longest = item.fields.map { TextWidth.columns(of: Visible.line($0.title)) }.max() ?? 0
    return min(longest, max(6, columns * 2 / 5), 24)
  }

  private mutating func addHeading(_ title: String, role: Style.Role) {
    let shown = world.isPrivate && role == .title ? Mask.masked(title) : title
    fields.append(Entry(target: nil, lines: [Line(Visible.line(shown).fitted(columns: columns), role, bold: true)]))
  }

  private func lines(_ field: Field, _ labels: Int) -> [Line] {
    let label = Visible.line(field.title).padded(columns: labels) + "  "
    let room = columns - labels - 2
    let spans = FieldText.spans(field, world)
    guard room > 4 else {
      let value = spans.flatMap { wrapped($0.text, $0.style.role) }
      return [Line(field.title.fitted(columns: columns), .label)] + value
    }
    let line = Line(spans)
    if line.columns <= room, !line.text.contains(where: \.isNewline) { return [Line([Span(label, .label)] + spans)] }
    // A long value is its first span; what explains it stays away.
    let style = spans.first?.style ?? Style()
    let pieces = Wrap.lines(spans.first?.text ?? "", columns: room)
    let blank = String(repeating: " ", count: labels + 2)
    var lines = pieces.prefix(ItemLines.longest).enumerated().map { index, piece in
      Line([Span(index == 0 ? label : blank, .label), Span(piece, style)])
    }
    if pieces.count > ItemLines.longest {
      lines.append(Line([Span(blank), Span("… \(pieces.count - ItemLines.longest) more lines", .dim)]))
    }
    return lines
  }

  private mutating func addWays(_ item: Item) {
    if !item.related.isEmpty {
      ways.append(Entry(target: nil, lines: [Line(isBrief ? "Leads to" : "Related", .heading, bold: true)]))
      for link in item.related {
        ways.append(
          Entry(target: .link(link), lines: [Line([Span("→ ", .dim), Span(link.title, .link)])]))
      }
    }
    guard !isBrief, !item.actions.isEmpty else { return }
    if !ways.isEmpty { ways.append(Entry(target: nil, lines: [Line()])) }
    ways.append(Entry(target: nil, lines: [Line("Actions", .heading, bold: true)]))
    for action in item.actions {
      var spans = [Span("• ", .dim), Span(action.title, action.disabled == nil ? .link : .dim)]
      if let reason = action.disabled { spans.append(Span("  \(reason)", .dim)) }
      ways.append(Entry(target: .action(action), lines: [Line(spans)]))
    }
  }

  private func wrapped(_ text: String, _ role: Style.Role) -> [Line] {
    Wrap.lines(text, columns: columns).map { Line($0, role) }
  }
}
