import Model

/// The key table with the overrides of the configuration.
package struct KeyMap: Sendable, Hashable {
  package private(set) var rows: [KeyRow]

  package static let standard = KeyMap(rows: KeyTable.rows)

  private init(rows: [KeyRow]) { self.rows = rows }

  /// Applies `keys:`, key name → action name. What cannot be applied is left out and told, never fatal.
  ///
  /// - Returns: The map, and a sentence for each override that names no key or no action, or takes a key that always
  ///   works away from everybody.
  package static func standard(overrides: [(key: String, action: String)]) -> (map: KeyMap, problems: [String]) {
    var map = KeyMap.standard
    var problems: [String] = []
    for (name, action) in overrides {
      guard let key = Key(name: name) else {
        problems.append("keys: there is no key “\(name)”; write for example x, ctrl-r, f5 or pgup")
        continue
      }
      guard let command = Command(rawValue: action) else {
        let near = Fuzzy.nearest(action, in: Command.allCases.map(\.rawValue))
        problems.append("keys: there is no action “\(action)”" + (near.map { "; did you mean “\($0)”?" } ?? ""))
        continue
      }
      guard !alwaysWorking.contains(key) else {
        problems.append("keys: “\(name)” always keeps its meaning")
        continue
      }
      map.bind(key, to: command)
    }
    return (map, problems)
  }

  /// Keys nobody can lose: they get everybody in, out and help.
  private static let alwaysWorking: Set<Key> = [.enter, .escape, .up, .down, .function(1), .control("c"), .tab]

  private mutating func bind(_ key: Key, to command: Command) {
    let place = rows.first { $0.command == command }?.place ?? .everywhere
    for index in rows.indices where !rows[index].place.isDisjoint(with: place) {
      rows[index].keys.removeAll { $0 == key }
    }
    for index in rows.indices where rows[index].command == command {
      rows[index].keys.insert(key, at: 0)
    }
  }

  package func command(for key: Key, in place: Place) -> Command? {
    rows.first { !$0.place.isDisjoint(with: place) && $0.keys.contains(key) }?.command
  }

  /// Row of a command as it works at a place.
  package func row(of command: Command) -> KeyRow? { rows.first { $0.command == command } }

  /// The key to show for a command at a place: the first that is not taken there by another command.
  package func key(for command: Command, in place: Place) -> Key? {
    row(of: command)?.keys.first { self.command(for: $0, in: place) == command }
  }

  /// The key's sign for the footer, empty when no key is bound.
  package func sign(for command: Command, in place: Place) -> String { key(for: command, in: place)?.sign ?? "" }
}

extension Key {
  /// How a key is shown to people: `⏎`, `Esc`, `^R`, `x`.
  package var sign: String {
    switch self {
    case .character(" "): "Space"
    case .character(let character): String(character)
    case .control(let character): "^\(character.uppercased())"
    case .alt(let character): "Alt-\(character)"
    case .up: "↑"
    case .down: "↓"
    case .left: "←"
    case .right: "→"
    case .shiftUp: "Shift-↑"
    case .shiftDown: "Shift-↓"
    case .altLeft: "Alt-←"
    case .altRight: "Alt-→"
    case .pageUp: "PgUp"
    case .pageDown: "PgDn"
    case .home: "Home"
    case .end: "End"
    case .enter: "⏎"
    case .escape: "Esc"
    case .tab: "Tab"
    case .shiftTab: "Shift-Tab"
    case .backspace: "Backspace"
    case .delete: "Del"
    case .insert: "Ins"
    case .function(let number): "F\(number)"
    }
  }
}
