import Model

/// One line being typed, with its cursor. A secret one never shows what it holds.
package struct TextField: Sendable, Hashable {
  package private(set) var characters: [Character]
  package private(set) var cursor: Int
  package let isSecret: Bool

  package init(_ text: String = "", isSecret: Bool = false) {
    characters = Array(text)
    cursor = characters.count
    self.isSecret = isSecret
  }

  package var text: String { String(characters) }
  package var isEmpty: Bool { characters.isEmpty }

  package mutating func set(_ text: String) {
    characters = Array(text)
    cursor = characters.count
  }

  /// Longest text that can be typed or pasted; beyond it nothing is added.
  private static let limit = 20_000

  package mutating func insert(_ text: some StringProtocol) {
    // A field is one line: breaks of a pasted text become spaces, one at its end goes.
    var pasted = Substring(text)
    while let last = pasted.last, last.isNewline { pasted.removeLast() }
    let clean = pasted.map { $0.isNewline || $0 == "\t" ? " " : $0 }
    guard characters.count + clean.count <= TextField.limit else { return }
    characters.insert(contentsOf: clean, at: cursor)
    cursor += clean.count
  }

  /// Edits by a key; false when the key means nothing to a field.
  package mutating func handle(_ key: Key) -> Bool {
    switch key {
    case .character(let character): insert(String(character))
    case .backspace, .control("h"): remove(from: cursor - 1, to: cursor)
    case .delete, .control("d"): remove(from: cursor, to: cursor + 1)
    case .left, .control("b"): cursor = max(0, cursor - 1)
    case .right, .control("f"): cursor = min(characters.count, cursor + 1)
    case .home, .control("a"): cursor = 0
    case .end, .control("e"): cursor = characters.count
    case .altLeft, .alt("b"): cursor = wordStart
    case .altRight, .alt("f"): cursor = wordEnd
    case .control("w"), .alt("\u{7F}"): remove(from: wordStart, to: cursor)
    case .control("k"): remove(from: cursor, to: characters.count)
    case .control("u"): set("")
    default: return false
    }
    return true
  }

  private var wordStart: Int {
    var at = cursor
    while at > 0, characters[at - 1] == " " { at -= 1 }
    while at > 0, characters[at - 1] != " " { at -= 1 }
    return at
  }

  private var wordEnd: Int {
    var at = cursor
    while at < characters.count, characters[at] == " " { at += 1 }
    while at < characters.count, characters[at] != " " { at += 1 }
    return at
  }

  private mutating func remove(from start: Int, to end: Int) {
    let range = max(0, start)..<min(characters.count, end)
    guard !range.isEmpty else { return }
    characters.removeSubrange(range)
    cursor = range.lowerBound
  }

  /// Draws the part around the cursor into so many columns of a row.
  ///
  /// - Parameter isSelected: What is typed next takes the place of the text, and it looks so.
  package func render(
    into buffer: inout CellBuffer, column: Int, row: Int, columns: Int, style: Style, isFocused: Bool,
    isSelected: Bool = false
  ) {
    guard columns > 0 else { return }
    buffer.fill(Area(column: column, row: row, columns: columns, rows: 1), style: style)
    // From the cursor back as far as there is room; the cursor needs a column of its own.
    var start = cursor
    var before = 0
    while start > 0, before + width(start - 1) < columns {
      start -= 1
      before += width(start)
    }
    var at = column
    for index in start..<characters.count {
      guard at + width(index) <= column + columns else { break }
      at = buffer.put(shown(index), column: at, row: row, style: isSelected ? Style(.text, on: .selection) : style)
    }
    let cursorColumn = column + before
    if isFocused {
      buffer.cursor = (min(cursorColumn, column + columns - 1), row)
      buffer.isCursorVisible = true
    }
  }

  private func shown(_ index: Int) -> String { isSecret ? "•" : Visible.line(String(characters[index])) }
  private func width(_ index: Int) -> Int { TextWidth.columns(of: shown(index)) }
}
