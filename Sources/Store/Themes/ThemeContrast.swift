import Glibc
import Model

/// How well a theme can be read: the contrast of each role on each ground it may stand on.
///
/// - SeeAlso: WCAG 2.2, 1.4.3 (text: 4.5 to 1), 1.4.11 (lines and bars: 3 to 1), and its definition of relative luminance.
package enum ThemeContrast {
  package struct Pair: Sendable {
    package let role: Style.Role
    package let ground: Style.Ground
    package let ratio: Double
    /// What WCAG asks for.
    package let goal: Double
  }

  /// What only decorates: the empty rest of a bar.
  private static let decoration: Set<Style.Role> = [.barEmpty]
  private static let shapes: Set<Style.Role> = [.border, .bar]

  /// All pairs whose colours are known; a terminal's own colours are not.
  package static func pairs(of theme: Theme) -> [Pair] {
    Style.Role.allCases.filter { !decoration.contains($0) }.flatMap { role in
      Style.Ground.allCases.compactMap { ground in
        let look = theme.look(of: Style(role, on: ground))
        guard let ratio = ratio(look.foreground, look.background) else { return nil }
        return Pair(role: role, ground: ground, ratio: ratio, goal: shapes.contains(role) ? 3 : 4.5)
      }
    }
  }

  /// From 1 to 21; nil when one of them is the terminal's own.
  package static func ratio(_ a: Color?, _ b: Color?) -> Double? {
    guard let a = a.flatMap(luminance), let b = b.flatMap(luminance) else { return nil }
    return (max(a, b) + 0.05) / (min(a, b) + 0.05)
  }

  private static func luminance(_ color: Color) -> Double? {
    guard case .rgb(let red, let green, let blue) = color else { return nil }
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  }

  private static func linear(_ value: UInt8) -> Double {
    let share = Double(value) / 255
    return share <= 0.03928 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
  }
}
