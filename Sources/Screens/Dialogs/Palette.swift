import Model

extension MenuDialog {
  /// Everything that can be done or gone to from here, found by a few letters.
  static func palette(for screen: any Screen, trail: [Location], _ world: World) -> MenuDialog {
    var entries: [Entry] = []
    var seen: Set<Command> = []
    for row in world.keys.rows where !row.place.isDisjoint(with: screen.place) && seen.insert(row.command).inserted {
      guard screen.reason(against: row.command, world) == nil, !moving.contains(row.command) else { continue }
      let sign = world.keys.sign(for: row.command, in: screen.place)
      entries.append(Entry(row.help, detail: sign.isEmpty ? row.command.rawValue : sign) { [.run(row.command)] })
    }
    entries += world.connections.map { info in
      Entry("go to \(info.root.text)", detail: info.kind.title) { [.open(info.root, .listing)] }
    }
    entries += world.bookmarks.map { location in
      Entry("go to \(location.text)", detail: "bookmark") { [.open(location, nil)] }
    }
    let known = Set(world.connections.map(\.root) + world.bookmarks)
    var gone: Set<Location> = []
    entries += trail.reversed().filter { !known.contains($0) && gone.insert($0).inserted }.prefix(20).map { location in
      Entry("go to \(location.text)", detail: "visited") { [.open(location, nil)] }
    }
    return MenuDialog(title: "Palette", entries: entries, isTyped: true, verb: "run")
  }

  /// Moving needs no name: it would only stand in the way.
  private static let moving: Set<Command> = [
    .up, .down, .pageUp, .pageDown, .halfPageUp, .halfPageDown, .first, .last, .nextPane, .previousPane, .palette,
    .nextMatch, .previousMatch, .fold, .unfold,
  ]
}
