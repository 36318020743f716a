internal import CNcurses
import Model

/// Looks as ncurses knows them: attributes and a colour pair, made when first used.
@MainActor
final class Ink {
  private let palette: Palette?
  private var theme = Theme.plain
  private var styles: [Style: (attributes: UInt32, pair: Int32)] = [:]
  private var pairs: [UInt64: Int32] = [:]

  /// - Parameter colors: What the terminal has; 0 draws with attributes alone.
  init(colors: Int) {
    palette = colors >= 8 ? Palette(colors: colors) : nil
  }

  func use(_ theme: Theme) {
    self.theme = palette == nil ? .plain : theme
    styles = [:]
  }

  func attributes(of style: Style) -> (attributes: UInt32, pair: Int32) {
    if let known = styles[style] { return known }
    let look = theme.look(of: style)
    var attributes: UInt32 = 0
    if look.isBold { attributes |= cncurses_bold() }
    if look.isDim { attributes |= cncurses_dim() }
    if look.isItalic { attributes |= cncurses_italic() }
    if look.isUnderlined { attributes |= cncurses_underline() }
    if look.isReverse { attributes |= cncurses_reverse() }
    let made = (attributes, pair(look.foreground ?? .standard, look.background ?? .standard))
    styles[style] = made
    return made
  }

  private func pair(_ foreground: Color, _ background: Color) -> Int32 {
    guard let palette else { return 0 }
    let numbers = (palette.number(of: foreground), palette.number(of: background))
    if numbers == (-1, -1) { return 0 }
    let key = UInt64(UInt32(bitPattern: numbers.0)) << 32 | UInt64(UInt32(bitPattern: numbers.1))
    if let known = pairs[key] { return known }
    // A terminal with few pairs (the console of Linux has 64) draws the rest in its own colours.
    let next = Int32(pairs.count + 1)
    guard next < cncurses_color_pairs(), init_extended_pair(next, numbers.0, numbers.1) == OK else { return 0 }
    pairs[key] = next
    return next
  }
}
