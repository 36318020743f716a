internal import CNcurses
import Model

/// Looks as ncurses knows them: attributes and a colour pair, made when first used.
@MainActor
final class Ink {
  private let palette: Palette?
  private var theme = Theme.plain
  private var styles: [Style: (attributes: UInt32, pair: Int32)] = [:]
  private var pairs: [UInt64: Int32] = [:]
  /// Pairs of pictures, which may have any number of colours: a ring behind the pairs of the themes. It holds more than a
  /// screen has cells, so a pair that is taken anew is no longer in view.
  private var paints: [UInt64: Int32] = [:]
  private var ring: [UInt64] = []
  private var nextPaint = 0
  private static let firstPaint = 1024
  private static let mostPairs = 32_768

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
    if let paint = style.paint { return (0, painted(paint)) }
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
    guard let numbers = numbers(foreground, background) else { return 0 }
    let key = key(numbers)
    if let known = pairs[key] { return known }
    // A terminal with few pairs (the console of Linux has 64) draws the rest in its own colours.
    let next = Int32(pairs.count + 1)
    guard next < min(cncurses_color_pairs(), Int32(Ink.firstPaint)),
      init_extended_pair(next, numbers.0, numbers.1) == OK
    else { return 0 }
    pairs[key] = next
    return next
  }

  private func painted(_ paint: Style.Paint) -> Int32 {
    let room = min(Int(cncurses_color_pairs()), Ink.mostPairs) - Ink.firstPaint
    guard room > 0 else { return pair(paint.foreground, paint.background) }
    guard let numbers = numbers(paint.foreground, paint.background) else { return 0 }
    let key = key(numbers)
    if let known = pairs[key] ?? paints[key] { return known }
    let place = nextPaint % room
    let number = Int32(Ink.firstPaint + place)
    guard init_extended_pair(number, numbers.0, numbers.1) == OK else { return 0 }
    nextPaint = place + 1
    if place < ring.count {
      paints[ring[place]] = nil
      ring[place] = key
    } else {
      ring.append(key)
    }
    paints[key] = number
    return number
  }

  /// The two colours as ncurses numbers them; nil for the terminal's own, which need no pair.
  private func numbers(_ foreground: Color, _ background: Color) -> (Int32, Int32)? {
    guard let palette else { return nil }
    let numbers = (palette.number(of: foreground), palette.number(of: background))
    return numbers == (-1, -1) ? nil : numbers
  }

  private func key(_ numbers: (Int32, Int32)) -> UInt64 {
    UInt64(UInt32(bitPattern: numbers.0)) << 32 | UInt64(UInt32(bitPattern: numbers.1))
  }
}
