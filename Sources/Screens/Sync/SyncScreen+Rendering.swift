import Model

extension SyncScreen {
  func render(into buffer: inout CellBuffer, area: Area, world: World) {
    let shown = shown
    if shown.isEmpty, isAsking {
      return StateView.loading("Asking what is kept offline", into: &buffer, area: area, world: world)
    }
    if shown.isEmpty {
      return StateView.empty(
        "No connection keeps data offline.", ["SAP Mobile Platform and Oracle Mobile Cloud connections can."],
        into: &buffer, area: area)
    }
    for (offset, position) in visible(world).enumerated() {
      let row = area.row + offset * Self.rows
      let place = Area(
        column: area.column, row: row, columns: area.columns, rows: min(Self.rows, area.endRow - row))
      render(shown[position], isSelected: position == selectedIndex, into: &buffer, area: place, world)
    }
  }

  private func render(
    _ entry: Entry, isSelected: Bool, into buffer: inout CellBuffer, area: Area, _ world: World
  ) {
    let ground: Style.Ground = isSelected ? .selection : .screen
    buffer.fill(area, style: Style(.text, on: ground))
    if isSelected {
      buffer.put("▌", column: area.column, row: area.row, style: Style(.accent, on: ground))
      buffer.cursor = (area.column, area.row)
    }
    let right = Line([state(entry, world)])
    let end = buffer.put(
      entry.name, column: area.column + 2, row: area.row, columns: area.columns - 4,
      style: Style(.accent, on: ground, bold: true))
    if let kind = world.connection(entry.name)?.kind.title {
      let room = area.endColumn - right.columns - 2 - (end + 2)
      if room >= TextWidth.columns(of: kind) {
        buffer.put(kind, column: end + 2, row: area.row, columns: room, style: Style(.dim, on: ground))
      }
    }
    if end + right.columns + 2 < area.endColumn {
      buffer.putRight(right, endColumn: area.endColumn - 1, row: area.row, ground: ground)
    }
    guard area.rows > 1 else { return }
    var at = area.column + 4
    if let job = job(entry.name, world), let fraction = job.fraction, area.columns >= 40 {
      at = ProgressBar.render(into: &buffer, column: at, row: area.row + 1, columns: 20, fraction, ground: ground) + 2
    }
    buffer.put(
      Line(facts(entry, world)), column: at, row: area.row + 1, columns: area.endColumn - at - 1, ground: ground)
  }

  private func state(_ entry: Entry, _ world: World) -> Span {
    if let job = job(entry.name, world) {
      let percent = job.fraction.map { " \(Int($0 * 100)) %" } ?? ""
      return Span("\(Spinner.frame(world.now)) synchronising\(percent)", .accent)
    }
    if entry.failure != nil { return Span("✗ not read", .bad) }
    if entry.conflicts > 0 { return Span("! \(Format.count(entry.conflicts, "conflict"))", .warning, bold: true) }
    if !entry.waiting.isEmpty { return Span(Spinner.frame(world.now), .accent) }
    guard let synced = entry.synced else { return Span("○ never synchronised", .dim) }
    let gap = max(0, world.now.milliseconds - synced.milliseconds)
    return Span("✓ \(gap < 1000 ? "just now" : Format.duration(milliseconds: gap) + " ago")", .good)
  }

  private func facts(_ entry: Entry, _ world: World) -> [Span] {
    if let job = job(entry.name, world) { return [Span(Format.count(Int(job.done), "row"), .text)] }
    if let failure = entry.failure { return [Span(failure.reason, .bad)] }
    guard let pending = entry.pending else { return [Span("…", .dim)] }
    let count = pending.rows.count
    var parts = [Span(count == 0 ? "Nothing waits to be sent" : "\(Format.count(count, "edit")) waiting", .text)]
    if entry.drafts > 0 { parts.append(Span(", \(entry.drafts) not submitted", .dim)) }
    if entry.conflicts > 0 { parts.append(Span(" · ⏎ shows both sides", .dim)) }
    if let synced = entry.synced {
      parts.append(Span(" · as of \(world.zone.short(synced, now: world.now))", .dim))
    }
    return parts
  }
}
