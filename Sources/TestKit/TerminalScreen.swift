package import Model

/// What a terminal shows after the bytes it was sent: as much of xterm as ncurses uses.
///
/// Text alone is kept, no colours; a wide character takes its cell and leaves the next one empty.
package struct TerminalScreen: Sendable {
  package private(set) var size: Size
  /// Private modes that are set (`ESC [ ? n h`), such as 1049 for the other screen, 25 for the cursor, 1000 for the mouse.
  package private(set) var modes: Set<Int> = [7, 25]
  /// The first control strings of the pictures in view, as the graphics protocol of kitty sends them.
  package private(set) var pictures: [String] = []
  private var cells: [[String]]
  private var row = 0
  private var column = 0
  private var region: Range<Int>
  private var saved = (row: 0, column: 0)
  private var last = " "
  private var partial: [UInt8] = []
  private var sequence: [UInt8] = []
  private var state = State.ground

  private enum State { case ground, escape, charset, csi, string, stringEnd, picture, pictureEnd }

  package init(_ size: Size) {
    self.size = size
    cells = TerminalScreen.blank(size)
    region = 0..<size.rows
  }

  package var isAlternate: Bool { modes.contains(1049) }
  package var isCursorVisible: Bool { modes.contains(25) }
  package var lines: [String] { cells.map { $0.joined() } }
  package var text: String { lines.map { $0.trimmedEnd }.joined(separator: "\n") }
  package func shows(_ text: String) -> Bool { lines.contains { $0.contains(text) } }

  private static func blank(_ size: Size) -> [[String]] {
    Array(repeating: Array(repeating: " ", count: size.columns), count: size.rows)
  }

  /// Cuts or widens what is shown, as a terminal does when its window changes.
  package mutating func resize(_ size: Size) {
    cells = (0..<size.rows).map { row in
      let old = row < cells.count ? cells[row].prefix(size.columns) : []
      return old + Array(repeating: " ", count: size.columns - old.count)
    }
    self.size = size
    region = 0..<size.rows
    (row, column) = (min(row, size.rows - 1), min(column, size.columns - 1))
  }

  package mutating func feed(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { feed(byte) }
  }

  private mutating func feed(_ byte: UInt8) {
    switch state {
    case .ground: ground(byte)
    case .escape: escape(byte)
    case .charset: state = .ground
    case .csi:
      sequence.append(byte)
      guard (0x40...0x7E).contains(byte) else { return }
      state = .ground
      control(byte)
    case .string:
      if byte == 0x07 { state = .ground } else if byte == 0x1B { state = .stringEnd }
    case .stringEnd: state = .ground
    case .picture: if byte == 0x1B { state = .pictureEnd } else { sequence.append(byte) }
    case .pictureEnd:
      state = .ground
      takePicture(String(decoding: sequence, as: UTF8.self))
    }
  }

  /// A picture comes in several strings, of which the first tells its action.
  private mutating func takePicture(_ text: String) {
    if text.hasPrefix("Ga=d") { pictures = [] } else if text.hasPrefix("Ga=T") { pictures.append(text) }
  }

  private mutating func ground(_ byte: UInt8) {
    switch byte {
    case 0x1B:
      state = .escape
      sequence = []
    case 0x0D: column = 0
    case 0x0A: lineFeed()
    case 0x08: column = max(0, column - 1)
    case 0x09: column = min(size.columns - 1, (column / 8 + 1) * 8)
    case 0..<0x20, 0x7F: break
    default: character(byte)
    }
  }

  private mutating func character(_ byte: UInt8) {
    partial.append(byte)
    let length = partial[0] >= 0xF0 ? 4 : partial[0] >= 0xE0 ? 3 : partial[0] >= 0xC0 ? 2 : 1
    guard partial.count >= length else { return }
    put(String(decoding: partial, as: UTF8.self))
    partial = []
  }

  private mutating func put(_ text: String) {
    let width = TextWidth.columns(of: text)
    guard width > 0 else {
      // A combining mark joins what stands before it.
      if column > 0 { cells[row][column - 1] += text }
      return
    }
    if column + width > size.columns {
      column = 0
      lineFeed()
    }
    cells[row][column] = text
    if width == 2, column + 1 < size.columns { cells[row][column + 1] = "" }
    last = text
    column += width
  }

  private mutating func lineFeed() {
    if row == region.upperBound - 1 { scroll(1, in: region) } else { row = min(row + 1, size.rows - 1) }
  }

  /// Moves the rows of a range up, or down by a negative count.
  private mutating func scroll(_ count: Int, in range: Range<Int>) {
    let kept = min(abs(count), range.count)
    let blank = Array(repeating: Array(repeating: " ", count: size.columns), count: kept)
    let rows = cells[range]
    cells.replaceSubrange(
      range, with: count > 0 ? Array(rows.dropFirst(kept)) + blank : blank + Array(rows.dropLast(kept)))
  }

  private mutating func escape(_ byte: UInt8) {
    state = .ground
    switch byte {
    case UInt8(ascii: "["): state = .csi
    case UInt8(ascii: "]"), UInt8(ascii: "P"): state = .string
    case UInt8(ascii: "_"): state = .picture
    case UInt8(ascii: "("), UInt8(ascii: ")"): state = .charset
    case UInt8(ascii: "M"): if row == region.lowerBound { scroll(-1, in: region) } else { row = max(0, row - 1) }
    case UInt8(ascii: "7"): saved = (row, column)
    case UInt8(ascii: "8"): (row, column) = saved
    default: break
    }
  }

  private mutating func control(_ final: UInt8) {
    let text = String(decoding: sequence.dropLast(), as: UTF8.self)
    let isPrivate = text.hasPrefix("?")
    let numbers = text.drop { !$0.isNumber && $0 != ";" }
      .split(separator: ";", omittingEmptySubsequences: false).map { Int($0) }
    func number(_ index: Int = 0) -> Int { max(1, index < numbers.count ? numbers[index] ?? 1 : 1) }
    let code = numbers.first.flatMap { $0 } ?? 0
    switch Character(Unicode.Scalar(final)) {
    case "h" where isPrivate: set(code, true)
    case "l" where isPrivate: set(code, false)
    case "H", "f": (row, column) = (min(number() - 1, size.rows - 1), min(number(1) - 1, size.columns - 1))
    case "A": row = max(0, row - number())
    case "B": row = min(size.rows - 1, row + number())
    case "C": column = min(size.columns - 1, column + number())
    case "D": column = max(0, column - number())
    case "G": column = min(size.columns - 1, number() - 1)
    case "d": row = min(size.rows - 1, number() - 1)
    case "r":
      region = (number() - 1)..<min(size.rows, numbers.count > 1 ? number(1) : size.rows)
      (row, column) = (0, 0)
    default: edit(Character(Unicode.Scalar(final)), number(), code)
    }
  }

  private mutating func edit(_ final: Character, _ count: Int, _ code: Int) {
    let at = min(column, size.columns - 1)
    let some = min(count, size.columns - at)
    let blank = Array(repeating: " ", count: some)
    switch final {
    case "K": erase(row, code == 0 ? at..<size.columns : code == 1 ? 0..<(at + 1) : 0..<size.columns)
    case "J":
      if code == 0 { erase(row, at..<size.columns) } else if code == 1 { erase(row, 0..<(at + 1)) }
      for other in 0..<size.rows where code == 2 || (code == 0 && other > row) || (code == 1 && other < row) {
        erase(other, 0..<size.columns)
      }
    case "X": erase(row, at..<(at + some))
    case "P": cells[row] = Array(cells[row][..<at]) + Array(cells[row][(at + some)...]) + blank
    case "@": cells[row] = Array((cells[row][..<at] + blank + cells[row][at...]).prefix(size.columns))
    case "L": scroll(-count, in: row..<region.upperBound)
    case "M": scroll(count, in: row..<region.upperBound)
    case "S": scroll(count, in: region)
    case "T": scroll(-count, in: region)
    case "b": for _ in 0..<count { put(last) }
    default: break
    }
  }

  private mutating func erase(_ row: Int, _ range: Range<Int>) {
    for column in range { cells[row][column] = " " }
  }

  private mutating func set(_ mode: Int, _ isOn: Bool) {
    if isOn { modes.insert(mode) } else { modes.remove(mode) }
    if mode == 1049 { cells = TerminalScreen.blank(size) }
  }
}

extension String {
  fileprivate var trimmedEnd: String { String(reversed().drop { $0 == " " }.reversed()) }
}
