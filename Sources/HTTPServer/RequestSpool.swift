import Glibc

/// Collects an upload: in memory first, in a temporary file without a name once it grows past the threshold.
struct RequestSpool {
  enum Failure: Error { case tooLarge, storage }

  static let memoryThreshold = 8 << 20

  private let maxBytes: Int
  private(set) var count = 0
  private var memory: [UInt8] = []
  private var file: Int32 = -1

  init(maxBytes: Int) {
    self.maxBytes = maxBytes
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
    guard bytes.count <= maxBytes - count else { throw .tooLarge }
    count += bytes.count
    guard file < 0, count > Self.memoryThreshold else {
      if file < 0 { memory.append(contentsOf: bytes) } else { try write(bytes) }
      return
    }
    file = Self.makeUnlinkedFile()
    guard file >= 0 else { throw .storage }
    let held = memory
    memory = []
    let failure: Failure? = held.withUnsafeBytes { held in
      do throws(Failure) {
        try write(held)
        return nil
      } catch { return error }
    }
    if let failure { throw failure }
    try write(bytes)
  }

  /// Hands over what was collected and starts empty again.
  mutating func finish() throws(Failure) -> RequestBody {
    guard file >= 0 else {
      defer { discard() }
      return RequestBody(memory)
    }
    defer { discard() }
    guard let mapped = MappedSpool(file: file, count: count) else { throw .storage }
    return RequestBody(mapped)
  }

  /// Lets go of everything; must be called once for a spool that does not finish.
  mutating func discard() {
    if file >= 0 { close(file) }
    file = -1
    memory = []
    count = 0
  }

  private func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = Glibc.write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      guard written > 0 else {
        if written < 0, errno == EINTR { continue }
        throw .storage
      }
      rest = rest.dropFirst(written)
    }
  }

  private static func makeUnlinkedFile() -> Int32 {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(folder)/atrium-upload-XXXXXX".utf8CString)
    let file = mkstemp(&template)
    if file >= 0 {
      unlink(template)
      _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    }
    return file
  }
}

/// A finished upload, mapped into memory from a file that no longer has a name.
///
/// `@unchecked Sendable`: the mapping is read-only and private, and nothing but `deinit` changes it.
final class MappedSpool: @unchecked Sendable {
  private let address: UnsafeMutableRawPointer
  let count: Int

  init?(file: Int32, count: Int) {
    guard let address = mmap(nil, count, PROT_READ, MAP_PRIVATE, file, 0), address != MAP_FAILED else { return nil }
    self.address = address
    self.count = count
  }

  deinit { munmap(address, count) }

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try body(UnsafeRawBufferPointer(start: address, count: count))
  }
}
