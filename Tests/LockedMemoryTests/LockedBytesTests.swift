import Glibc
import LockedMemory
import Testing

@Suite struct LockedBytesTests {
  @Test(arguments: [0, 1, 32, 4096, 4097]) func `bytes are kept`(_ count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let locked = LockedBytes(bytes)
    #expect(locked.count == count)
    #expect(locked.withBytes { Array($0) } == bytes)
  }

  @Test func `a description shows no byte`() {
    let locked = LockedBytes(Array("hunter2".utf8))
    var dumped = ""
    dump(locked, to: &dumped)
    for text in ["\(locked)", String(reflecting: locked), dumped] {
      #expect(!text.contains("hunter2") && !text.contains("104"))
    }
  }

  @Test func `wiping empties an array`() {
    var bytes = Array("hunter2".utf8)
    bytes.wipe()
    #expect(bytes.isEmpty)
  }

  @Test func `equal bytes are equal, wherever they lie`() {
    let (a, b) = (LockedBytes([1, 2, 3]), LockedBytes([1, 2, 3]))
    #expect(a == b && a.hashValue == b.hashValue)
    #expect(a != LockedBytes([1, 2, 4]) && a != LockedBytes([1, 2]) && LockedBytes([]) == LockedBytes([]))
  }

  @Test func `one different byte anywhere makes two secrets different`() {
    let text = Array("correct horse 7".utf8)
    for index in text.indices {
      for bit in 0..<8 {
        var other = text
        other[index] ^= 1 << UInt8(bit)
        #expect(LockedBytes(text) != LockedBytes(other), "byte \(index), bit \(bit)")
      }
    }
  }

  /// The kernel's own word for it: the flags of the mapping in /proc/self/smaps, `dd` for "do not dump", `lo` for locked.
  @Test func `its pages are in no core dump, and locked where the system allows`() throws {
    let locked = LockedBytes(Array("hunter2".utf8))
    let address = locked.withBytes { UInt(bitPattern: $0.baseAddress) }
    let flags = try #require(Self.flags(at: address))
    #expect(flags.contains("dd"))
    #expect(flags.contains("lo") == locked.isLocked)
  }

  private static func flags(at address: UInt) -> [Substring]? {
    guard let file = fopen("/proc/self/smaps", "r") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 4096)
    var isInside = false
    while fgets(&line, Int32(line.count), file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      let bounds = text.prefix { $0 != " " }.split(separator: "-").map { UInt($0, radix: 16) }
      if bounds.count == 2, let start = bounds[0], let end = bounds[1] { isInside = (start..<end).contains(address) }
      if isInside, text.hasPrefix("VmFlags:") { return text.split { $0.isWhitespace }.dropFirst().map { $0 } }
    }
    return nil
  }
}
