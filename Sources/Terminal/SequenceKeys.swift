import Model

/// The sequences of xterm and its kin, rxvt and the console of Linux; nearly every terminal sends one of these.
enum SequenceKeys {
  static let ss3: [UInt8: Key] = [
    UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right, UInt8(ascii: "D"): .left,
    UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end, UInt8(ascii: "M"): .enter, UInt8(ascii: "P"): .function(1),
    UInt8(ascii: "Q"): .function(2), UInt8(ascii: "R"): .function(3), UInt8(ascii: "S"): .function(4),
  ]

  private static let letters: [UInt8: Key] = [
    UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right, UInt8(ascii: "D"): .left,
    UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end, UInt8(ascii: "Z"): .shiftTab, UInt8(ascii: "P"): .function(1),
    UInt8(ascii: "Q"): .function(2), UInt8(ascii: "R"): .function(3), UInt8(ascii: "S"): .function(4),
  ]

  private static let numbers: [Int: Key] = [
    1: .home, 2: .insert, 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end, 11: .function(1),
    12: .function(2), 13: .function(3), 14: .function(4), 15: .function(5), 17: .function(6), 18: .function(7),
    19: .function(8), 20: .function(9), 21: .function(10), 23: .function(11), 24: .function(12),
  ]

  /// What `ESC [ parameters final` means; nil for what is not input, such as a device report.
  static func event(final: UInt8, parameters: [UInt8]) -> TerminalEvent? {
    let values = numbers(in: parameters[...])
    let modifier = values.count > 1 ? values[1] : 1
    switch final {
    case UInt8(ascii: "I") where parameters.isEmpty: return .focus(true)
    case UInt8(ascii: "O") where parameters.isEmpty: return .focus(false)
    case UInt8(ascii: "~"):
      return values.first.flatMap { numbers[$0] }.map { .key(modified($0, modifier)) }
    case UInt8(ascii: "u"):  // The kitty protocol and xterm's modifyOtherKeys, where a terminal was left in it.
      return values.first.flatMap(Unicode.Scalar.init(_:)).map { .key(plain(Character($0), modifier)) }
    default:
      // `ESC [ 1 ; 5 R` is F3 with a modifier; `ESC [ 24 ; 80 R` reports where the cursor stands.
      if final == UInt8(ascii: "R"), values.first.map({ $0 != 1 }) ?? false { return nil }
      return letters[final].map { .key(modified($0, modifier)) }
    }
  }

  /// A report of the SGR mouse protocol (1006): button, column, row, from 1.
  static func mouse(_ parameters: ArraySlice<UInt8>, isRelease: Bool) -> Mouse? {
    let values = numbers(in: parameters)
    guard values.count == 3 else { return nil }
    let kind: Mouse.Kind
    switch values[0] & ~0b1_1100 {  // Shift, Alt and Control do not matter here.
    case 0: kind = isRelease ? .release : .press
    case 64: kind = .wheelUp
    case 65: kind = .wheelDown
    default: return nil
    }
    return Mouse(kind, column: values[1] - 1, row: values[2] - 1)
  }

  private static func numbers(in parameters: ArraySlice<UInt8>) -> [Int] {
    parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { part in
      part.prefix(6).reduce(0) { (48...57).contains($1) ? $0 * 10 + Int($1) - 48 : $0 }
    }
  }

  /// xterm counts modifiers from 1: 2 is Shift, 3 Alt, 5 Control.
  private static func modified(_ key: Key, _ modifier: Int) -> Key {
    switch (key, modifier) {
    case (.up, 2): .shiftUp
    case (.down, 2): .shiftDown
    case (.left, 3), (.left, 5): .altLeft
    case (.right, 3), (.right, 5): .altRight
    default: key
    }
  }

  private static func plain(_ character: Character, _ modifier: Int) -> Key {
    switch (character, (modifier - 1) & 0b100 != 0) {
    case ("\u{1B}", _): .escape
    case ("\r", _): .enter
    case ("\t", _): modifier == 2 ? .shiftTab : .tab
    case ("\u{7F}", _): .backspace
    case (_, true): .control(character)
    default: .character(character)
    }
  }
}
