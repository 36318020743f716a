/// A key as a person presses it.
package enum Key: Sendable, Hashable {
  case character(Character)
  case control(Character)
  case alt(Character)
  case up, down, left, right, pageUp, pageDown, home, end
  case shiftUp, shiftDown, altLeft, altRight
  case enter, escape, tab, shiftTab, backspace, delete, insert
  case function(Int)
}

package struct Mouse: Sendable, Hashable {
  package enum Kind: Sendable, Hashable { case press, doublePress, release, wheelUp, wheelDown }
  package let kind: Kind
  package let column: Int
  package let row: Int
  package init(_ kind: Kind, column: Int, row: Int) {
    self.kind = kind
    self.column = column
    self.row = row
  }
}

/// What reaches the program from its terminal.
package enum TerminalEvent: Sendable, Hashable {
  case key(Key)
  /// Pasted text; never read as commands.
  case paste(String)
  case mouse(Mouse)
  case resized(Size)
  /// Back from being suspended; the screen must be drawn anew.
  case resumed
  case focus(Bool)
  /// The terminal is gone.
  case hangUp
}

extension Key {
  /// The name in the key table and in `keys:` of the configuration: `ctrl-r`, `pgup`, `f5`, `x`.
  package var name: String {
    switch self {
    case .character(" "): "space"
    case .character(let character): String(character)
    case .control(let character): "ctrl-\(character)"
    case .alt(let character): "alt-\(character)"
    case .up: "up"
    case .down: "down"
    case .left: "left"
    case .right: "right"
    case .pageUp: "pgup"
    case .pageDown: "pgdn"
    case .home: "home"
    case .end: "end"
    case .shiftUp: "shift-up"
    case .shiftDown: "shift-down"
    case .altLeft: "alt-left"
    case .altRight: "alt-right"
    case .enter: "enter"
    case .escape: "esc"
    case .tab: "tab"
    case .shiftTab: "shift-tab"
    case .backspace: "backspace"
    case .delete: "del"
    case .insert: "ins"
    case .function(let number): "f\(number)"
    }
  }

  /// Reads a name as `name` writes it, any case for the words; nil when there is no such key.
  package init?(name: String) {
    if name.count == 1, let character = name.first {
      self = .character(character)
      return
    }
    let lower = name.lowercased()
    if let plain = Key.named[lower] {
      self = plain
    } else if lower.hasPrefix("ctrl-"), lower.count == 6, let last = lower.last {
      self = .control(last)
    } else if lower.hasPrefix("alt-"), name.count == 5, let last = name.last {
      self = .alt(last)
    } else if lower.hasPrefix("f"), let number = Int(lower.dropFirst()), (1...12).contains(number) {
      self = .function(number)
    } else {
      return nil
    }
  }

  private static let named: [String: Key] = {
    let keys: [Key] = [
      .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .shiftUp, .shiftDown, .altLeft, .altRight, .enter,
      .escape, .tab, .shiftTab, .backspace, .delete, .insert, .character(" "),
    ]
    return Dictionary(uniqueKeysWithValues: keys.map { ($0.name, $0) })
  }()
}
