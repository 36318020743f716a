import Model

/// What keys and answers do.
extension ViewerScreen {
  func rows(_ world: World) -> Int { max(1, world.body.rows - headRows(world.body)) }
  func headRows(_ area: Area) -> Int { area.rows >= 4 ? 1 : 0 }

  package mutating func handle(_ event: ScreenEvent, _ world: World) -> [Effect] {
    let effects = respond(to: event, world)
    prepare(world)
    return effects + convert(world)
  }

  /// Has a picture or a PDF made into something to look at; a picture again when the room changes.
  private mutating func convert(_ world: World) -> [Effect] {
    guard case .loaded = phase, mode == .picture, conversionFailure == nil else { return [] }
    let room = Size(columns: max(4, world.body.columns - 2), rows: rows(world))
    let form: PictureForm = world.canvas.map { .graphics($0) } ?? .blocks(colors: world.colors)
    let order: Conversion = ViewerScreen.isPDF(bytes, mediaType) ? .pdfText : .picture(room, form)
    guard ordered != order else { return [] }
    // Graphics of another size have no place any more; block characters may stay until the next come.
    if isGraphic { converted = nil }
    ordered = order
    serial += 1
    return [.ask(RequestID(owner: id, serial: serial), .convert(bytes, order))]
  }

  private mutating func respond(to event: ScreenEvent, _ world: World) -> [Effect] {
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
    case .arranged, .deadline, .resized: break
    }
    return []
  }

  /// Whether what was made is painted by the terminal itself.
  var isGraphic: Bool {
    if case .picture(_, .graphics) = ordered { true } else { false }
  }

  mutating func load(isRefresh: Bool) -> [Effect] {
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

  mutating func take(_ reply: Reply, serial: Int) -> [Effect] {
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
    case .converted(let text):
      converted = text
      layout = nil
    case .failure(let error):
      if case .loaded = phase { conversionFailure = error } else { phase = .failed(error) }
    default: break
    }
    return []
  }

  mutating func perform(_ command: Command, times: Int, _ world: World) -> [Effect] {
    switch command {
    case .filter:
      prompt = TextField()
      return []
    case .refresh, .reload: return load(isRefresh: true)
    case .view:
      mode = nextMode
      layout = nil
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

  mutating func move(_ command: Command, times: Int, _ world: World) -> Bool {
    switch mode {
    case .tree:
      let page = rows(world)
      return tree?.handle(command, times: times, page: page) ?? false
    case .text, .picture:
      let page = rows(world)
      return pager.handle(command, times: times, page: page)
    case .hex:
      let count = HexLines.rows(bytes.count, width: HexLines.width(world.body.columns - 2))
      return hexTop.handle(command, times: times, count: count, page: rows(world))
    }
  }

  mutating func back() -> [Effect] {
    guard finder.text.isEmpty else {
      pager.finder.clear()
      tree?.finder.clear()
      return []
    }
    return [.close]
  }

  var modes: [Mode] { (tree == nil ? [] : [.tree]) + (isConvertible ? [.picture] : []) + [.text, .hex] }

  var nextMode: Mode {
    let at = modes.firstIndex(of: mode) ?? 0
    return modes[(at + 1) % modes.count]
  }

  var finder: Finder { mode == .tree ? tree?.finder ?? Finder() : pager.finder }

  mutating func typed(_ key: Key, _ world: World) {
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

  mutating func find(_ world: World) {
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
  mutating func prepare(_ world: World) {
    let columns = max(1, world.body.columns - 2)
    guard case .loaded = phase, mode == .text || mode == .picture,
      layout?.columns != columns || layout?.isWrapped != isWrapped
    else {
      return
    }
    layout = (columns, isWrapped)
    let lines: [Line]
    if mode == .picture {
      // Its lines are made for the room there is.
      let text = isGraphic ? "" : converted ?? ""
      if ordered == .pdfText {
        lines = (isWrapped ? Wrap.lines(text, columns: columns) : Visible.lines(text)).map { Line($0) }
      } else {
        lines = PaintedText.lines(text)
      }
    } else if let tree, mode == .text, mediaType.contains("json") || tree.outline.nodes.count > 1 {
      lines = tree.outline.prettyLines()
    } else {
      let text = String(decoding: bytes, as: UTF8.self)
      lines = (isWrapped ? Wrap.lines(text, columns: columns) : Visible.lines(text)).map { Line($0) }
    }
    pager.setLines(lines, page: rows(world))
  }

  func copyEntries() -> [CopyMenu.Entry] {
    var entries: [CopyMenu.Entry] = []
    if let tree, mode == .tree, let node = tree.selected {
      let selected = tree.outline.nodes[node]
      if !selected.isContainer { entries.append(CopyMenu.Entry("Value", selected.text, isPrivate: true)) }
      entries.append(CopyMenu.Entry("JSON path", tree.outline.path(of: node)))
    }
    if let converted, mode == .picture, ordered == .pdfText {
      entries.append(CopyMenu.Entry("All of it", converted, isPrivate: true))
    } else if ViewerScreen.isText(bytes) {
      entries.append(CopyMenu.Entry("All of it", String(decoding: bytes, as: UTF8.self), isPrivate: true))
    }
    return entries + [CopyMenu.Entry("Location", location.text)]
  }
}
