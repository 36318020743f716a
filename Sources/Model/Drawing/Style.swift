/// What a cell means. A theme says how each meaning looks, so that no screen names a colour.
package struct Style: Sendable, Hashable {
  /// What the text is.
  package enum Role: UInt8, Sendable, CaseIterable {
    case text, dim, title, heading, label, accent, link, key
    case good, bad, warning, info
    case positive, negative, currency, number, time
    case match, border, bar, barEmpty, secret
    case jsonKey, jsonString, jsonNumber, jsonWord
  }

  /// What the text stands on.
  package enum Ground: UInt8, Sendable, CaseIterable {
    case screen, header, footer, columns, selection, selectionUnfocused, marked, dialog, field, fieldFocused, button
    case buttonFocused, toast, errorToast, preview
  }

  package var role: Role
  package var ground: Ground
  package var isBold: Bool
  package var isUnderlined: Bool
  /// Colours of its own in place of a meaning's: what pictures are made of, and nothing else.
  package var paint: Paint?

  package struct Paint: Sendable, Hashable {
    package var foreground: Color
    package var background: Color
    package init(foreground: Color = .standard, background: Color = .standard) {
      self.foreground = foreground
      self.background = background
    }
  }

  package init(_ role: Role = .text, on ground: Ground = .screen, bold: Bool = false, underlined: Bool = false) {
    self.role = role
    self.ground = ground
    isBold = bold
    isUnderlined = underlined
  }

  /// One letter for a golden file: the ground's where it is not the screen's, else the role's.
  package var letter: Character {
    let grounds = Array(".HFCSUMDIXBPTEV")
    let roles = Array(".dthlakygbwi+-$#:m|=_*jqnx")
    return ground == .screen ? roles[Int(role.rawValue)] : grounds[Int(ground.rawValue)]
  }
}
