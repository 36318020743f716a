/// Texts one behind the other, each different one once, named by numbers in the order they came.
///
/// Rows repeat themselves: payees, currencies, types, and ids that end a location. What repeats costs nothing, and a
/// search looks at it once.
struct TextPool: Sendable {
  /// UTF-8 with `separator` behind each text, so that nothing that is looked for reaches over an end.
  private(set) var bytes: [UInt8] = []
  /// Where each text begins; one more for the end.
  private(set) var starts: [UInt32] = [0]
  /// Texts with anything but ASCII in them.
  private(set) var wide = RowSet()
  /// Numbers of texts plus one, by hash; empty once nothing more comes.
  private var table: [UInt32] = []

  /// Stands in no UTF-8.
  static let separator: UInt8 = 0xFF

  var count: Int { starts.count - 1 }

  func range(_ id: Int) -> Range<Int> { Int(starts[id])..<(Int(starts[id + 1]) - 1) }

  subscript(id: Int) -> String { String(decoding: bytes[range(id)], as: UTF8.self) }

  /// The number of a text, which is taken in when it is new.
  mutating func id(_ text: some StringProtocol) -> (id: Int, isNew: Bool) {
    var text = String(text)
    return text.withUTF8 { id($0) }
  }

  mutating func id(_ text: UnsafeBufferPointer<UInt8>) -> (id: Int, isNew: Bool) {
    if (count + 1) * 2 > table.count { grow() }
    let mask = table.count - 1
    var slot = TextPool.hash(text) & mask
    while table[slot] != 0 {
      let known = Int(table[slot]) - 1
      if equals(known, text) { return (known, false) }
      slot = (slot + 1) & mask
    }
    table[slot] = UInt32(starts.count)
    bytes.append(contentsOf: text)
    bytes.append(TextPool.separator)
    starts.append(UInt32(bytes.count))
    if text.contains(where: { $0 >= 0x80 }) { wide.insert(count - 1) }
    return (count - 1, true)
  }

  func equals(_ id: Int, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let range = range(id)
    guard range.count == text.count else { return false }
    return bytes.withUnsafeBufferPointer { $0[range].elementsEqual(text) }
  }

  /// Gives back what only taking in more needs.
  mutating func seal() {
    table = []
    // A copy is exactly as large as it must be.
    bytes = bytes.withUnsafeBufferPointer { Array($0) }
    starts = starts.withUnsafeBufferPointer { Array($0) }
  }

  private mutating func grow() {
    table = Array(repeating: 0, count: max(16, table.count * 2))
    bytes.withUnsafeBufferPointer { bytes in
      for id in 0..<count {
        var slot = TextPool.hash(UnsafeBufferPointer(rebasing: bytes[range(id)])) & (table.count - 1)
        while table[slot] != 0 { slot = (slot + 1) & (table.count - 1) }
        table[slot] = UInt32(id + 1)
      }
    }
  }

  /// Eight bytes at a time; good enough for a table that is never larger than one block's texts.
  private static func hash(_ text: UnsafeBufferPointer<UInt8>) -> Int {
    var hash = UInt64(truncatingIfNeeded: text.count) &* 0x9E37_79B9_7F4A_7C15
    let raw = UnsafeRawBufferPointer(text)
    var at = 0
    while at + 8 <= raw.count {
      hash = (hash ^ raw.loadUnaligned(fromByteOffset: at, as: UInt64.self)) &* 0xFF51_AFD7_ED55_8CCD
      hash ^= hash >> 32
      at += 8
    }
    var rest: UInt64 = 0
    while at < raw.count {
      rest = rest << 8 | UInt64(raw[at])
      at += 1
    }
    hash = (hash ^ rest) &* 0xC4CE_B9FE_1A85_EC53
    return Int(truncatingIfNeeded: hash >> 17)
  }
}
