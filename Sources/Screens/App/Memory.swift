import Model

/// What the browser remembers from one start to the next, beside the bookmarks. No secret is ever in it.
package struct Memory: Sendable, Hashable {
  /// By the kind of list, see `ColumnArrangement.key`.
  package var columns: [String: ColumnArrangement] = [:]
  /// What was typed at `:`, newest last.
  package var typed: [String] = []
  /// Searches that were made, newest last.
  package var searches: [Location] = []
  /// Where each tab stood.
  package var places: [Location] = []
  /// Which of the places was in view.
  package var place = 0

  private static let mostTyped = 200
  private static let mostSearches = 50

  package init() {}

  /// Takes a line of the history to its end.
  mutating func remember(_ text: String) {
    typed.removeAll { $0 == text }
    typed.append(text)
    if typed.count > Memory.mostTyped { typed.removeFirst(typed.count - Memory.mostTyped) }
  }
}

extension Memory {
  mutating func remember(search: Location) {
    searches.removeAll { $0 == search }
    searches.append(search)
    if searches.count > Memory.mostSearches { searches.removeFirst(searches.count - Memory.mostSearches) }
  }

  /// One thing a line: its name, a tab, and what there is to say of it.
  package var text: String {
    var lines = columns.sorted { $0.key < $1.key }.map { "columns\t\($0.key)\t\($0.value.text)" }
    lines += typed.filter { !$0.contains { $0.isNewline || $0 == "\t" } }.map { "typed\t\($0)" }
    lines += searches.map { "search\t\($0.text)" }
    lines += places.enumerated().map { "\($0.offset == place ? "here" : "place")\t\($0.element.text)" }
    return lines.map { $0 + "\n" }.joined()
  }

  /// Lines that say nothing are passed over: a later version may have written them.
  package init(text: String) {
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      switch (parts[0], parts.count) {
      case ("columns", 3): columns[parts[1]] = ColumnArrangement(text: parts[2])
      case ("typed", 2): remember(parts[1])
      case ("search", 2): (try? Location(parsing: parts[1])).map { remember(search: $0) }
      case ("place", 2), ("here", 2):
        guard let location = try? Location(parsing: parts[1]) else { continue }
        if parts[0] == "here" { place = places.count }
        places.append(location)
      default: break
      }
    }
  }
}
