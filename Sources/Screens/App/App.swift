import Model

/// The whole program as a value: the stack of screens, what lies over it, and what was said.
package struct App: Sendable {
  package var world: World
  package internal(set) var stack: [any Screen] = []
  package internal(set) var overlays: [any Overlay] = []
  package internal(set) var messages: [Message] = []
  var toast: (message: Message, until: Timestamp)?
  /// Places visited, and where in them we are.
  var trail: [(location: Location, opening: Row.Opening?)] = []
  var trailIndex = -1
  /// Digits typed before a key: `12j`.
  var count: Int?
  var lastCancel: Timestamp?
  var lastID = 0
  var outstanding: Set<RequestID> = []
  var errands: [RequestID: Errand] = [:]
  var errandSerial = 0

  struct Errand: Sendable {
    let place: Location
    let doing: String
    let isDelete: Bool
  }

  /// Owner of requests that belong to no screen.
  static let ownID = 0
  static let mostMessages = 500

  package init(_ world: World) { self.world = world }

  /// Shows the first screen.
  package mutating func start(_ now: Timestamp) -> [Effect] {
    world.now = now
    var effects = resolve([.push(ConnectionsScreen())])
    let memory = world.memory
    if memory.places.indices.contains(memory.place), world.connection(memory.places[memory.place].connection) != nil {
      effects += resolve([.open(memory.places[memory.place], nil)])
    }
    return effects
  }

  package var top: (any Screen)? { stack.last }

  /// Whether what is typed just now is a secret, so that nobody writes it down.
  package var takesSecret: Bool { overlays.last?.takesSecret ?? false }

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
}
