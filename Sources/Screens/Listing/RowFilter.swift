import Model

/// Which rows meet a filter. Works through many rows in slices, so that typing never waits.
struct RowFilter: Sendable {
  let query: FilterQuery
  /// Whether nothing has the words as they were typed, and what nearly has them is shown instead.
  let isNear: Bool
  /// Rows that meet it, in the order they came.
  private(set) var matches: [UInt32] = []
  /// The same by block, with what an earlier, wider filter left in question where this one has not looked yet.
  private var blocks: [RowSet] = []
  /// Rows looked at.
  private var looked = 0
  /// Of the amounts of the matches.
  private(set) var totals = CurrencyTotals()

  var text: String { query.text }
  var words: [String] { query.words }

  init(_ query: FilterQuery, isNear: Bool = false) {
    self.query = query
    self.isNear = isNear
  }

  /// Narrows a filter which this one continues: only its matches are looked at again.
  init(_ query: FilterQuery, narrowing wider: RowFilter) {
    self.init(query)
    guard !wider.isNear, query.narrows(wider.query) else { return }
    blocks = wider.blocks
    // Of a block that it has not looked at to its end, all the rest is in question.
    let part = wider.looked / RowBlock.capacity
    if wider.looked % RowBlock.capacity != 0, part < blocks.count { blocks.removeSubrange(part...) }
  }

  func isDone(count: Int) -> Bool { looked >= count }
  func contains(_ row: Int) -> Bool {
    row < looked && blocks[row / RowBlock.capacity].contains(row % RowBlock.capacity)
  }

  /// Whether looking for the words nearly could find something where they themselves stand nowhere.
  func mayBeNear(count: Int) -> Bool {
    !isNear && matches.isEmpty && isDone(count: count) && query.words.contains { $0.unicodeScalars.count >= 4 }
  }

  /// Looks at the next rows.
  ///
  /// - Parameter amount: The column whose amounts are summed.
  mutating func advance(_ rows: PackedRows, columns: [Column], amount: Int?, _ world: World) {
    guard looked < rows.count else { return }
    var search = RowSearch(query, columns: columns, units: rows.units, world, isNear: isNear)
    var budget = RowSearch.slice(query, isNear: isNear)
    while budget > 0, looked < rows.count {
      let number = looked / RowBlock.capacity
      let block = rows.blocks[number]
      let start = number * RowBlock.capacity
      var inQuestion = RowSet(all: block.count)
      if number < blocks.count, looked == start { inQuestion.formIntersection(blocks[number]) }
      for row in 0..<(looked - start) { inQuestion.remove(row) }
      // Where a wider filter found nothing there is nothing to look at, and it costs nothing.
      if !inQuestion.isEmpty {
        budget -= 1
        take(search.matches(in: block, of: inQuestion), number, rows, amount)
      } else if number == blocks.count {
        blocks.append(inQuestion)
      }
      looked = start + block.count
    }
  }

  private mutating func take(_ found: RowSet, _ number: Int, _ rows: PackedRows, _ amount: Int?) {
    let start = number * RowBlock.capacity
    found.forEach { matches.append(UInt32(start + $0)) }
    if let amount { rows.sum(amount, block: number, found, into: &totals) }
    if number == blocks.count {
      blocks.append(found)
    } else if looked > start {
      blocks[number].formUnion(found)
    } else {
      blocks[number] = found
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

  static func asciiContains(_ text: UnsafeBufferPointer<UInt8>, _ needle: UnsafeBufferPointer<UInt8>) -> Bool {
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
  static func lower(_ byte: UInt8) -> UInt8 { byte >= 65 && byte <= 90 ? byte | 32 : byte }

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
