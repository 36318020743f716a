import Glibc
import Model
import TestKit
import Testing

/// ncurses measures with the C library's `wcwidth`; where it disagrees with us, everything to the right is off.
@Suite struct WidthAgreementTests {
  private typealias Measure = @convention(c) (wchar_t) -> Int32

  /// glibc's headers show it to X/Open programs only.
  private let measure: Measure

  init() throws {
    let symbol = try #require(dlsym(nil, "wcwidth"))
    measure = unsafeBitCast(symbol, to: Measure.self)
  }

  @Test func `every character takes the columns that ncurses thinks it takes`() throws {
    let locale = try #require(newlocale(Int32(LC_CTYPE_MASK), "C.UTF-8", nil))
    let before = uselocale(locale)
    defer {
      uselocale(before)
      freelocale(locale)
    }
    var wrong: [String] = []
    for value in UInt32(0x20)...0x1FFFF {
      // Ideographs and Korean syllables are all alike.
      if (0x3400...0x9FFF).contains(value) || (0xAC00...0xD7A3).contains(value) || (0xE000...0xF8FF).contains(value) {
        continue
      }
      guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .unassigned else { continue }
      wrong += faults(of: String(scalar))
    }
    // A sign of Ahom that Unicode counted among the marks until the C library's version of it.
    wrong.removeAll { $0.hasPrefix("[\"1171e\"]") }
    for text in HostileText.corpus { wrong += faults(of: text) }
    #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(20))")
  }

  private func faults(of text: String) -> [String] {
    var faults: [String] = []
    for part in Visible.line(text).flatMap(TextWidth.drawn) {
      let scalars = Array(part.text.unicodeScalars)
      let widths = scalars.map { Int(measure(wchar_t($0.value))) }
      // Characters newer than the C library have no width there; the terminal's driver draws a stand-in for them.
      if widths.contains(-1) { continue }
      // The first scalar of a cell has columns, what stands on it has none.
      if widths.first != part.columns || widths.dropFirst().contains(where: { $0 != 0 }) {
        faults.append("\(scalars.map { String($0.value, radix: 16) }) \(part.columns) ≠ \(widths)")
      }
    }
    return faults
  }
}
