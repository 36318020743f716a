import Model

/// Keys, pastes and the mouse, and the commands that keys stand for.
extension App {
  /// Shows a word about a key; it is no event that the messages must keep.
  mutating func hint(_ text: String) {
    let message = Message(.info, text, time: world.now)
    toast = (message, Timestamp(milliseconds: world.now.milliseconds + message.milliseconds))
  }

  mutating func press(_ key: Key) -> [Effect] {
    // Whatever a message says has been seen once a key is pressed.
    if let toast, toast.message.kind != .bad || key == .escape { self.toast = nil }
    if key == .control("c") { return interrupt() }
    if key == .control("l") { return [.repaint] }
    if key == .control("z") { return [.suspend] }
    if lock != nil { return tellLock(.key(key)) }
    if !overlays.isEmpty { return overlays[overlays.count - 1].handle(.key(key), world) }
    guard let top else { return [] }
    if top.takesText { return send(.key(key)) }
    if case .character(let letter) = key, let digit = letter.wholeNumberValue, letter.isASCII, digit > 0 || count != nil
    {
      count = min(1_000_000, (count ?? 0) * 10 + digit)
      return []
    }
    defer { count = nil }
    if key == .escape, count != nil { return [] }
    guard let command = world.keys.command(for: key, in: top.place) else {
      hint(unknown(key, top))
      return []
    }
    return run(command, times: count ?? 1, isCounted: count != nil)
  }

  mutating func paste(_ text: String) -> [Effect] {
    if lock != nil { return tellLock(.paste(text)) }
    if !overlays.isEmpty { return overlays[overlays.count - 1].handle(.paste(text), world) }
    guard top?.takesText == true else {
      hint("Pasted text runs no commands; : goes to a pasted location, / filters by it")
      return []
    }
    return send(.paste(text))
  }

  mutating func point(_ mouse: Mouse) -> [Effect] {
    if lock != nil { return tellLock(.mouse(mouse)) }
    if !overlays.isEmpty { return overlays[overlays.count - 1].handle(.mouse(mouse), world) }
    let body = world.body
    if mouse.row < body.row - 1, mouse.kind == .press { return clickTab(mouse.column) }
    guard mouse.row >= body.row - 1, mouse.row < body.endRow,
      let shown = tabs[tab].shown(columns: world.size.columns).first(where: { $0.columns.contains(mouse.column) })
    else { return [] }
    if mouse.kind == .press { tabs[tab].focus = shown.pane }
    let column = mouse.column - shown.columns.lowerBound
    return inPane(tab, shown.pane) { app in
      if mouse.row >= body.row {
        return app.resolve(app.send(.mouse(Mouse(mouse.kind, column: column, row: mouse.row - body.row))))
      }
      return mouse.kind == .press ? app.resolve(app.clickBreadcrumb(column)) : []
    }
  }

  private mutating func clickTab(_ column: Int) -> [Effect] {
    guard let hit = tabTitles.firstIndex(where: { $0.columns.contains(column) }) else { return [] }
    return showTab(0, number: hit + 1)
  }

  func clickBreadcrumb(_ column: Int) -> [Effect] {
    guard let location = top?.crumb.location,
      let target = Breadcrumb(location, columns: crumbColumns).place(at: column), target != location
    else { return [] }
    return [.open(target, nil)]
  }

  mutating func send(_ event: ScreenEvent) -> [Effect] {
    guard !stack.isEmpty else { return [] }
    return stack[stack.count - 1].handle(event, view)
  }

  /// Ctrl-C: stops what runs; twice within a second quits.
  mutating func interrupt() -> [Effect] {
    if let lastCancel, world.now.milliseconds - lastCancel.milliseconds < 1000 { return [.quit] }
    lastCancel = world.now
    if lock != nil { return tellLock(.key(.control("u"))) }
    if !overlays.isEmpty { return overlays[overlays.count - 1].handle(.key(.escape), world) }
    if top?.takesText == true { return send(.key(.escape)) }
    return send(.command(.cancel, times: 1)) + [.say(Message(.info, "Stopped. Ctrl-C once more quits."))]
  }

  // MARK: Commands

  mutating func run(_ command: Command, times: Int = 1, isCounted: Bool = false) -> [Effect] {
    guard let top else { return [] }
    if let row = world.keys.row(of: command), row.place.isDisjoint(with: top.place) {
      hint("“\(row.hint)” works in \(row.place.title), not here")
      return []
    }
    if let reason = top.reason(against: command, view), !AppCommands.handled.contains(command) {
      // Where a screen has one pane, the key goes on to the next.
      if [.nextPane, .previousPane].contains(command), tabs[tab].isSplit { return otherPane() }
      hint(sentence(command, reason))
      return []
    }
    return AppCommands.run(command, count: isCounted ? times : nil, &self) ?? send(.command(command, times: times))
  }

  func sentence(_ command: Command, _ reason: String) -> String {
    "“\(world.keys.row(of: command)?.hint ?? command.rawValue)” is off: \(reason)"
  }

  /// A key that means nothing here: where it would work, or where to look.
  func unknown(_ key: Key, _ top: any Screen) -> String {
    let rows = world.keys.rows.filter { $0.keys.contains(key) }
    if !rows.isEmpty {
      let places = rows.map { "\($0.place.title) (\($0.hint))" }.joined(separator: " and ")
      return "\(key.sign) works in \(places), not here"
    }
    let help = world.keys.sign(for: .help, in: top.place)
    return "\(key.sign) does nothing here" + (help.isEmpty ? "" : "; \(help) shows the keys that work")
  }

  /// Back in the history of places, or forward.
  mutating func walk(_ step: Int) -> [Effect] {
    let next = pane.trailIndex + step
    guard pane.trail.indices.contains(next) else {
      return [.say(Message(.info, step < 0 ? "This is where it began" : "This is the newest place"))]
    }
    pane.trailIndex = next
    let (location, opening) = pane.trail[next]
    if stack.count > 1, stack[stack.count - 2].crumb.location == location { return [.close] }
    return [.push(screen(location, opening))]
  }

  func screen(_ location: Location, _ opening: Row.Opening?) -> any Screen {
    // A search that was made before, from a bookmark, the history or a link.
    if location.path == ["search"], world.connection(location.connection)?.capabilities.contains(.search) == true {
      return SearchScreen(location)
    }
    return switch opening {
    case .listing: ListingScreen(location)
    case .item: DetailScreen(location)
    case .nothing, nil: OpeningScreen(location)
    }
  }
}
