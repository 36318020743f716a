import Crypto
import Testing

@Suite struct LockedBytesTests {
  @Test(arguments: [0, 1, 32, 4096, 4097]) func `bytes are kept`(_ count: Int) {
    let bytes = RandomBytes.make(count)
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

  @Test func `random bytes differ`() {
    #expect(RandomBytes.make(32) != RandomBytes.make(32))
    #expect(RandomBytes.make(0).isEmpty)
    let random = LockedBytes.random(32).withBytes { Array($0) }
    #expect(random.count == 32 && random != [UInt8](repeating: 0, count: 32))
  }

  @Test func `wiping empties an array`() {
    var bytes = Array("hunter2".utf8)
    bytes.wipe()
    #expect(bytes.isEmpty)
  }

  @Test func `comparing looks at all bytes`() {
    #expect(constantTimeEquals([1, 2, 3], [1, 2, 3]))
    #expect(!constantTimeEquals([1, 2, 3], [1, 2, 4]))
    #expect(!constantTimeEquals([1, 2, 3], [1, 2]))
    #expect(constantTimeEquals([], []))
  }
}
