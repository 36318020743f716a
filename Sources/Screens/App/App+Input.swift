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
    if !overlays.isEmpty { return overlays[overlays.count - 1].handle(.paste(text), world) }
    guard top?.takesText == true else {
      hint("Pasted text runs no commands; : goes to a pasted location, / filters by it")
      return []
    }
    return send(.paste(text))
  }

  mutating func point(_ mouse: Mouse) -> [Effect] {
    if !overlays.isEmpty { return overlays[overlays.count - 1].handle(.mouse(mouse), world) }
    let body = world.body
    if mouse.row == 0, mouse.kind == .press { return clickBreadcrumb(mouse.column) }
    guard mouse.row >= body.row, mouse.row < body.endRow else { return [] }
    return send(.mouse(Mouse(mouse.kind, column: mouse.column, row: mouse.row - body.row)))
  }

  func clickBreadcrumb(_ column: Int) -> [Effect] {
    guard let location = top?.crumb.location,
      let target = Breadcrumb(location, columns: world.size.columns).place(at: column), target != location
    else { return [] }
    return [.open(target, nil)]
  }

  mutating func send(_ event: ScreenEvent) -> [Effect] {
    guard !stack.isEmpty else { return [] }
    return stack[stack.count - 1].handle(event, world)
  }

  /// Ctrl-C: stops what runs; twice within a second quits.
  mutating func interrupt() -> [Effect] {
    if let lastCancel, world.now.milliseconds - lastCancel.milliseconds < 1000 { return [.quit] }
    lastCancel = world.now
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
    if let reason = top.reason(against: command, world), !AppCommands.handled.contains(command) {
      hint(sentence(command, reason))
      return []
    }
    return AppCommands.run(command, &self) ?? send(.command(command, times: times))
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
    let next = trailIndex + step
    guard trail.indices.contains(next) else {
      return [.say(Message(.info, step < 0 ? "This is where it began" : "This is the newest place"))]
    }
    trailIndex = next
    let (location, opening) = trail[next]
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
