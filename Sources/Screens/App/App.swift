import Model

/// The whole program as a value: the screens in their tabs and panes, what lies over them, and what was said.
package struct App: Sendable {
  package var world: World
  var tabs = [Tab()]
  /// Which tab is in view.
  var tab = 0
  package internal(set) var overlays: [any Overlay] = []
  package internal(set) var messages: [Message] = []
  var toast: (message: Message, until: Timestamp)?
  /// Digits typed before a key: `12j`.
  var count: Int?
  var lastCancel: Timestamp?
  var lastID = 0
  var outstanding: Set<RequestID> = []
  var errands: [RequestID: Errand] = [:]
  var errandSerial = 0
  /// Lies over everything until the PIN is typed.
  var lock: ScreenLock?
  var lastInput = Timestamp(milliseconds: 0)
  /// When it is looked whether nobody typed for long enough; nil while no lock is wanted.
  var idleCheck: Timestamp?

  struct Errand: Sendable {
    let place: Location
    let doing: String
    let isDelete: Bool
  }

  /// Owner of requests that belong to no screen.
  static let ownID = 0
  static let mostMessages = 500

  package init(_ world: World) { self.world = world }

  /// Shows the first screen, or the tabs as they stood; those in the background load when they are looked at.
  package mutating func start(_ now: Timestamp) -> [Effect] {
    world.now = now
    noteInput()
    let places = world.memory.places.enumerated().filter { world.connection($0.element.connection) != nil }
    guard !places.isEmpty else { return resolve([.push(ConnectionsScreen())]) }
    tabs = places.prefix(App.mostTabs).map { _, location in
      Tab(panes: [
        Pane(
          stack: [named(ConnectionsScreen()), named(screen(location, nil))], trail: [(location, nil)], trailIndex: 0)
      ])
    }
    tab = tabs.indices.first { places[$0].offset == world.memory.place } ?? 0
    return rearranged() + resolve(send(.appeared))
  }

  /// The pane in focus, without copying it to change it.
  var pane: Pane {
    get { tabs[tab].pane }
    _modify { yield &tabs[tab].panes[tabs[tab].focus] }
  }

  /// Its screens, the lowest first.
  package internal(set) var stack: [any Screen] {
    get { pane.stack }
    _modify { yield &pane.stack }
  }

  package var top: (any Screen)? { stack.last }

  /// Whether what is typed just now is a secret, so that nobody writes it down.
  package var takesSecret: Bool { lock != nil || overlays.last?.takesSecret ?? false }

  /// Colour of the connection in view, so that production looks different.
  package var connectionColor: String? { connection.flatMap { world.connection($0)?.color } }

  /// The connection in view; in the hall the one selected.
  var connection: String? {
    if let hall = top as? ConnectionsScreen { return hall.selectedConnection(world) }
    if let search = top as? SearchScreen { return search.connection }
    return pane.location?.connection
  }

  /// When `wake` must be called; nil when nothing moves.
  package var deadline: Timestamp? {
    if lock != nil { return nil }
    let shown = tabs[tab].shown(columns: world.size.columns).map {
      tabs[tab].panes[$0.pane].stack.last?.deadline(world)
    }
    let times = [toast?.until, idleCheck] + shown + overlays.suffix(1).map { $0.deadline(world) }
    return times.compactMap { $0 }.min()
  }

  // MARK: Events

  package mutating func handle(_ event: TerminalEvent, _ now: Timestamp) -> [Effect] {
    world.now = now
    switch event {
    case .key, .paste, .mouse: noteInput()
    case .resized, .resumed, .focus, .hangUp: break
    }
    switch event {
    case .key(let key): return resolve(press(key))
    case .paste(let text): return resolve(paste(text))
    case .mouse(let mouse): return resolve(point(mouse))
    case .resized(let size):
      world.size = size
      return rearranged()
    case .resumed: return [.repaint]
    case .focus: return []
    case .hangUp: return [.quit]
    }
  }

  /// A time that `deadline` named has come.
  package mutating func wake(_ now: Timestamp) -> [Effect] {
    world.now = now
    if let toast, toast.until <= now { self.toast = nil }
    if let idleCheck, idleCheck <= now, isIdle { return resolve(lockScreen()) }
    var effects = inShownPanes { app in app.resolve(app.send(.deadline)) }
    if !overlays.isEmpty { effects += overlays[overlays.count - 1].handle(.deadline, world) }
    return resolve(effects)
  }

  /// An answer came for a request.
  package mutating func take(_ reply: Reply, for id: RequestID, _ now: Timestamp) -> [Effect] {
    world.now = now
    if reply.isFinal { outstanding.remove(id) }
    if let errand = errands.removeValue(forKey: id) { return resolve(finish(errand, reply)) }
    if lock?.id == id.owner { return resolve(tellLock(.reply(serial: id.serial, reply))) }
    if let spot = spot(of: id.owner) {
      return inPane(spot.tab, spot.pane) { app in
        if spot.index == app.stack.count - 1,
          (app.stack[spot.index] as? DetailScreen)?.hasGone(reply, serial: id.serial) == true
        {
          return app.resolve(.close, from: spot.index)
        }
        return app.resolve(app.stack[spot.index].handle(.reply(serial: id.serial, reply), app.view), from: spot.index)
      }
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
}
