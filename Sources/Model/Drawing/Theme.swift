/// A colour as a theme names it: one of the terminal's own sixteen, or red, green and blue.
package enum Color: Sendable, Hashable {
  /// What the terminal uses where nothing is said.
  case standard
  /// 0…7 and their bright forms 8…15.
  case terminal(UInt8)
  case rgb(UInt8, UInt8, UInt8)

  /// Reads `#rrggbb`, `default`, or one of black, red, green, yellow, blue, magenta, cyan, white with `bright-` before.
  package init?(_ text: String) {
    if text == "default" {
      self = .standard
    } else if text.hasPrefix("#"), text.utf8.count == 7, let value = UInt32(text.dropFirst(), radix: 16) {
      self = .rgb(UInt8(value >> 16), UInt8(value >> 8 & 255), UInt8(value & 255))
    } else {
      let isBright = text.hasPrefix("bright-")
      guard let index = Color.names.firstIndex(of: isBright ? String(text.dropFirst(7)) : text) else { return nil }
      self = .terminal(UInt8(index + (isBright ? 8 : 0)))
    }
  }

  package static let names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]
}

/// How one meaning looks. Nil leaves what lies below: a role's background is its ground's, a ground's text its role's.
package struct Look: Sendable, Hashable {
  package var foreground: Color?
  package var background: Color?
  package var isBold: Bool
  package var isDim: Bool
  package var isItalic: Bool
  package var isUnderlined: Bool
  package var isReverse: Bool

  package init(
    foreground: Color? = nil, background: Color? = nil, bold: Bool = false, dim: Bool = false, italic: Bool = false,
    underlined: Bool = false, reverse: Bool = false
  ) {
    self.foreground = foreground
    self.background = background
    isBold = bold
    isDim = dim
    isItalic = italic
    isUnderlined = underlined
    isReverse = reverse
  }
}

/// A name, and a look for every role and ground.
package struct Theme: Sendable, Hashable {
  package enum Brightness: String, Sendable { case dark, light }

  package var name: String
  package var title: String
  package var brightness: Brightness
  package var roles: [Style.Role: Look]
  package var grounds: [Style.Ground: Look]

  package init(
    name: String, title: String, brightness: Brightness, roles: [Style.Role: Look], grounds: [Style.Ground: Look]
  ) {
    self.name = name
    self.title = title
    self.brightness = brightness
    self.roles = roles
    self.grounds = grounds
  }

  /// What a style comes to: the ground's look with the role's upon it. A ground with a text colour of its own keeps it, so
  /// that a selected row stays readable whatever its columns mean.
  package func look(of style: Style) -> Look {
    if let paint = style.paint { return Look(foreground: paint.foreground, background: paint.background) }
    let ground = grounds[style.ground] ?? Look()
    let role = roles[style.role] ?? Look()
    var look = ground
    // A role with a background of its own, such as a match, stands out on every ground.
    let own = role.background == nil ? nil : role.foreground
    look.foreground = own ?? ground.foreground ?? role.foreground ?? roles[.text]?.foreground
    look.background = role.background ?? ground.background ?? grounds[.screen]?.background
    look.isBold = ground.isBold || role.isBold || style.isBold
    look.isDim = !ground.isReverse && (ground.isDim || role.isDim)
    look.isItalic = ground.isItalic || role.isItalic
    look.isUnderlined = ground.isUnderlined || role.isUnderlined || style.isUnderlined
    look.isReverse = ground.isReverse != role.isReverse
    return look
  }

  /// Attributes alone: what is used under `NO_COLOR`, on a terminal without colours, and when no theme can be read.
  package static let plain = Theme(
    name: "plain", title: "No colours", brightness: .dark,
    roles: [
      .dim: Look(dim: true), .title: Look(bold: true), .heading: Look(bold: true), .key: Look(bold: true),
      .accent: Look(bold: true), .link: Look(underlined: true), .bad: Look(bold: true), .warning: Look(bold: true),
      .match: Look(underlined: true), .bar: Look(reverse: true),
    ],
    grounds: [
      .header: Look(bold: true), .columns: Look(underlined: true), .selection: Look(reverse: true),
      .selectionUnfocused: Look(underlined: true), .marked: Look(bold: true), .fieldFocused: Look(underlined: true),
      .field: Look(underlined: true), .buttonFocused: Look(reverse: true), .toast: Look(reverse: true),
      .errorToast: Look(bold: true, reverse: true),
    ])
}
