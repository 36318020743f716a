import Model

/// Turns a theme's colours into the numbers a terminal of so many colours understands.
package struct Palette: Sendable {
  /// Colours the terminal has; 0 for none. `Palette.direct` means 24 bits, reached through `DirectColor`.
  package let colors: Int

  package init(colors: Int) { self.colors = colors }

  /// Colour number for ncurses; -1 is the terminal's own.
  package func number(of color: Color) -> Int32 {
    switch color {
    case .standard: return -1
    case .terminal(let index):
      return colors >= 16 ? Int32(index) : Int32(index & 7)
    case .rgb(let red, let green, let blue):
      if colors > 256 { return DirectColor.number(red, green, blue) }
      if colors == 256 { return Palette.nearestOf256(red, green, blue) }
      return Palette.nearestOf16(red, green, blue, count: colors >= 16 ? 16 : 8)
    }
  }

  /// The cube 16…231 and the greys 232…255, whose values every 256-colour terminal shares (xterm's 256colres.h). The
  /// first sixteen are left out: people change those.
  private static func nearestOf256(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Int32 {
    let steps = [0, 95, 135, 175, 215, 255]
    func step(_ value: UInt8) -> Int {
      steps.indices.min { abs(steps[$0] - Int(value)) < abs(steps[$1] - Int(value)) } ?? 0
    }
    let (r, g, b) = (step(red), step(green), step(blue))
    let cube = distance((steps[r], steps[g], steps[b]), (Int(red), Int(green), Int(blue)))
    let mean = (Int(red) + Int(green) + Int(blue)) / 3
    let shade = min(23, max(0, (mean - 3) / 10))
    let level = 8 + shade * 10
    let grey = distance((level, level, level), (Int(red), Int(green), Int(blue)))
    return grey < cube ? Int32(232 + shade) : Int32(16 + 36 * r + 6 * g + b)
  }

  private static func nearestOf16(_ red: UInt8, _ green: UInt8, _ blue: UInt8, count: Int) -> Int32 {
    // xterm's own sixteen; others differ a little.
    let values = [
      (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205), (229, 229, 229),
      (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255), (255, 0, 255), (0, 255, 255),
      (255, 255, 255),
    ]
    let wanted = (Int(red), Int(green), Int(blue))
    let nearest = values.indices.prefix(count).min { distance(values[$0], wanted) < distance(values[$1], wanted) }
    return Int32(nearest ?? 7)
  }

  /// Weighted by how much the eye sees of each.
  private static func distance(_ a: (Int, Int, Int), _ b: (Int, Int, Int)) -> Int {
    let (r, g, b) = (a.0 - b.0, a.1 - b.1, a.2 - b.2)
    return 3 * r * r + 6 * g * g + b * b
  }
}
