import Model

extension SearchScreen {
  struct Layout {
    var words: Area
    var results: Area
    var snippet: Area
    var facets: Area
  }

  func layout(_ area: Area, _ world: World) -> Layout {
    let (words, rest) = area.cuttingTop(min(2 + hintRows(area), area.rows))
    var body = rest
    var facets = Area(columns: 0, rows: 0)
    if !self.facets.isEmpty, area.columns >= 72 {
      let (left, right) = body.cuttingLeft(body.columns - 28)
      facets = right.cuttingLeft(2).rest
      body = left
    } else if focus == .facets {
      // Too narrow for both: the facets take the place of the results.
      facets = body
      body = Area(columns: 0, rows: 0)
    }
    let (results, snippet) = body.cuttingBottom(body.rows >= 9 && hasSnippets ? 3 : 0)
    return Layout(words: words, results: results, snippet: snippet, facets: facets)
  }

  func page(_ world: World) -> Int { TableRendering.page(layout(world.body, world).results) }

  /// A line for a suggestion and one for what the server says of the results, where there is room.
  private func hintRows(_ area: Area) -> Int { area.rows >= 10 ? min(2, hints(in: area).count) : 0 }

  private func hints(in area: Area) -> [Line] {
    guard case .found = phase, !table.rows.isEmpty else { return [] }
    var lines: [Line] = []
    if let suggestion = suggestions.first, suggestion != words.text {
      lines.append(
        Line([
          Span(" Did you mean ", .dim), Span(suggestion, .accent), Span("?  ", .dim), Span("^T", .key),
          Span(" takes it", .dim),
        ]))
    }
    return lines + notices.map { Line(" ! \($0)", .warning) }
  }

  private var snippetColumn: Int? { table.columns.firstIndex { $0.id == "snippet" } }
  private var hasSnippets: Bool { snippetColumn != nil && !table.rows.isEmpty }

  package func render(into buffer: inout CellBuffer, area: Area, world: World) {
    let layout = layout(area, world)
    renderWords(into: &buffer, area: layout.words, world: world)
    switch phase {
    case .idle:
      StateView.empty("Type words, then Enter.", [], into: &buffer, area: layout.results)
    case .searching where table.rows.isEmpty:
      StateView.loading("Searching", into: &buffer, area: layout.results, world: world)
    case .failed(let error):
      StateView.failed(error, into: &buffer, area: layout.results, world: world, place: place)
    case .found where table.rows.isEmpty:
      let more = suggestions.first.map { ["Did you mean “\($0)”? ^T searches for it."] } ?? []
      StateView.empty("Nothing found for “\(words.text)”.", more + notices, into: &buffer, area: layout.results)
    case .found, .searching:
      if !layout.results.isEmpty {
        TableRendering(table: table, world: world, isFocused: focus == .results)
          .render(into: &buffer, area: layout.results)
        renderSnippet(into: &buffer, area: layout.snippet, world: world)
      }
    }
    renderFacets(into: &buffer, area: layout.facets)
  }

  private func renderWords(into buffer: inout CellBuffer, area: Area, world: World) {
    guard area.rows > 0 else { return }
    let end = buffer.put(" Search  ", column: area.column, row: area.row, style: Style(.label))
    let isFocused = focus == .words
    words.render(
      into: &buffer, column: end, row: area.row, columns: max(1, min(60, area.endColumn - end - 1)),
      style: Style(.text, on: isFocused ? .fieldFocused : .field), isFocused: isFocused)
    let hints = hints(in: area)
    for (offset, line) in hints.prefix(max(0, area.rows - 2)).enumerated() {
      buffer.put(line, column: area.column, row: area.row + 2 + offset, columns: area.columns)
    }
    guard area.rows > 1, !narrowed.isEmpty else { return }
    let chosen = narrowed.map { choice in
      facets.first { $0.id == choice.facet }?.buckets.first { $0.value == choice.value }?.title ?? choice.value
    }
    buffer.put(
      Line([Span(" only  ", .label), Span(chosen.joined(separator: " · "), .accent)]), column: area.column,
      row: area.row + 1, columns: area.columns)
  }

  /// The selected result's snippet, lit where the server found something, or else at the words typed.
  private func renderSnippet(into buffer: inout CellBuffer, area: Area, world: World) {
    guard area.rows > 1, let snippetColumn, let row = table.selected, snippetColumn < row.values.count else { return }
    let rule = String(repeating: "─", count: max(0, area.columns - 2))
    buffer.put(rule, column: area.column + 1, row: area.row, style: Style(.border))
    let text = row.values[snippetColumn].exactText
    let lines = Wrap.lines(world.isPrivate ? Mask.masked(text) : text, columns: area.columns - 2)
    let lit = world.isPrivate ? [] : litRanges(of: text, at: row.location, in: lines)
    for (offset, line) in lines.prefix(area.rows - 1).enumerated() {
      let at = area.row + 1 + offset
      buffer.put(line, column: area.column + 1, row: at, style: Style(.dim))
      let characters = Array(line)
      for range in lit.isEmpty ? [] : lit[offset] {
        let before = TextWidth.columns(of: String(characters[..<range.lowerBound]))
        buffer.put(
          String(characters[range]), column: area.column + 1 + before, row: at, style: Style(.match, bold: true))
      }
    }
  }

  /// What to light in each line: characters of it.
  private func litRanges(of text: String, at location: Location, in lines: [String]) -> [[Range<Int>]] {
    guard let found = matches[location] else {
      let typed = words.text.split(separator: " ").map { $0.lowercased() }
      return lines.map { TextSearch.ranges(of: typed, in: $0) }
    }
    let whole = Array(text)
    var start = 0
    return lines.map { line in
      let characters = Array(line)
      // Lines are broken at blanks, which belong to none of them.
      while start < whole.count, whole[start] == " ", characters.first != " " { start += 1 }
      defer { start += characters.count }
      return found.compactMap { range in
        let part = range.clamped(to: start..<start + characters.count)
        return part.isEmpty ? nil : part.lowerBound - start..<part.upperBound - start
      }
    }
  }

  private func renderFacets(into buffer: inout CellBuffer, area: Area) {
    guard !area.isEmpty else { return }
    if area.column > 0 {
      for row in area.row..<area.endRow { buffer.put("│", column: area.column - 2, row: row, style: Style(.border)) }
    }
    let lines = facetLines
    for (offset, position) in facetScroller.visible(count: lines.count, page: area.rows).enumerated() {
      let row = area.row + offset
      let isSelected = focus == .facets && position == facetScroller.selected
      let ground: Style.Ground = isSelected ? .selection : .screen
      buffer.fill(
        Area(column: area.column - 1, row: row, columns: area.columns, rows: 1), style: Style(.text, on: ground))
      switch lines[position] {
      case .title(let title):
        buffer.put(
          title, column: area.column, row: row, columns: area.columns - 1,
          style: Style(.heading, on: ground, bold: true))
      case .bucket(let facet, let bucket):
        let isChosen = narrowed.contains(SearchRequest.Choice(facet: facet, value: bucket.value))
        let count = Format.count(bucket.count)
        buffer.put(isChosen ? "✓" : " ", column: area.column, row: row, style: Style(.accent, on: ground))
        buffer.put(
          bucket.title, column: area.column + 2, row: row, columns: area.columns - count.count - 4,
          style: Style(isChosen ? .accent : .text, on: ground))
        buffer.putRight(
          count, endColumn: area.endColumn - 1, row: row, columns: count.count, style: Style(.number, on: ground))
      }
      if isSelected { buffer.cursor = (area.column, row) }
    }
  }

  package func status(_ world: World) -> Line {
    guard case .found = phase else { return Line() }
    let loaded = table.rows.count
    let text: String
    switch total {
    case .exact(let all):
      text = next == nil ? Format.count(all, "result") : "first \(Format.count(loaded)) of \(Format.count(all))"
    case .atLeast(let all): text = "first \(Format.count(loaded)) of \(Format.count(max(all, loaded)))+"
    case .unknown: text = next == nil ? Format.count(loaded, "result") : "first \(Format.count(loaded)) of many"
    }
    return Line([
      Span(isSearching ? Spinner.frame(world.now) + "  " : "", .accent, on: .footer), Span(text, .text, on: .footer),
    ])
  }
}
