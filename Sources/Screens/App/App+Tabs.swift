import Model

/// Several places at once: tabs one behind the other, and in each one pane or two side by side.
extension App {
  /// Where a screen stands.
  struct Spot {
    let tab: Int
    let pane: Int
    let index: Int
  }

  func spot(of id: Int) -> Spot? { spots.first { screen(at: $0).id == id } }

  /// All screens, the lowest of each pane first.
  var spots: [Spot] {
    tabs.indices.flatMap { tab in
      tabs[tab].panes.indices.flatMap { pane in
        tabs[tab].panes[pane].stack.indices.map { Spot(tab: tab, pane: pane, index: $0) }
      }
    }
  }

  func screen(at spot: Spot) -> any Screen { tabs[spot.tab].panes[spot.pane].stack[spot.index] }

  /// Does something as if the pane of a screen were in focus: what follows from an answer happens where it was asked.
  mutating func inPane<Result>(_ tab: Int, _ pane: Int, _ work: (inout App) -> Result) -> Result {
    let before = (tab: self.tab, focus: tabs[tab].focus)
    self.tab = tab
    tabs[tab].focus = pane
    defer {
      self.tab = before.tab
      tabs[tab].focus = before.focus
    }
    return work(&self)
  }

  /// What happens in every pane in view.
  mutating func inShownPanes(_ work: (inout App) -> [Effect]) -> [Effect] {
    var effects: [Effect] = []
    for (pane, _) in tabs[tab].shown(columns: world.size.columns) { effects += inPane(tab, pane, work) }
    return effects
  }

  /// The world as the screens of the pane in focus see it: as wide as the pane.
  var view: World {
    var view = world
    let shown = tabs[tab].shown(columns: world.size.columns)
    view.size.columns = (shown.first { $0.pane == tabs[tab].focus } ?? shown[0]).columns.count
    return view
  }

  // MARK: Tabs

  /// Another tab beside this one, at the same place.
  mutating func openTab() -> [Effect] {
    guard tabs.count < App.mostTabs else { return [.say(Message(.info, "\(App.mostTabs) tabs are the most"))] }
    let here = pane.location
    tabs.insert(Tab(), at: tab + 1)
    tab += 1
    return rearranged() + entry(at: here)
  }

  /// More than a person tells apart, and than a line of titles holds.
  static let mostTabs = 20

  private func entry(at location: Location?) -> [Effect] {
    [.push(ConnectionsScreen())] + (location.map { [.open($0, nil)] } ?? [])
  }

  /// To a tab by its number from 1, or so many on or back; from the last it goes on to the first.
  mutating func showTab(_ step: Int, number: Int?) -> [Effect] {
    guard tabs.count > 1 else { return [.say(Message(.info, "There is one tab; \(sign(.newTab)) opens another"))] }
    let target = number.map { $0 - 1 } ?? (tab + step % tabs.count + tabs.count) % tabs.count
    guard tabs.indices.contains(target) else { return [.say(Message(.info, "There are \(tabs.count) tabs"))] }
    tab = target
    return reappeared()
  }

  mutating func closeTab() -> [Effect] {
    guard tabs.count > 1 else { return [.say(Message(.info, "This is the only tab; \(sign(.quit)) quits"))] }
    let gone = tabs.remove(at: tab)
    tab = max(0, min(tab, tabs.count - 1))
    return gone.panes.flatMap { withdraw($0) } + rearranged() + reappeared()
  }

  // MARK: Panes

  /// Two places side by side: two marked rows, or this place twice. Where there are two, the other one closes.
  mutating func split() -> [Effect] {
    if tabs[tab].isSplit { return closePane(1 - tabs[tab].focus) }
    let marked = (top as? ListingScreen)?.markedPair
    let here = pane.location
    tabs[tab].panes.append(Pane())
    var effects = resolve(marked.map { [.open($0.first.location, $0.first.opening)] } ?? [])
    tabs[tab].focus = 1
    effects += rearranged() + resolve(entry(at: marked?.second.location ?? here))
    if !tabs[tab].showsBoth(world.size.columns) {
      let text = "Both stand side by side from \(Tab.splitColumns) columns on; \(sign(.otherPane)) goes to the other"
      effects.append(.say(Message(.info, text)))
    }
    return effects
  }

  mutating func closePane(_ index: Int) -> [Effect] {
    guard tabs[tab].isSplit else { return [] }
    let gone = tabs[tab].panes.remove(at: index)
    tabs[tab].focus = 0
    return withdraw(gone) + rearranged() + reappeared()
  }

  mutating func otherPane() -> [Effect] {
    guard tabs[tab].isSplit else { return [.say(Message(.info, "There is one pane; \(sign(.split)) opens another"))] }
    tabs[tab].focus = 1 - tabs[tab].focus
    return reappeared()
  }

  // MARK: Parts

  private func sign(_ command: Command) -> String {
    let sign = world.keys.sign(for: command, in: top?.place ?? .everywhere)
    return sign.isEmpty ? ":\(command.rawValue)" : sign
  }

  private mutating func withdraw(_ pane: Pane) -> [Effect] { pane.stack.flatMap { withdraw(owner: $0.id) } }

  /// The screens in view have another size now.
  mutating func rearranged() -> [Effect] {
    world.headRows = tabs.count > 1 ? 2 : 1
    return inShownPanes { app in app.resolve(app.send(.resized)) }
  }

  /// Screens come into view again; those that never were load for the first time.
  private mutating func reappeared() -> [Effect] { inShownPanes { app in app.resolve(app.send(.appeared)) } }
}
