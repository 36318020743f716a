import Model

/// What the app does itself of the effects of its screens; the rest goes on to the browser.
extension App {
  /// Does what the app does itself and hands on the rest.
  mutating func resolve(_ effects: [Effect], from origin: Int? = nil) -> [Effect] {
    var out: [Effect] = []
    for effect in effects { out += resolve(effect, from: origin) }
    return out
  }

  mutating func resolve(_ effect: Effect, from origin: Int?) -> [Effect] {
    switch effect {
    case .open(let location, let opening):
      guard opening != .nothing else { return [] }
      pane.trail.removeSubrange(min(pane.trail.count, pane.trailIndex + 1)...)
      pane.trail.append((location, opening))
      pane.trailIndex = pane.trail.count - 1
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
    case .arrange(let key, let arrangement):
      world.memory.columns[key] = arrangement
      return [.saveMemory(world.memory)] + resolve(send(.arranged(arrangement)))
    case .remember(let text):
      world.memory.remember(text)
      return [.saveMemory(world.memory)]
    case .quit:
      // Where the tabs stand is where the next start goes on; from the hall it begins in the hall.
      let standing = tabs.indices.filter { tabs[$0].pane.location != nil }
      world.memory.places = standing.compactMap { tabs[$0].pane.location }
      world.memory.place = standing.firstIndex(of: tab) ?? 0
      return [.saveMemory(world.memory), .quit]
    case .searched(let location):
      world.memory.remember(search: location)
      return [.saveMemory(world.memory)]
    case .ask(let id, _), .compute(let id, _):
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

  mutating func push(_ screen: any Screen) -> [Effect] {
    stack.append(named(screen))
    return resolve(send(.appeared))
  }

  /// The screen with a name of its own, under which it gets its answers.
  mutating func named(_ screen: any Screen) -> any Screen {
    lastID += 1
    var screen = screen
    screen.id = lastID
    return screen
  }

  mutating func replace(_ index: Int, with screen: any Screen) -> [Effect] {
    guard stack.indices.contains(index) else { return [] }
    let old = stack[index]
    stack[index] = named(screen)
    return withdraw(owner: old.id) + resolve(stack[index].handle(.appeared, view), from: index)
  }

  mutating func close() -> [Effect] {
    guard stack.count > 1, let screen = stack.popLast() else { return [] }
    // The history follows when the place below is the one before.
    if let location = top?.crumb.location,
      let index = pane.trail[..<max(0, pane.trailIndex)].lastIndex(where: { $0.location == location })
    {
      pane.trailIndex = index
    }
    return withdraw(owner: screen.id) + resolve(send(.appeared))
  }

  /// Takes back what a screen asked for that is gone.
  mutating func withdraw(owner: Int) -> [Effect] {
    let gone = outstanding.filter { $0.owner == owner }
    outstanding.subtract(gone)
    return gone.sorted { $0.serial < $1.serial }.map { .cancel($0) }
  }

  mutating func toggleBookmark(_ location: Location) -> [Effect] {
    if let index = world.bookmarks.firstIndex(of: location) {
      world.bookmarks.remove(at: index)
      say(Message(.info, "Bookmark taken away: \(location)"), world.now)
    } else {
      world.bookmarks.append(location)
      say(Message(.good, "Bookmarked: \(location)"), world.now)
    }
    return [.saveBookmarks(world.bookmarks)]
  }
}
