import Model

/// Looks at text, JSON or bytes: an answer as received, a field in full, a document's content.
package struct ViewerScreen: Screen {
  enum Source: Sendable {
    case given
    /// The item's answer as the server sent it.
    case raw(Location)
    case content(Location)
  }

  enum Mode: String, Sendable { case text, tree, hex }

  enum Phase: Sendable {
    case idle
    case loading
    case loaded
    case failed(ServiceError)
  }

  package var id = 0
  let location: Location
  private(set) var title: String
  private let source: Source
  private(set) var phase = Phase.idle
  private var serial = 0

  private(set) var bytes: [UInt8] = []
  private(set) var mediaType = ""
  private(set) var isCut = false
  private(set) var mode = Mode.text
  private(set) var tree: JSONTree?
  private(set) var pager = Pager()
  private var hexTop = Scroller()
  private(set) var isWrapped = true
  private var layout: (columns: Int, isWrapped: Bool)?
  private(set) var prompt: TextField?

  /// As much of some content as a person looks at; the rest is what downloads are for.
  private static let maxBytes = 4 << 20

  package init(location: Location, title: String, text: String) {
    self.location = location
    self.title = title
    source = .given
    take(Array(text.utf8), mediaType: "text/plain")
  }

  package init(location: Location, title: String, answer: RawAnswer) {
    self.location = location
    self.title = title
    source = .given
    take(answer.bytes, mediaType: answer.mediaType)
  }

  package init(location: Location, title: String, bytes: [UInt8], mediaType: String) {
    self.location = location
    self.title = title
    source = .given
    take(bytes, mediaType: mediaType)
  }

  package init(raw location: Location, title: String) {
    self.location = location
    self.title = title
    source = .raw(location)
  }

  package init(content location: Location, head: ContentHead) {
    self.location = location
    title = head.name
    source = .content(location)
  }

  package var place: Place { mode == .tree ? .trees : .text }
  package var crumb: Crumb { .location(location) }
  package var takesText: Bool { prompt != nil }
  package func deadline(_ world: World) -> Timestamp? {
    guard case .loading = phase else { return nil }
    return Spinner.next(world.now)
  }

  private mutating func take(_ bytes: [UInt8], mediaType: String) {
    self.bytes = bytes
    self.mediaType = mediaType
    phase = .loaded
    layout = nil
    tree = ViewerScreen.mayBeJSON(bytes, mediaType) ? JSONOutline(bytes).map { JSONTree($0) } : nil
    mode = tree != nil ? .tree : ViewerScreen.isText(bytes) ? .text : .hex
  }

  private static func mayBeJSON(_ bytes: [UInt8], _ mediaType: String) -> Bool {
    if mediaType.contains("json") { return true }
    let first = bytes.first { $0 > 32 }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// Text is what is UTF-8 and has no NUL; a cut in the middle of a character is forgiven.
  private static func isText(_ bytes: [UInt8]) -> Bool {
    let sample = bytes.prefix(64 << 10)
    if sample.contains(0) { return false }
    let text = String(decoding: sample, as: UTF8.self)
    return !text.dropLast(1).unicodeScalars.contains("\u{FFFD}")
  }

  // MARK: Handling

  private func rows(_ world: World) -> Int { max(1, world.body.rows - headRows(world.body)) }
  private func headRows(_ area: Area) -> Int { area.rows >= 4 ? 1 : 0 }

  package mutating func handle(_ event: ScreenEvent, _ world: World) -> [Effect] {
    defer { prepare(world) }
    switch event {
    case .appeared: return load(isRefresh: false)
    case .command(let command, let times): return perform(command, times: times, world)
    case .key(let key): typed(key, world)
    case .paste(let text):
      prompt?.insert(text)
      find(world)
    case .mouse(let mouse):
      if mouse.kind == .wheelUp { return perform(.up, times: 3, world) }
      if mouse.kind == .wheelDown { return perform(.down, times: 3, world) }
    case .reply(let serial, let reply): return take(reply, serial: serial)
    case .deadline, .resized: break
    }
    return []
  }

  private mutating func load(isRefresh: Bool) -> [Effect] {
    if case .idle = phase {} else if !isRefresh { return [] }
    let request: Request
    switch source {
    case .given: return []
    case .raw(let location): request = .item(location, isRefresh: isRefresh)
    case .content(let location): request = .content(location, maxBytes: ViewerScreen.maxBytes)
    }
    phase = .loading
    serial += 1
    return [.ask(RequestID(owner: id, serial: serial), request)]
  }

  private mutating func take(_ reply: Reply, serial: Int) -> [Effect] {
    guard serial == self.serial else { return [] }
    switch reply {
    case .item(let item, _):
      if let raw = item.raw {
        take(raw.bytes, mediaType: raw.mediaType)
      } else {
        phase = .failed(.notOffered("show the answer", "this back end keeps no answer for it"))
      }
    case .content(let head, let bytes, let isCut):
      self.isCut = isCut
      take(bytes, mediaType: head.mediaType)
    case .failure(let error): phase = .failed(error)
    default: break
    }
    return []
  }

  private mutating func perform(_ command: Command, times: Int, _ world: World) -> [Effect] {
    switch command {
    case .filter:
      prompt = TextField()
      return []
    case .refresh, .reload: return load(isRefresh: true)
    case .view:
      mode = nextMode
      return []
    case .wrap:
      isWrapped.toggle()
      return []
    case .copy: return [.present(CopyMenu.dialog(copyEntries()))]
    case .openOutside: return [.outside(.pager(text: String(decoding: bytes, as: UTF8.self), name: title))]
    case .cancel:
      guard case .loading = phase else { return [] }
      phase = .failed(.cancelled("load \(location)"))
      return [.cancel(RequestID(owner: id, serial: serial))]
    default: break
    }
    if move(command, times: times, world) { return [] }
    return command == .back || command == .fold ? back() : []
  }

  private mutating func move(_ command: Command, times: Int, _ world: World) -> Bool {
    switch mode {
    case .tree:
      let page = rows(world)
      return tree?.handle(command, times: times, page: page) ?? false
    case .text:
      let page = rows(world)
      return pager.handle(command, times: times, page: page)
    case .hex:
      let count = HexLines.rows(bytes.count, width: HexLines.width(world.body.columns - 2))
      return hexTop.handle(command, times: times, count: count, page: rows(world))
    }
  }

  private mutating func back() -> [Effect] {
    guard finder.text.isEmpty else {
      pager.finder.clear()
      tree?.finder.clear()
      return []
    }
    return [.close]
  }

  private var modes: [Mode] { (tree == nil ? [] : [.tree]) + [.text, .hex] }

  private var nextMode: Mode {
    let at = modes.firstIndex(of: mode) ?? 0
    return modes[(at + 1) % modes.count]
  }

  var finder: Finder { mode == .tree ? tree?.finder ?? Finder() : pager.finder }

  private mutating func typed(_ key: Key, _ world: World) {
    switch key {
    case .escape:
      prompt = nil
      pager.finder.clear()
      tree?.finder.clear()
    case .enter: prompt = nil
    case .backspace where prompt?.isEmpty == true: prompt = nil
    default:
      guard prompt?.handle(key) == true else { return }
      find(world)
    }
  }

  private mutating func find(_ world: World) {
    guard let text = prompt?.text else { return }
    let page = rows(world)
    if mode == .tree {
      tree?.find(text, page: page)
    } else {
      pager.find(text)
      pager.showMatch(page: page)
    }
  }

  /// Lays the text out for the width there is, once for each width.
  private mutating func prepare(_ world: World) {
    let columns = max(1, world.body.columns - 2)
    guard case .loaded = phase, mode == .text, layout?.columns != columns || layout?.isWrapped != isWrapped else {
      return
    }
    layout = (columns, isWrapped)
    let lines: [Line]
    if let tree, mode == .text, mediaType.contains("json") || tree.outline.nodes.count > 1 {
      lines = tree.outline.prettyLines()
    } else {
      let text = String(decoding: bytes, as: UTF8.self)
      lines = (isWrapped ? Wrap.lines(text, columns: columns) : Visible.lines(text)).map { Line($0) }
    }
    pager.setLines(lines, page: rows(world))
  }

  private func copyEntries() -> [CopyMenu.Entry] {
    var entries: [CopyMenu.Entry] = []
    if let tree, mode == .tree, let node = tree.selected {
      let selected = tree.outline.nodes[node]
      if !selected.isContainer { entries.append(CopyMenu.Entry("Value", selected.text, isPrivate: true)) }
      entries.append(CopyMenu.Entry("JSON path", tree.outline.path(of: node)))
    }
    if ViewerScreen.isText(bytes) {
      entries.append(CopyMenu.Entry("All of it", String(decoding: bytes, as: UTF8.self), isPrivate: true))
    }
    return entries + [CopyMenu.Entry("Location", location.text)]
  }

  // MARK: What works just now

  package func hints(_ world: World) -> [Command] {
    [.filter, .nextMatch, .view, .unfold, .foldAll, .wrap, .copy, .openOutside, .help, .back]
  }

  package func reason(against command: Command, _ world: World) -> String? {
    switch command {
    case .nextMatch, .previousMatch: return finder.lines.isEmpty ? "nothing is looked for; / finds" : nil
    case .filter where mode == .hex: return "v shows it as text, where / finds"
    case .wrap: return mode == .text && tree == nil ? nil : "only text is wrapped"
    case .download, .upload, .delete: return "go back to the item for that"
    case .actions: return "go back to the item for its actions"
    case .nextPane, .previousPane: return "there is only one pane"
    default: return nil
    }
  }

  package func status(_ world: World) -> Line {
    guard case .loaded = phase else { return Line() }
    var parts: [Span] = []
    if !finder.status.isEmpty { parts += [Span(finder.status, .match, on: .footer), Span("  ", .dim, on: .footer)] }
    if let tree, mode == .tree, let node = tree.selected, world.size.columns >= 60 {
      parts += [
        Span(tree.outline.path(of: node).fitted(columns: world.size.columns / 3), .dim, on: .footer),
        Span("  ", .dim, on: .footer),
      ]
    }
    parts.append(Span("\(mode.rawValue)", .text, on: .footer))
    return Line(parts)
  }

  package func renderPrompt(into buffer: inout CellBuffer, area: Area) -> Bool {
    guard let prompt else { return false }
    PromptLine.render(prompt, into: &buffer, area: area)
    return true
  }

  // MARK: Drawing

  package func render(into buffer: inout CellBuffer, area: Area, world: World) {
    switch phase {
    case .idle, .loading: StateView.loading("Loading \(title)", into: &buffer, area: area, world: world)
    case .failed(let error): StateView.failed(error, into: &buffer, area: area, world: world, place: place)
    case .loaded:
      let (head, body) = area.cuttingTop(headRows(area))
      renderHead(into: &buffer, area: head)
      renderBody(into: &buffer, area: body, world: world)
    }
  }

  private func renderHead(into buffer: inout CellBuffer, area: Area) {
    guard !area.isEmpty else { return }
    buffer.fill(area, style: Style(.heading, on: .columns))
    let facts = "\(mediaType)  \(Format.plainSize(Int64(bytes.count)))\(isCut ? ", only the beginning" : "")"
    let room = area.columns - 4 - TextWidth.columns(of: title)
    buffer.put(
      title, column: 1, row: area.row, columns: area.columns - 2, style: Style(.title, on: .columns, bold: true))
    guard room > 12 else { return }
    buffer.putRight(
      facts, endColumn: area.endColumn - 1, row: area.row, columns: room, style: Style(.dim, on: .columns))
  }

  private func renderBody(into buffer: inout CellBuffer, area: Area, world: World) {
    if world.isPrivate {
      let key = world.keys.sign(for: .privacy, in: place)
      return StateView.empty("Privacy mode hides what is in here.", ["\(key) shows it"], into: &buffer, area: area)
    }
    if bytes.isEmpty { return StateView.empty("Nothing in it: 0 bytes.", [], into: &buffer, area: area) }
    switch mode {
    case .tree: tree?.render(into: &buffer, area: area)
    case .text: pager.render(into: &buffer, area: area)
    case .hex:
      let width = HexLines.width(area.columns - 2)
      let count = HexLines.rows(bytes.count, width: width)
      for (offset, row) in hexTop.visible(count: count, page: area.rows).enumerated() {
        buffer.put(
          HexLines.line(bytes, row: row, width: width), column: area.column + 1, row: area.row + offset,
          columns: area.columns - 2)
      }
      ScrollMark.render(into: &buffer, area: area, top: hexTop.top, page: area.rows, count: count)
    }
  }
}
