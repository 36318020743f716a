import Model

/// The whole program as a value: the stack of screens, what lies over it, and what was said.
package struct App: Sendable {
  package var world: World
  package private(set) var stack: [any Screen] = []
  package private(set) var overlays: [any Overlay] = []
  package private(set) var messages: [Message] = []
  private(set) var toast: (message: Message, until: Timestamp)?
  /// Places visited, and where in them we are.
  private(set) var trail: [(location: Location, opening: Row.Opening?)] = []
  private var trailIndex = -1
  /// Digits typed before a key: `12j`.
  private(set) var count: Int?
  private var lastCancel: Timestamp?
  private var lastID = 0
  private var outstanding: Set<RequestID> = []
  private var errands: [RequestID: Errand] = [:]
  private var errandSerial = 0

  private struct Errand: Sendable {
    let place: Location
    let doing: String
    let isDelete: Bool
  }

  /// Owner of requests that belong to no screen.
  private static let ownID = 0
  private static let mostMessages = 500

  package init(_ world: World) { self.world = world }

  /// Shows the first screen.
  package mutating func start(_ now: Timestamp) -> [Effect] {
    world.now = now
    return resolve([.push(ConnectionsScreen())])
  }

  package var top: (any Screen)? { stack.last }

  /// Colour of the connection in view, so that production looks different.
  package var connectionColor: String? { connection.flatMap { world.connection($0)?.color } }

  /// The connection in view; in the hall the one selected.
  var connection: String? {
    if let hall = top as? ConnectionsScreen { return hall.selectedConnection(world) }
    if let search = top as? SearchScreen { return search.connection }
    return stack.last { $0.crumb.location != nil }?.crumb.location?.connection
  }

  /// When `wake` must be called; nil when nothing moves.
  package var deadline: Timestamp? {
    let times = [toast?.until, top?.deadline(world)] + overlays.suffix(1).map { $0.deadline(world) }
    return times.compactMap { $0 }.min()
  }

  // MARK: Events

  package mutating func handle(_ event: TerminalEvent, _ now: Timestamp) -> [Effect] {
    world.now = now
    switch event {
    case .key(let key): return resolve(press(key))
    case .paste(let text): return resolve(paste(text))
    case .mouse(let mouse): return resolve(point(mouse))
    case .resized(let size):
      world.size = size
      return resolve(send(.resized))
    case .resumed: return [.repaint]
    case .focus: return []
    case .hangUp: return [.quit]
    }
  }

  /// A time that `deadline` named has come.
  package mutating func wake(_ now: Timestamp) -> [Effect] {
    world.now = now
    if let toast, toast.until <= now { self.toast = nil }
    var effects = send(.deadline)
    if !overlays.isEmpty { effects += overlays[overlays.count - 1].handle(.deadline, world) }
    return resolve(effects)
  }

  /// An answer came for a request.
  package mutating func take(_ reply: Reply, for id: RequestID, _ now: Timestamp) -> [Effect] {
    world.now = now
    if reply.isFinal { outstanding.remove(id) }
    if let errand = errands.removeValue(forKey: id) { return resolve(finish(errand, reply)) }
    if let index = stack.firstIndex(where: { $0.id == id.owner }) {
      return resolve(stack[index].handle(.reply(serial: id.serial, reply), world), from: index)
    }
    if let index = overlays.firstIndex(where: { $0.id == id.owner }) {
      return resolve(overlays[index].handle(.reply(serial: id.serial, reply), world))
    }
    return []
  }

  /// A back end asks; nil takes a question back that nobody needs answered any more.
  package mutating func ask(_ question: (id: Int, question: Question)?, _ now: Timestamp) -> [Effect] {
    world.now = now
    overlays.removeAll { $0.question != nil && $0.question != question?.id }
    guard let question, !overlays.contains(where: { $0.question == question.id }) else { return [] }
    return resolve([.present(QuestionDialog.overlay(question.question, id: question.id))])
  }

  package mutating func say(_ message: Message, _ now: Timestamp) {
    world.now = now
    var message = message
    message.time = now
    messages.append(message)
    if messages.count > App.mostMessages { messages.removeFirst(messages.count - App.mostMessages) }
    toast = (message, Timestamp(milliseconds: now.milliseconds + message.milliseconds))
  }

  // MARK: Input

  private mutating func press(_ key: Key) -> [Effect] {
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
    guard let command = world.keys.command(for: key, in: top.place) else { return [] }
    return run(command, times: count ?? 1, isCounted: count != nil)
  }

  private mutating func paste(_ text: String) -> [Effect] {
    if !overlays.isEmpty { return overlays[overlays.count - 1].handle(.paste(text), world) }
    return top?.takesText == true ? send(.paste(text)) : []
  }

  private mutating func point(_ mouse: Mouse) -> [Effect] {
    if !overlays.isEmpty { return overlays[overlays.count - 1].handle(.mouse(mouse), world) }
    let body = world.body
    if mouse.row == 0, mouse.kind == .press { return clickBreadcrumb(mouse.column) }
    guard mouse.row >= body.row, mouse.row < body.endRow else { return [] }
    return send(.mouse(Mouse(mouse.kind, column: mouse.column, row: mouse.row - body.row)))
  }

  private func clickBreadcrumb(_ column: Int) -> [Effect] {
    guard let location = top?.crumb.location,
      let target = Breadcrumb(location, columns: world.size.columns).place(at: column), target != location
    else { return [] }
    return [.open(target, nil)]
  }

  private mutating func send(_ event: ScreenEvent) -> [Effect] {
    guard !stack.isEmpty else { return [] }
    return stack[stack.count - 1].handle(event, world)
  }

  /// Ctrl-C: stops what runs; twice within a second quits.
  private mutating func interrupt() -> [Effect] {
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
      return [.say(Message(.warning, "“\(row.hint)” works in \(row.place.title), not here"))]
    }
    if let reason = top.reason(against: command, world), !AppCommands.handled.contains(command) {
      return [.say(Message(.info, sentence(command, reason)))]
    }
    return AppCommands.run(command, &self) ?? send(.command(command, times: times))
  }

  private func sentence(_ command: Command, _ reason: String) -> String {
    let name = world.keys.row(of: command)?.hint ?? command.rawValue
    return "\(name.prefix(1).uppercased() + name.dropFirst()) is off: \(reason)"
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

  private func screen(_ location: Location, _ opening: Row.Opening?) -> any Screen {
    switch opening {
    case .listing: ListingScreen(location)
    case .item: DetailScreen(location)
    case .nothing, nil: OpeningScreen(location)
    }
  }

  // MARK: Effects

  /// Does what the app does itself and hands on the rest.
  private mutating func resolve(_ effects: [Effect], from origin: Int? = nil) -> [Effect] {
    var out: [Effect] = []
    for effect in effects { out += resolve(effect, from: origin) }
    return out
  }

  private mutating func resolve(_ effect: Effect, from origin: Int?) -> [Effect] {
    switch effect {
    case .open(let location, let opening):
      guard opening != .nothing else { return [] }
      trail.removeSubrange(min(trail.count, trailIndex + 1)...)
      trail.append((location, opening))
      trailIndex = trail.count - 1
      return resolve(.push(screen(location, opening)), from: nil)
    case .push(let screen): return push(screen)
    case .replace(let screen): return replace(origin ?? stack.count - 1, with: screen)
    case .close: return close()
    case .present(let overlay):
      lastID += 1
      var overlay = overlay
      overlay.id = lastID
      overlays.append(overlay)
      return resolve(overlays[overlays.count - 1].handle(.appeared, world))
    case .dismiss:
      guard let overlay = overlays.popLast() else { return [] }
      return withdraw(owner: overlay.id)
    case .say(let message):
      say(message, world.now)
      return []
    case .run(let command): return resolve(run(command))
    case .changed(let location): return renew(location)
    case .errand(let request, let place, let doing): return begin(request, place, doing)
    case .toggleBookmark(let location): return toggleBookmark(location)
    case .remember(let text):
      world.typed.removeAll { $0 == text }
      world.typed.append(text)
      return []
    case .ask(let id, _):
      outstanding.insert(id)
      return [effect]
    case .cancel(let id):
      outstanding.remove(id)
      return [effect]
    case .useTheme(let name):
      world.theme = name
      return [effect]
    case .useMouse(let isOn):
      world.hasMouse = isOn
      return [effect]
    default: return [effect]
    }
  }

  private mutating func push(_ screen: any Screen) -> [Effect] {
    lastID += 1
    var screen = screen
    screen.id = lastID
    stack.append(screen)
    return resolve(send(.appeared))
  }

  private mutating func replace(_ index: Int, with screen: any Screen) -> [Effect] {
    guard stack.indices.contains(index) else { return [] }
    let old = stack[index]
    lastID += 1
    var screen = screen
    screen.id = lastID
    stack[index] = screen
    return withdraw(owner: old.id) + resolve(stack[index].handle(.appeared, world), from: index)
  }

  private mutating func close() -> [Effect] {
    guard stack.count > 1, let screen = stack.popLast() else { return [] }
    // The history follows when the place below is the one before.
    if let location = top?.crumb.location,
      let index = trail[..<max(0, trailIndex)].lastIndex(where: { $0.location == location })
    {
      trailIndex = index
    }
    return withdraw(owner: screen.id) + resolve(send(.appeared))
  }

  /// Takes back what a screen asked for that is gone.
  private mutating func withdraw(owner: Int) -> [Effect] {
    let gone = outstanding.filter { $0.owner == owner }
    outstanding.subtract(gone)
    return gone.sorted { $0.serial < $1.serial }.map { .cancel($0) }
  }

  private mutating func toggleBookmark(_ location: Location) -> [Effect] {
    if let index = world.bookmarks.firstIndex(of: location) {
      world.bookmarks.remove(at: index)
      say(Message(.info, "Bookmark taken away: \(location)"), world.now)
    } else {
      world.bookmarks.append(location)
      say(Message(.good, "Bookmarked: \(location)"), world.now)
    }
    return [.saveBookmarks(world.bookmarks)]
  }

  // MARK: Errands

  private mutating func begin(_ request: Request, _ place: Location, _ doing: String) -> [Effect] {
    errandSerial += 1
    let id = RequestID(owner: App.ownID, serial: errandSerial)
    var isDelete = false
    if case .delete = request { isDelete = true }
    errands[id] = Errand(place: place, doing: doing, isDelete: isDelete)
    say(Message(.info, "\(doing.prefix(1).uppercased() + doing.dropFirst())…"), world.now)
    return [.ask(id, request)]
  }

  private mutating func finish(_ errand: Errand, _ reply: Reply) -> [Effect] {
    switch reply {
    case .outcome(let outcome):
      var effects: [Effect] = [.say(Message(.good, outcome.message))]
      if errand.isDelete, (top as? DetailScreen)?.location == errand.place { effects.append(.close) }
      return effects + [.changed(errand.place)]
    case .signIn(let state):
      let name = state.user.map { " as \($0)" } ?? ""
      return [.say(Message(.good, "Signed in\(name)")), .changed(errand.place)]
    case .failure(let error):
      return [.say(Message(error.code == .cancelled ? .info : .bad, error.message))]
    default: return [.say(Message(.good, "Done: \(errand.doing)"))]
    }
  }

  /// Screens that show a place, something in it, or the place it is in load again.
  private mutating func renew(_ location: Location) -> [Effect] {
    var effects: [Effect] = []
    for index in stack.indices {
      guard let shown = stack[index].crumb.location, shown.connection == location.connection else { continue }
      let isNear = shown == location || location.parent == shown || shown.text.hasPrefix(location.text)
      if isNear { effects += resolve(stack[index].handle(.command(.refresh, times: 1), world), from: index) }
    }
    return effects
  }
}

extension Reply {
  /// Whether nothing more comes for the same request.
  package var isFinal: Bool {
    switch self {
    case .listing(_, let isFinal), .item(_, let isFinal): isFinal
    default: true
    }
  }
}
