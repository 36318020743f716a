/// Randomness that is a function of (seed, name, index), so any piece of data can be made again without being held.
///
/// SplitMix64 (Steele, Lea, Flood 2014) over a start value mixed from the seed and an FNV-1a hash of the name. Good enough for
/// invented data and for a sandbox's invented secrets; never for real ones.
package struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64, _ name: String, index: Int = 0) {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    let indexed = Self.mix(hash &+ UInt64(bitPattern: Int64(index)) &* 0x9e37_79b9_7f4a_7c15)
    state = Self.mix(seed ^ indexed)
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    return Self.mix(state)
  }

  private static func mix(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}

extension SeededRandom {
  /// A number from 0 up to, but not including, `bound`; 0 where the bound is not positive.
  package mutating func below(_ bound: Int) -> Int {
    guard bound > 0 else { return 0 }
    return Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// A number within `range`.
  package mutating func number(in range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.upperBound - range.lowerBound + 1)
  }

  /// True in `percent` of 100 cases.
  package mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  /// One of `choices`, which must hold at least one.
  package mutating func pick<C: RandomAccessCollection>(_ choices: C) -> C.Element where C.Index == Int {
    choices[choices.startIndex + below(choices.count)]
  }

  /// Text of `length` characters drawn from an ASCII alphabet.
  package mutating func text(_ length: Int, from alphabet: StaticString) -> String {
    String(unsafeUninitializedCapacity: length) { buffer in
      let bytes = UnsafeBufferPointer(start: alphabet.utf8Start, count: alphabet.utf8CodeUnitCount)
      for position in 0..<length { buffer[position] = bytes[below(bytes.count)] }
      return length
    }
  }

  package mutating func hex(_ digits: Int) -> String { text(digits, from: "0123456789abcdef") }

  /// An identifier in the form of a version 4 UUID, lower case.
  package mutating func uuid() -> String {
    "\(hex(8))-\(hex(4))-4\(hex(3))-\(text(1, from: "89ab"))\(hex(3))-\(hex(12))"
  }

  /// A password or client secret: letters and digits that no header, form or shell has to quote and no reader mistakes.
  package mutating func secret(_ length: Int = 20) -> String {
    text(max(12, length), from: "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
  }
}
