/// A word to look for in all texts of a pool at once, any case.
struct TextNeedle: Sendable {
  private let word: String
  private let bytes: [UInt8]
  private let isASCII: Bool
  private let near: NearNeedle?

  /// - Parameters:
  ///   - word: Lower case already.
  ///   - isNear: Whether it may also stand there nearly: one letter in four wrong, missing or too many.
  init(_ word: String, isNear: Bool = false) {
    self.word = word
    bytes = Array(word.utf8)
    isASCII = bytes.allSatisfy { $0 < 0x80 }
    near = isNear ? NearNeedle(word) : nil
  }

  /// The texts that have it.
  func hits(in pool: TextPool) -> RowSet {
    guard !bytes.isEmpty else { return RowSet(all: pool.count) }
    var hits = RowSet(capacity: pool.count)
    if isASCII {
      pool.bytes.withUnsafeBytes { find(in: $0, pool, &hits) }
    } else {
      // What is all ASCII has nothing else in it.
      pool.wide.forEach { if pool[$0].lowercased().contains(word) { hits.insert($0) } }
    }
    if let near {
      for id in 0..<pool.count where !hits.contains(id) && near.stands(in: pool, id) { hits.insert(id) }
    }
    return hits
  }

  /// Where the first and the last letter stand in the right distance is looked at in full; eight places at a time.
  private func find(in text: UnsafeRawBufferPointer, _ pool: TextPool, _ hits: inout RowSet) {
    let first = Letter(bytes[0])
    let last = Letter(bytes[bytes.count - 1])
    let reach = bytes.count - 1
    var id = 0
    var at = 0
    while at + reach + 8 <= text.count {
      var found =
        first.marks(text.loadUnaligned(fromByteOffset: at, as: UInt64.self))
        & last.marks(text.loadUnaligned(fromByteOffset: at + reach, as: UInt64.self))
      while found != 0 {
        take(at + found.trailingZeroBitCount >> 3, in: text, pool, &id, &hits)
        found &= found - 1
      }
      at += 8
    }
    while at + reach < text.count {
      take(at, in: text, pool, &id, &hits)
      at += 1
    }
  }

  @inline(__always)
  private func take(
    _ place: Int, in text: UnsafeRawBufferPointer, _ pool: TextPool, _ id: inout Int, _ hits: inout RowSet
  ) {
    for offset in bytes.indices where TextSearch.lower(text[place + offset]) != bytes[offset] { return }
    while Int(pool.starts[id + 1]) <= place { id += 1 }
    hits.insert(id)
  }

  /// One byte in eight places at once.
  private struct Letter {
    private let fold: UInt64
    private let wanted: UInt64

    /// Of a letter both cases; they differ in one bit, which nothing else shares with them.
    init(_ byte: UInt8) {
      let isLetter = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
      fold = isLetter ? 0x2020_2020_2020_2020 : 0
      wanted = UInt64(byte) &* 0x0101_0101_0101_0101
    }

    /// The upper bit of each byte that is it.
    @inline(__always)
    func marks(_ text: UInt64) -> UInt64 {
      let rest = (text.littleEndian | fold) ^ wanted
      let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
      return ~(((rest & low) &+ low) | rest | low)
    }
  }
}

/// A word that may stand somewhere nearly: with one letter in four wrong, missing or too many.
///
/// Myers' bit-parallel form of Sellers' algorithm ("A fast bit-vector algorithm for approximate string matching",
/// 1999): a step takes a few operations however long the word is, up to 64 letters.
struct NearNeedle: Sendable {
  private let allowed: Int
  private let length: Int
  /// Where in the word a letter stands.
  private let ascii: [UInt64]
  private let others: [Unicode.Scalar: UInt64]

  /// Longest part of a text that is looked at.
  private static let longest = 300

  /// Nil for words that are too short to be nearly anything, or longer than anybody types.
  init?(_ word: String) {
    let scalars = Array(word.unicodeScalars)
    guard scalars.count >= 4, scalars.count <= 64 else { return nil }
    length = scalars.count
    allowed = scalars.count / 4
    var ascii = Array(repeating: UInt64(0), count: 128)
    var others: [Unicode.Scalar: UInt64] = [:]
    for (place, scalar) in scalars.enumerated() {
      if scalar.isASCII {
        ascii[Int(scalar.value)] |= 1 << UInt64(place)
      } else {
        others[scalar, default: 0] |= 1 << UInt64(place)
      }
    }
    (self.ascii, self.others) = (ascii, others)
  }

  func stands(in pool: TextPool, _ id: Int) -> Bool {
    if pool.wide.contains(id) { return stands(in: pool[id]) }
    var state = State(length: length)
    for byte in pool.bytes[pool.range(id)].prefix(NearNeedle.longest) {
      if state.step(ascii[Int(TextSearch.lower(byte))]) <= allowed { return true }
    }
    return false
  }

  func stands(in text: String) -> Bool {
    var state = State(length: length)
    for scalar in text.lowercased().unicodeScalars.prefix(NearNeedle.longest) {
      let places = scalar.isASCII ? ascii[Int(scalar.value)] : others[scalar] ?? 0
      if state.step(places) <= allowed { return true }
    }
    return false
  }

  /// The distances of all beginnings of the word to the best part of the text that ends here, as differences.
  private struct State {
    private var up: UInt64 = .max
    private var down: UInt64 = 0
    private var distance: Int
    private let lastPlace: UInt64

    init(length: Int) {
      distance = length
      lastPlace = 1 << UInt64(length - 1)
    }

    /// The distance of the whole word after one more letter, given where in the word that letter stands.
    @inline(__always)
    mutating func step(_ places: UInt64) -> Int {
      let diagonal = (((places & up) &+ up) ^ up) | places | down
      var right = down | ~(diagonal | up)
      var left = up & diagonal
      if right & lastPlace != 0 { distance += 1 }
      if left & lastPlace != 0 { distance -= 1 }
      // A part of the text may begin anywhere, so nothing is carried into the first place.
      right <<= 1
      left <<= 1
      up = left | ~(diagonal | right)
      down = right & diagonal
      return distance
    }
  }
}
