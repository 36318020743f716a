/// A set of small numbers, rows or texts, one bit each.
struct RowSet: Sendable, Hashable {
  private(set) var words: [UInt64]

  init(capacity: Int = 0) { words = Array(repeating: 0, count: (capacity + 63) / 64) }

  /// All numbers below `count`.
  init(all count: Int) {
    words = Array(repeating: .max, count: (count + 63) / 64)
    if count % 64 != 0 { words[words.count - 1] = (1 << UInt64(count % 64)) - 1 }
  }

  init(words: [UInt64]) { self.words = words }

  var isEmpty: Bool { words.allSatisfy { $0 == 0 } }
  var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

  @inline(__always)
  func contains(_ number: Int) -> Bool {
    let word = number >> 6
    return word < words.count && words[word] >> UInt64(number & 63) & 1 == 1
  }

  mutating func insert(_ number: Int) {
    let word = number >> 6
    if word >= words.count { words += Array(repeating: 0, count: word + 1 - words.count) }
    words[word] |= 1 << UInt64(number & 63)
  }

  mutating func remove(_ number: Int) {
    guard number >> 6 < words.count else { return }
    words[number >> 6] &= ~(1 << UInt64(number & 63))
  }

  mutating func formIntersection(_ other: RowSet) {
    for word in words.indices { words[word] &= word < other.words.count ? other.words[word] : 0 }
  }

  mutating func formUnion(_ other: RowSet) {
    if words.count < other.words.count { words += Array(repeating: 0, count: other.words.count - words.count) }
    for word in other.words.indices { words[word] |= other.words[word] }
  }

  mutating func subtract(_ other: RowSet) {
    for word in words.indices where word < other.words.count { words[word] &= ~other.words[word] }
  }

  func isSubset(of other: RowSet) -> Bool {
    words.indices.allSatisfy { words[$0] & ~($0 < other.words.count ? other.words[$0] : 0) == 0 }
  }

  /// Calls the body with each number, in order.
  @inline(__always)
  func forEach(_ body: (Int) -> Void) {
    for (index, word) in words.enumerated() {
      var rest = word
      while rest != 0 {
        body(index << 6 + rest.trailingZeroBitCount)
        rest &= rest - 1
      }
    }
  }

  /// The numbers in order.
  var numbers: [Int] {
    var numbers: [Int] = []
    numbers.reserveCapacity(count)
    forEach { numbers.append($0) }
    return numbers
  }
}
