import Glibc
import Model
import Synchronization

/// The bytes of a file, read as they are sent.
package final class FileSource: ByteSource {
  package let count: Int64?
  private let path: String
  private let descriptor: Int32
  private let offset = Mutex<Int64>(0)

  /// - Throws: `FileError`; a directory is refused.
  package init(_ path: String) throws(FileError) {
    self.path = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(.open, path) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw FileError(.read, path, number: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
    }
    count = Int64(status.st_size)
  }

  /// Everything that a stream holds, through a temporary file without a name: so its length is known before it is sent,
  /// and it can be sent again after a sign-in.
  package init(spooling stream: Int32, named name: String) throws(FileError) {
    path = name
    descriptor = try Files.temporaryFile()
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    var total: Int64 = 0
    while true {
      let count = Glibc.read(stream, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw FileError(.read, name) }
      if count == 0 { break }
      try Files.writeAll(Array(buffer[..<count]), to: descriptor, path: name)
      total += Int64(count)
    }
    count = total
  }

  deinit { close(descriptor) }

  package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    try offset.withLock { offset throws(FileError) in
      while true {
        let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw FileError(.read, path) }
        offset += Int64(count)
        return count
      }
    }
  }

  package func rewind() { offset.withLock { $0 = 0 } }
}
