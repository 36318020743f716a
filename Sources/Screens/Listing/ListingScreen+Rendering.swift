import Model

extension ListingScreen {
  package func render(into buffer: inout CellBuffer, area: Area, world: World) {
    switch phase {
    case .idle, .loading: StateView.loading(title.isEmpty ? "Loading" : title, into: &buffer, area: area, world: world)
    case .failed(let error): StateView.failed(error, into: &buffer, area: area, world: world, place: place)
    case .loaded: renderRows(into: &buffer, area: area, world: world)
    }
  }

  private func renderRows(into buffer: inout CellBuffer, area: Area, world: World) {
    let (notice, rest) = noticeArea(area)
    if !notice.isEmpty, let first = notices.first {
      let more = notices.count > 1 ? "  (+\(notices.count - 1), see \(world.keys.sign(for: .messages, in: place)))" : ""
      buffer.put(
        Line([Span(" ! ", .warning, bold: true), Span(first + more, .dim)]), column: notice.column, row: notice.row,
        columns: notice.columns)
    }
    let list = listArea(area, world)
    if table.rows.isEmpty {
      StateView.empty(emptyTitle, emptyAdvice(world), into: &buffer, area: rest)
      return
    }
    TableRendering(table: table, world: world).render(into: &buffer, area: list)
    if table.count == 0, !table.isFiltering {
      let body = list.cuttingTop(TableRendering.headingRows(list)).rest
      StateView.empty(
        "Nothing matches “\(table.filter?.text ?? "")”\(scope.isEmpty ? "" : " in the \(scope)").",
        ["Esc clears the filter"] + (next == nil ? [] : ["L loads all rows first"]), into: &buffer, area: body)
    }
    if showsPreview(world) {
      renderPreview(into: &buffer, area: rest.cuttingLeft(list.columns).rest, world: world)
    }
  }

  /// `No accounts here.`, by the last name of the path where that is a plain word.
  private var emptyTitle: String {
    let name = location.path.last ?? ""
    let isWord = name.count > 2 && name.hasSuffix("s") && name.utf8.allSatisfy { $0 >= 97 && $0 <= 122 }
    return isWord ? "No \(name) here." : "Nothing here."
  }

  private func emptyAdvice(_ world: World) -> [String] {
    var advice: [String] = []
    if actions.contains(where: { $0.disabled == nil }) { advice.append("a shows what can be done here") }
    if reason(against: .upload, world) == nil { advice.append("u uploads a file to here") }
    return advice + ["r asks again"]
  }

  // MARK: Status

  /// `first 500`, empty when all rows are here.
  private var scope: String { next == nil ? "" : "first \(Format.count(table.rows.count))" }

  package func status(_ world: World) -> Line {
    var parts: [Span] = []
    func add(_ text: String, _ role: Style.Role) {
      if !parts.isEmpty { parts.append(Span("  ", .dim, on: .footer)) }
      parts.append(Span(text, role, on: .footer))
    }
    guard case .loaded = phase else { return Line() }
    if let problem = FilterPrompt.problem(table.filter) { return problem }
    if nextLook != nil { add("following", .info) }
    if waiting != nil || table.isSorting { add(Spinner.frame(world.now), .accent) }
    // Until the order has come the rows stand as they stood.
    if table.isSorting { add("sorting", .accent) }
    if !table.marks.isEmpty { add("\(Format.count(table.marks.count)) marked", .accent) }
    add(countText, .text)
    // Sorted here, among what is loaded: the order of the whole list may be another.
    if table.sort != nil, next != nil, query.sort == nil { add("sorted within", .warning) }
    if let age = FreshnessText.span(freshness, world) {
      add(age.text, age.style.role)
    } else if staleness != nil {
      add("not renewed", .warning)
    }
    if let sums = sums(columns: world.size.columns * 2 / 3 - Line(parts).columns - 2, world) { add(sums, .number) }
    return Line(parts)
  }

  /// What the marked rows or those of the filter come to; where there is room, what all come to.
  private func sums(columns: Int, _ world: World) -> String? {
    guard !table.marks.isEmpty || table.filter != nil || world.hasPreview else { return nil }
    let text = table.shownTotals.text(columns: columns)
    return world.isPrivate && table.hasPrivateTotals ? text.map { Mask.masked($0) } : text
  }

  private var countText: String {
    let loaded = table.rows.count
    let all: String
    switch (next, total) {
    case (nil, _): all = Format.count(loaded, "row")
    case (_, .exact(let total)): all = "first \(Format.count(loaded)) of \(Format.count(total))"
    case (_, .atLeast(let least)) where least > loaded:
      all = "first \(Format.count(loaded)) of \(Format.count(least))+"
    case (_, _): all = "first \(Format.count(loaded)) of many"
    }
    guard table.filter != nil else { return all }
    let near = table.filter?.isNear == true && table.count > 0 ? "nearly " : ""
    return "\(near)\(Format.count(table.count))\(table.isFiltering ? "…" : "") of "
      + all.replacing("first ", with: "the first ")
  }

  package func renderPrompt(into buffer: inout CellBuffer, area: Area) -> Bool {
    FilterPrompt.render(prompt, table.filter, into: &buffer, area: area)
  }
}
