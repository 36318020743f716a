import Model

/// Colours as they are outside a terminal, where a theme leaves them to it.
enum Looks {
  /// xterm's sixteen, a little calmer.
  private static let sixteen = [
    "#000000", "#cd3131", "#0dbc79", "#e5e510", "#2472c8", "#bc3fbc", "#11a8cd", "#e5e5e5", "#666666", "#f14c4c",
    "#23d18b", "#f5f543", "#3b8eea", "#d670d6", "#29b8db", "#ffffff",
  ]

  static func foreground(_ theme: Theme) -> String {
    hex(theme.look(of: Style()).foreground) ?? (theme.brightness == .dark ? "#d8dbe2" : "#24262e")
  }

  static func background(_ theme: Theme) -> String {
    hex(theme.look(of: Style()).background) ?? (theme.brightness == .dark ? "#16181d" : "#ffffff")
  }

  /// `#rrggbb`; nil for the terminal's own.
  static func hex(_ color: Color?) -> String? {
    switch color {
    case nil, .standard: nil
    case .terminal(let index): sixteen[Int(index) & 15]
    case .rgb(let red, let green, let blue): "#" + [red, green, blue].map(twoDigits).joined()
    }
  }

  private static func twoDigits(_ value: UInt8) -> String {
    let text = String(value, radix: 16)
    return text.count == 2 ? text : "0" + text
  }
}

extension Look {
  /// The numbers of the escape sequence that switches to this look (ECMA-48, SGR).
  package var codes: String {
    var codes = ["0"]
    if isBold { codes.append("1") }
    if isDim { codes.append("2") }
    if isItalic { codes.append("3") }
    if isUnderlined { codes.append("4") }
    if isReverse { codes.append("7") }
    if let foreground { codes.append(foreground.code(30)) }
    if let background { codes.append(background.code(40)) }
    return codes.joined(separator: ";")
  }
}

extension Color {
  /// - Parameter base: 30 for text, 40 for background.
  fileprivate func code(_ base: Int) -> String {
    switch self {
    case .standard: "\(base + 9)"
    case .terminal(let index) where index < 8: "\(base + Int(index))"
    case .terminal(let index): "\(base + 52 + Int(index))"
    case .rgb(let red, let green, let blue): "\(base + 8);2;\(red);\(green);\(blue)"
    }
  }
}
