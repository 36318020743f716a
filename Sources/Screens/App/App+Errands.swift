import Model

/// Changes somebody asked for: begun, told, and what shows the place loaded again.
extension App {
  mutating func begin(_ request: Request, _ place: Location, _ doing: String) -> [Effect] {
    errandSerial += 1
    let id = RequestID(owner: App.ownID, serial: errandSerial)
    var isDelete = false
    if case .delete = request { isDelete = true }
    errands[id] = Errand(place: place, doing: doing, isDelete: isDelete)
    say(Message(.info, "\(doing.prefix(1).uppercased() + doing.dropFirst())…"), world.now)
    return [.ask(id, request)]
  }

  mutating func finish(_ errand: Errand, _ reply: Reply) -> [Effect] {
    switch reply {
    case .outcome(let outcome):
      world.undo = outcome.undo
      let hint = outcome.undo.isEmpty ? "" : "  \(world.keys.sign(for: .undo, in: .places)) takes it back"
      var effects: [Effect] = [.say(Message(.good, outcome.message + hint))]
      if errand.isDelete, (top as? DetailScreen)?.location == errand.place { effects.append(.close) }
      noteDone(at: errand.place)
      effects.append(.changed(errand.place))
      if outcome.isAnswer, let place = outcome.location { effects.append(.open(place, nil)) }
      return effects
    case .signIn(let state):
      let name = state.user.map { " as \($0)" } ?? ""
      return [.say(Message(.good, "Signed in\(name)")), .changed(errand.place)]
    case .failure(let error):
      return [.say(Message(error.code == .cancelled ? .info : .bad, error.message))]
    default: return [.say(Message(.good, "Done: \(errand.doing)"))]
    }
  }

  /// What was done at a place may have taken it away, as sending a waiting edit does: then its screen is left.
  private mutating func noteDone(at place: Location) {
    for index in stack.indices {
      guard var detail = stack[index] as? DetailScreen, detail.location == place else { continue }
      detail.isLeftWhenGone = true
      stack[index] = detail
    }
  }

  /// A job left something new at a place.
  package mutating func changed(_ location: Location, _ now: Timestamp) -> [Effect] {
    world.now = now
    return renew(location)
  }

  /// Goes to a place that has just come into being.
  package mutating func visit(_ location: Location, _ now: Timestamp) -> [Effect] {
    world.now = now
    return resolve([.open(location, .listing)])
  }

  /// Screens that show a place, something in it, or the place it is in load again.
  mutating func renew(_ location: Location) -> [Effect] {
    var effects: [Effect] = []
    for spot in spots where isNear(screen(at: spot), location) {
      effects += inPane(spot.tab, spot.pane) { app in
        app.resolve(app.stack[spot.index].handle(.command(.refresh, times: 1), app.view), from: spot.index)
      }
    }
    return effects
  }

  private func isNear(_ screen: any Screen, _ location: Location) -> Bool {
    if screen is SyncScreen { return true }
    guard let shown = screen.crumb.location, shown.connection == location.connection else { return false }
    return shown == location || location.parent == shown || shown.text.hasPrefix(location.text)
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
