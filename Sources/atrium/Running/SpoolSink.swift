import Glibc
import Model
import Store
import Synchronization

/// Holds a body in a temporary file without a name until its turn comes.
final class SpoolSink: ByteSink {
  private let descriptor: Int32
  private let operation: String

  init(_ operation: String) throws(ServiceError) {
    self.operation = operation
    do throws(FileError) { descriptor = try Files.temporaryFile() } catch { throw error.serviceError(operation) }
  }

  deinit { close(descriptor) }

  func begin(_ head: ContentHead, at offset: Int64) {
    ftruncate(descriptor, 0)
    lseek(descriptor, 0, SEEK_SET)
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    do throws(FileError) {
      try Files.writeAll(Array(bytes), to: descriptor, path: "a temporary file")
    } catch {
      throw error.serviceError(operation)
    }
  }

  func copy(to output: Output) throws(ServiceError) {
    let sink = OutputSink(output)
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    lseek(descriptor, 0, SEEK_SET)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw FileError(.read, "a temporary file").serviceError(operation) }
      if count == 0 { break }
      do {
        try buffer[..<count].withUnsafeBytes { try sink.write($0) }
      } catch {
        throw error as? ServiceError ?? ServiceError(.failed, operation, cause: error)
      }
    }
    try sink.finish()
  }
}
