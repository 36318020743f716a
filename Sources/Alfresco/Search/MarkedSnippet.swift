/// A snippet with marks around the words that were found, taken apart.
struct MarkedSnippet: Sendable {
  /// Without the marks, with every run of white space as one blank.
  let text: String
  /// What stood between marks, in characters of `text`.
  let matches: [Range<Int>]

  /// Takes the marks that were asked for, and those of servers that keep to their own.
  init(_ marked: String) {
    var characters: [Character] = []
    var matches: [Range<Int>] = []
    var start: Int?
    var isBlankDue = false
    func end() {
      if let begun = start, begun < characters.count { matches.append(begun..<characters.count) }
      start = nil
    }
    var isMarked = false
    var rest = marked[...]
    while let next = rest.first {
      if let mark = Self.starts.first(where: rest.hasPrefix) {
        isMarked = true
        rest = rest.dropFirst(mark.count)
        continue
      }
      if let mark = Self.ends.first(where: rest.hasPrefix) {
        isMarked = false
        end()
        rest = rest.dropFirst(mark.count)
        continue
      }
      rest = rest.dropFirst()
      guard !next.isWhitespace else {
        isBlankDue = !characters.isEmpty
        continue
      }
      if isBlankDue { characters.append(" ") }
      isBlankDue = false
      if isMarked, start == nil { start = characters.count }
      characters.append(next)
    }
    end()
    text = String(characters)
    self.matches = matches
  }

  private static let starts = [ContentSearch.marks.start, "<em>"]
  private static let ends = [ContentSearch.marks.end, "</em>"]
}
