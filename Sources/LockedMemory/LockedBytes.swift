internal import Glibc

/// A key or a secret text in memory of its own: kept out of swap and core dumps where the system allows, wiped when it goes.
///
/// It cannot change after `init`, so threads may share it.
package final class LockedBytes: Sendable {
  package let count: Int
  /// Whether the pages cannot be swapped out; false where `RLIMIT_MEMLOCK` is used up.
  package let isLocked: Bool
  // nonisolated(unsafe): written only inside init and deinit, when nobody else holds a reference.
  private nonisolated(unsafe) let storage: UnsafeMutableRawBufferPointer

  /// Bytes that `fill` writes, zero before that.
  package init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
    self.count = count
    // Whole pages: unlocking a page that another key shares would unlock that key.
    let page = max(Int(sysconf(Int32(_SC_PAGESIZE))), 4096)
    let size = max(1, (count + page - 1) / page) * page
    storage = .allocate(byteCount: size, alignment: page)
    storage.initializeMemory(as: UInt8.self, repeating: 0)
    isLocked = mlock(storage.baseAddress, size) == 0
    madvise(storage.baseAddress, size, MADV_DONTDUMP)
    fill(UnsafeMutableRawBufferPointer(rebasing: storage[..<count]))
  }

  /// Copies the bytes; the caller wipes its own.
  package convenience init(_ bytes: [UInt8]) {
    self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
  }

  deinit {
    if let start = storage.baseAddress { explicit_bzero(start, storage.count) }
    madvise(storage.baseAddress, storage.count, MADV_DODUMP)
    if isLocked { munlock(storage.baseAddress, storage.count) }
    storage.deallocate()
  }

  /// The bytes, valid during the call only.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(rebasing: storage[..<count]))
  }
}

extension LockedBytes: Hashable {
  /// Looks at every byte, so that the time it takes does not tell where the first difference is.
  package static func == (a: LockedBytes, b: LockedBytes) -> Bool {
    a.count == b.count && zip(a.bytes, b.bytes).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }

  package func hash(into hasher: inout Hasher) { withBytes { hasher.combine(bytes: $0) } }

  private var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[..<count]) }
}

extension LockedBytes: CustomStringConvertible, CustomReflectable {
  package var description: String { "«\(count) secret bytes»" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Array<UInt8> {
  /// Overwrites the bytes with zeros, in a way the compiler keeps, and empties the array.
  package mutating func wipe() {
    withUnsafeMutableBytes { if let start = $0.baseAddress { explicit_bzero(start, $0.count) } }
    removeAll()
  }
}
