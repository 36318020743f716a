import Model

/// Two texts side by side, such as two versions of a file: what went at the left, what came at the right.
package struct CompareScreen: Screen {
  /// One of the two, and what is known of it.
  struct Side: Sendable {
    let location: Location
    let title: String
    var lines: [String]?
    var failure: ServiceError?
  }

  package var id = 0
  private var sides: [Side]
  private var diff: LineDiff?
  private var scroller = Scroller()
  private static let maxBytes = 2 << 20

  package init(_ old: (location: Location, title: String), _ new: (location: Location, title: String)) {
    sides = [old, new].map { Side(location: $0.location, title: $0.title) }
  }

  package var place: Place { .text }
  package var crumb: Crumb { .title("\(sides[0].title) ↔ \(sides[1].title)") }
  private var failure: ServiceError? { sides.lazy.compactMap(\.failure).first }
  private var isLoading: Bool { diff == nil && failure == nil }
  package func deadline(_ world: World) -> Timestamp? { isLoading ? Spinner.next(world.now) : nil }

  // MARK: Handling

  package mutating func handle(_ event: ScreenEvent, _ world: World) -> [Effect] {
    switch event {
    case .appeared: return isLoading && sides.allSatisfy { $0.lines == nil } ? load() : []
    case .reply(let serial, let reply): return take(reply, serial)
    case .command(let command, let times): return perform(command, times, world)
    case .mouse(let mouse):
      if mouse.kind == .wheelUp { scroller.wheel(by: -3, count: count, page: page(world)) }
      if mouse.kind == .wheelDown { scroller.wheel(by: 3, count: count, page: page(world)) }
    case .key, .paste, .arranged, .deadline, .resized: break
    }
    return []
  }

  private func load() -> [Effect] {
    sides.enumerated().map { index, side in
      .ask(RequestID(owner: id, serial: index), .content(side.location, maxBytes: CompareScreen.maxBytes))
    }
  }

  /// Serials 0 and 1 are the contents, 2 and 3 what was made of them.
  private mutating func take(_ reply: Reply, _ serial: Int) -> [Effect] {
    let index = serial % 2
    switch reply {
    case .content(let head, let bytes, let isCut):
      if ViewerScreen.isPDF(bytes, head.mediaType), !isCut {
        return [.ask(RequestID(owner: id, serial: index + 2), .convert(bytes, .pdfText))]
      }
      guard ViewerScreen.isText(bytes) else {
        sides[index].failure = .notOffered(
          "compare \(sides[index].title)", "it is neither text nor a PDF, but \(head.mediaType)")
        return []
      }
      set(String(decoding: bytes, as: UTF8.self), index)
    case .converted(let text): set(text, index)
    case .failure(let error): sides[index].failure = error
    default: break
    }
    return []
  }

  private mutating func set(_ text: String, _ index: Int) {
    sides[index].lines = Visible.lines(text)
    if let old = sides[0].lines, let new = sides[1].lines { diff = LineDiff(old, new) }
  }

  private mutating func perform(_ command: Command, _ times: Int, _ world: World) -> [Effect] {
    if scroller.handle(command, times: times, count: count, page: page(world)) { return [] }
    switch command {
    case .nextMatch: step(world, diff?.changes.first { $0 > scroller.selected })
    case .previousMatch: step(world, diff?.changes.last { $0 < scroller.selected })
    case .refresh, .reload:
      diff = nil
      for index in sides.indices {
        sides[index].lines = nil
        sides[index].failure = nil
      }
      return load()
    case .back: return [.close]
    default: break
    }
    return []
  }

  private mutating func step(_ world: World, _ row: Int?) {
    guard let row else { return }
    scroller.select(row, count: count, page: page(world))
  }

  private var count: Int { diff?.rows.count ?? 0 }
  private func page(_ world: World) -> Int { max(1, world.body.rows - 1) }

  // MARK: Drawing

  package func render(into buffer: inout CellBuffer, area: Area, world: World) {
    if let failure { return StateView.failed(failure, into: &buffer, area: area, world: world, place: place) }
    guard let diff else {
      return StateView.loading("Fetching both", into: &buffer, area: area, world: world)
    }
    if world.isPrivate {
      let key = world.keys.sign(for: .privacy, in: place)
      return StateView.empty("Privacy mode hides what is in here.", ["\(key) shows it"], into: &buffer, area: area)
    }
    let (head, body) = area.cuttingTop(1)
    buffer.fill(head, style: Style(.heading, on: .columns))
    let halves = halves(body)
    for (side, half) in zip(sides, halves) {
      buffer.put(
        side.title, column: half.column + 1, row: head.row, columns: half.columns - 2,
        style: Style(.title, on: .columns, bold: true))
    }
    if diff.changes.isEmpty {
      return StateView.empty("The two are the same, line for line.", [], into: &buffer, area: body)
    }
    for (offset, position) in scroller.visible(count: count, page: body.rows).enumerated() {
      render(
        diff.rows[position], into: &buffer, halves, row: body.row + offset, isSelected: position == scroller.selected)
    }
    for row in body.row..<body.endRow { buffer.put("│", column: halves[1].column - 1, row: row, style: Style(.border)) }
    ScrollMark.render(into: &buffer, area: body, top: scroller.top, page: body.rows, count: count)
  }

  private func halves(_ area: Area) -> [Area] {
    let (left, right) = area.cuttingLeft(area.columns / 2)
    return [left, right.cuttingLeft(1).rest]
  }

  private func render(
    _ line: LineDiff.Row, into buffer: inout CellBuffer, _ halves: [Area], row: Int, isSelected: Bool
  ) {
    let positions: [Int?]
    let roles: [Style.Role]
    let signs: [String]
    switch line {
    case .same(let old, let new): (positions, roles, signs) = ([old, new], [.text, .text], [" ", " "])
    case .changed(let old, let new): (positions, roles, signs) = ([old, new], [.bad, .good], ["-", "+"])
    }
    for index in 0..<2 {
      guard let position = positions[index], let text = sides[index].lines?[position] else { continue }
      let half = halves[index]
      let style = Style(roles[index], on: isSelected ? .selection : .screen)
      if isSelected { buffer.fill(Area(column: half.column, row: row, columns: half.columns, rows: 1), style: style) }
      buffer.put(signs[index], column: half.column, row: row, style: style)
      buffer.put(text, column: half.column + 2, row: row, columns: half.columns - 3, style: style)
    }
    if isSelected { buffer.cursor = (halves[0].column, row) }
  }

  // MARK: What works just now

  package func hints(_ world: World) -> [Command] { [.nextMatch, .previousMatch, .help, .back] }

  package func reason(against command: Command, _ world: World) -> String? {
    switch command {
    case .nextMatch, .previousMatch: return diff?.changes.isEmpty == false ? nil : "there is no change to go to"
    case .filter, .copy, .view, .wrap, .openOutside: return "go back and open one of the two"
    case .actions, .download, .upload, .delete: return "go back for that"
    default: return nil
    }
  }

  package func status(_ world: World) -> Line {
    guard let diff else { return Line() }
    let at = diff.changes.count { $0 <= scroller.selected }
    return Line([Span("change \(at) of \(Format.count(diff.changes.count))", .text, on: .footer)])
  }
}
