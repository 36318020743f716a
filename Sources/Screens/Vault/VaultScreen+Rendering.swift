import Model

extension VaultScreen {
  var rows: [Row] {
    guard let info else { return [] }
    switch info.state {
    case .absent: return [.create] + (info.policy.allowsDefaultPIN ? [.createWithoutPIN] : [])
    case .locked: return [.unlock, .changePIN, .destroy]
    case .unlocked: return [.lock, .changePIN, .destroy] + (info.entries ?? []).map { .entry($0) }
    case .damaged: return [.destroy]
    case .elsewhere: return []
    }
  }

  func selected(_ world: World) -> Row? {
    let rows = rows
    return rows.indices.contains(list.selected) ? rows[list.selected] : nil
  }

  /// Title and rule.
  func headRows(_ world: World) -> Int { world.body.rows >= 8 ? 2 : 1 }

  func page(_ world: World) -> Int { max(1, world.body.rows - headRows(world)) }

  /// Facts, then what can be done, then what is kept.
  func entries(_ world: World) -> [ItemLines.Entry] {
    guard let info else { return [] }
    let columns = max(1, world.body.columns - 2)
    var entries = facts(info, world).flatMap { fact -> [Line] in Self.fact(fact, columns) }
      .map { ItemLines.Entry(target: nil, lines: [$0]) }
    var isListing = false
    for (index, row) in rows.enumerated() {
      if index == 0 { entries.append(Self.heading("What can be done")) }
      if case .entry = row, !isListing {
        isListing = true
        entries.append(Self.heading("What is kept, by name"))
      }
      // Every row can be selected; its place in `rows` tells which it is.
      entries.append(ItemLines.Entry(target: .field(Field("\(index)", "", .null)), lines: [line(row)]))
    }
    if info.state == .unlocked, info.entries?.isEmpty == true {
      entries.append(Self.heading("What is kept, by name"))
      entries.append(ItemLines.Entry(target: nil, lines: [Line("Nothing yet.", .dim)]))
    }
    return entries
  }

  private static func heading(_ text: String) -> ItemLines.Entry {
    ItemLines.Entry(target: nil, lines: [Line(), Line(text, .heading, bold: true)])
  }

  private static func fact(_ fact: (label: String, spans: [Span]), _ columns: Int) -> [Line] {
    let label = fact.label.padded(columns: 14) + "  "
    let room = columns - 16
    guard room >= 12, let first = fact.spans.first else {
      return [Line(fact.label, .label)]
        + fact.spans.flatMap { span in
          Wrap.lines(span.text, columns: max(1, columns - 2)).map { Line([Span("  "), Span($0, span.style)]) }
        }
    }
    return Wrap.lines(first.text, columns: room).enumerated().map { index, piece in
      Line([Span(index == 0 ? label : String(repeating: " ", count: 16), .label), Span(piece, first.style)])
    }
  }

  private func facts(_ info: VaultInfo, _ world: World) -> [(label: String, spans: [Span])] {
    var facts = [(label: "State", spans: [state(info)])]
    switch info.state {
    case .elsewhere: return facts
    case .absent:
      facts.append(("", [Span("Without a vault, what signing in obtains is forgotten at the end.", .dim)]))
      return facts
    case .damaged(let why): facts.append(("Damage", [Span(why, .bad)]))
    case .locked, .unlocked: break
    }
    facts.append(("File", [Span(Visible.line(info.path))]))
    let policy = info.policy
    let pin = info.hasNoPIN ? "none" : policy.demands.isEmpty ? "any" : policy.demands.joined(separator: ", ")
    facts.append(("PIN", [Span(pin, info.hasNoPIN ? .warning : .text)]))
    if let expires = info.pinExpires {
      facts.append(("PIN good until", [Span(world.zone.short(expires, now: world.now), .time)]))
    }
    let timeout = Int64(policy.lockTimeout)
    facts.append(
      (
        "Locks itself",
        [Span(timeout == 0 ? "never" : "after \(Format.duration(milliseconds: timeout * 1000)) without use")]
      ))
    facts.append(("Tries left", [tries(info)]))
    return facts
  }

  private func tries(_ info: VaultInfo) -> Span {
    guard let left = info.triesLeft else { return Span("no limit") }
    guard left <= 3 else { return Span("\(left) of \(info.policy.retryLimit)", .number) }
    return Span("\(left) of \(info.policy.retryLimit); then everything in it is deleted", .warning, bold: true)
  }

  private func state(_ info: VaultInfo) -> Span {
    switch info.state {
    case .absent: Span("○ there is none", .warning)
    case .locked: Span("● locked", .warning)
    case .unlocked: Span("◌ open", .good)
    case .damaged: Span("✗ damaged", .bad)
    case .elsewhere(let keeper): Span("Secrets are kept by \(keeper).")
    }
  }

  private func line(_ row: Row) -> Line {
    switch row {
    case .create: Self.action("Create it…")
    case .createWithoutPIN: Self.action("Create it without a PIN…")
    case .unlock: Self.action("Unlock it…")
    case .lock: Self.action("Lock it now, for every process")
    case .changePIN: Self.action("Change the PIN…")
    case .destroy: Self.action("Destroy it and everything in it…")
    case .entry(let entry):
      Line([Span(Visible.line(entry.name)), Span(entry.isText ? "" : "  bytes", .dim)])
    }
  }

  private static func action(_ text: String) -> Line { Line([Span("• ", .dim), Span(text, .link)]) }

  func render(into buffer: inout CellBuffer, area: Area, world: World) {
    switch phase {
    case .loading: return StateView.loading("Looking at the vault", into: &buffer, area: area, world: world)
    case .failed(let error):
      return StateView.failed(error, into: &buffer, area: area, world: world, place: place)
    case .loaded(let info):
      let head = headRows(world)
      buffer.put(
        "Vault “\(info.name)”", column: area.column + 1, row: area.row, columns: area.columns - 2,
        style: Style(.title, bold: true))
      if head == 2 {
        let rule = String(repeating: "─", count: max(0, area.columns - 2))
        buffer.put(rule, column: area.column + 1, row: area.row + 1, style: Style(.border))
      }
      list.render(into: &buffer, area: area.cuttingTop(head).rest, entries: entries(world), isFocused: true)
    }
  }
}
