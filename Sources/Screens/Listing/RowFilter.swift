import Model

/// Which rows meet a filter. Works through many rows in slices, so that typing never waits.
struct RowFilter: Sendable {
  let query: FilterQuery
  /// Whether nothing has the words as they were typed, and what nearly has them is shown instead.
  let isNear: Bool
  /// Positions in the order that was given, ascending.
  private(set) var matches: [Int] = []
  /// Positions still to look at from an earlier, wider filter, newest last.
  private var candidates: [Int] = []
  private var nextCandidate = 0
  private var nextPosition = 0
  /// Of the amounts of the matches.
  var totals = CurrencyTotals()

  var text: String { query.text }
  var words: [String] { query.words }

  init(_ query: FilterQuery, isNear: Bool = false) {
    self.query = query
    self.isNear = isNear
  }

  /// Narrows a filter which this one continues: only its matches are looked at again.
  init(_ query: FilterQuery, narrowing wider: RowFilter) {
    self.init(query)
    guard !wider.isNear, query.narrows(wider.query), wider.nextCandidate == wider.candidates.count else { return }
    candidates = wider.matches
    nextPosition = wider.nextPosition
  }

  func isDone(count: Int) -> Bool { nextCandidate == candidates.count && nextPosition >= count }

  /// Whether looking for the words nearly could find something where they themselves stand nowhere.
  func mayBeNear(count: Int) -> Bool {
    !isNear && matches.isEmpty && isDone(count: count) && query.words.contains { $0.unicodeScalars.count >= 4 }
  }

  /// Looks at so many more rows; `isMatch` says whether the row at a position meets the filter.
  mutating func advance(rows budget: Int, count: Int, isMatch: (_ position: Int) -> Bool) {
    var budget = budget
    while budget > 0, nextCandidate < candidates.count {
      let position = candidates[nextCandidate]
      if isMatch(position) { matches.append(position) }
      nextCandidate += 1
      budget -= 1
    }
    while budget > 0, nextPosition < count {
      if isMatch(nextPosition) { matches.append(nextPosition) }
      nextPosition += 1
      budget -= 1
    }
  }
}

/// Finding text in text, any case.
package enum TextSearch {
  /// Whether the text contains a needle that is lower case already.
  package static func contains(_ text: String, _ needle: String) -> Bool {
    if needle.utf8.allSatisfy({ $0 < 0x80 }) {
      var text = text
      return text.withUTF8 { bytes in
        var needle = needle
        return needle.withUTF8 { asciiContains(bytes, $0) }
      }
    }
    return text.lowercased().contains(needle)
  }

  private static func asciiContains(_ text: UnsafeBufferPointer<UInt8>, _ needle: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = needle.first else { return true }
    guard needle.count <= text.count else { return false }
    for start in 0...(text.count - needle.count) where lower(text[start]) == first {
      var length = 1
      while length < needle.count, lower(text[start + length]) == needle[length] { length += 1 }
      if length == needle.count { return true }
    }
    return false
  }

  @inline(__always)
  private static func lower(_ byte: UInt8) -> UInt8 { byte >= 65 && byte <= 90 ? byte | 32 : byte }

  /// Character offsets of every place where one of the words stands, merged and in order.
  package static func ranges(of words: [String], in text: String) -> [Range<Int>] {
    let lower = text.map { Character($0.lowercased().prefix(1).description) }
    var lit = [Bool](repeating: false, count: lower.count)
    for word in words {
      let wanted = Array(word)
      guard !wanted.isEmpty, wanted.count <= lower.count else { continue }
      for start in 0...(lower.count - wanted.count)
      where wanted.indices.allSatisfy({ lower[start + $0] == wanted[$0] }) {
        for offset in start..<(start + wanted.count) { lit[offset] = true }
      }
    }
    var ranges: [Range<Int>] = []
    for offset in lit.indices where lit[offset] {
      if let last = ranges.last, last.upperBound == offset {
        ranges[ranges.count - 1] = last.lowerBound..<(offset + 1)
      } else {
        ranges.append(offset..<(offset + 1))
      }
    }
    return ranges
  }
}
