import Crypto
import LockedMemory
import Testing

@Suite struct RandomBytesTests {
  @Test func `random bytes differ`() {
    #expect(RandomBytes.make(32) != RandomBytes.make(32))
    #expect(RandomBytes.make(0).isEmpty)
    let random = LockedBytes.random(32).withBytes { Array($0) }
    #expect(random.count == 32 && random != [UInt8](repeating: 0, count: 32))
  }

  @Test func `comparing looks at all bytes`() {
    #expect(constantTimeEquals([1, 2, 3], [1, 2, 3]))
    #expect(!constantTimeEquals([1, 2, 3], [1, 2, 4]))
    #expect(!constantTimeEquals([1, 2, 3], [1, 2]))
    #expect(constantTimeEquals([], []))
  }
}
