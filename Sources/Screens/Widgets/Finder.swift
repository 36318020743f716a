import Model

/// Finding in lines of text: what is looked for, and where it stands.
package struct Finder: Sendable, Hashable {
  package private(set) var text = ""
  /// Lines with a match, ascending.
  package private(set) var lines: [Int] = []
  /// Among `lines`.
  package private(set) var current: Int?

  /// Looks for a text and goes to the first match from a line on.
  package mutating func look(for text: String, from line: Int, in count: Int, line content: (Int) -> String) {
    self.text = text
    let needle = text.lowercased()
    lines = needle.isEmpty ? [] : (0..<count).filter { TextSearch.contains(content($0), needle) }
    current = lines.isEmpty ? nil : lines.firstIndex { $0 >= line } ?? 0
  }

  package mutating func step(_ step: Int) {
    guard let current, !lines.isEmpty else { return }
    self.current = ((current + step) % lines.count + lines.count) % lines.count
  }

  package mutating func clear() { self = Finder() }

  package var line: Int? { current.map { lines[$0] } }
  package var words: [String] { text.isEmpty ? [] : [text.lowercased()] }

  /// `3 of 17`.
  package var status: String {
    text.isEmpty ? "" : lines.isEmpty ? "not found" : "match \((current ?? 0) + 1) of \(Format.count(lines.count))"
  }
}

/// Lines to read: scrolled, searched, never edited.
package struct Pager: Sendable, Hashable {
  package private(set) var lines: [Line] = []
  package private(set) var top = 0
  package var finder = Finder()

  package init(_ lines: [Line] = []) { self.lines = lines }

  /// Takes the same text laid out anew, staying where it was as far as can be.
  package mutating func setLines(_ lines: [Line], page: Int) {
    let share = self.lines.isEmpty ? 0 : Double(top) / Double(self.lines.count)
    self.lines = lines
    if !finder.text.isEmpty { find(finder.text) }
    scroll(to: Int(share * Double(lines.count)), page: page)
  }

  /// Moves by a command; false when the command does not move.
  package mutating func handle(_ command: Command, times: Int, page: Int) -> Bool {
    switch command {
    case .up: scroll(to: top - times, page: page)
    case .down: scroll(to: top + times, page: page)
    case .pageUp: scroll(to: top - times * max(1, page - 1), page: page)
    case .pageDown: scroll(to: top + times * max(1, page - 1), page: page)
    case .halfPageUp: scroll(to: top - times * max(1, page / 2), page: page)
    case .halfPageDown: scroll(to: top + times * max(1, page / 2), page: page)
    case .first: scroll(to: 0, page: page)
    case .last: scroll(to: lines.count, page: page)
    case .nextMatch, .previousMatch:
      finder.step(command == .nextMatch ? 1 : -1)
      showMatch(page: page)
    default: return false
    }
    return true
  }

  package mutating func scroll(to line: Int, page: Int) { top = min(max(0, line), max(0, lines.count - page)) }

  package mutating func find(_ text: String) {
    finder.look(for: text, from: top, in: lines.count) { lines[$0].text }
  }

  package mutating func showMatch(page: Int) {
    guard let line = finder.line, !(top..<(top + page)).contains(line) else { return }
    scroll(to: line - page / 3, page: page)
  }

  /// Draws from a column of the lines on; marks the line of the current match in the margin.
  package func render(into buffer: inout CellBuffer, area: Area) {
    for offset in 0..<area.rows where top + offset < lines.count {
      let line = lines[top + offset]
      let row = area.row + offset
      buffer.put(line, column: area.column + 1, row: row, columns: area.columns - 2)
      if finder.line == top + offset {
        buffer.put("▌", column: area.column, row: row, style: Style(.accent))
      }
      light(line, into: &buffer, area: area, row: row)
    }
    ScrollMark.render(into: &buffer, area: area, top: top, page: area.rows, count: lines.count)
    buffer.cursor = (area.column, area.row)
  }

  private func light(_ line: Line, into buffer: inout CellBuffer, area: Area, row: Int) {
    guard !finder.words.isEmpty else { return }
    let text = line.text
    let characters = Array(Visible.line(text))
    for range in TextSearch.ranges(of: finder.words, in: String(characters)) {
      let before = TextWidth.columns(of: String(characters[..<range.lowerBound]))
      let piece = String(characters[range])
      guard before + TextWidth.columns(of: piece) <= area.columns - 2 else { return }
      buffer.put(piece, column: area.column + 1 + before, row: row, style: Style(.match, bold: true))
    }
  }
}
