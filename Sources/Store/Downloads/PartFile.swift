import Glibc
import Model
import Synchronization

/// A download on its way to a file: bytes gather in `FILE.part`, and FILE appears only when all of them are there.
///
/// Left alone, the partial file stays with what is needed to continue it; `finish` turns it into the file.
package final class PartFile: ByteSink {
  package let destination: String
  package var partPath: String { destination + ".part" }

  private let location: Location
  private let ledger: PartLedger
  private let state: Mutex<State>

  fileprivate struct State {
    var descriptor: Int32
    var length: Int64
  }

  /// Opens or makes the partial file. A destination that is a symbolic link keeps pointing: what it points at becomes the
  /// file.
  ///
  /// - Throws: `.failed` when it cannot be written, or when another download is writing it just now.
  package init(_ destination: String, from location: Location, ledger: PartLedger) throws(ServiceError) {
    let destination = Files.resolvingLinks(destination)
    self.destination = destination
    self.location = location
    self.ledger = ledger
    let path = destination + ".part"
    let operation = "download to \(destination)"
    // What a person saves is theirs to share: the umask decides.
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
    guard descriptor >= 0 else { throw FileError(.create, path).serviceError(operation) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw ServiceError(
        .failed, operation, detail: "another download is writing \(path)",
        remedy: "Wait for it, or choose another file.")
    }
    state = Mutex(State(descriptor: descriptor, length: Int64(lseek(descriptor, 0, SEEK_END))))
  }

  deinit { state.withLock { $0.close() } }

  /// What to ask the server for: the rest, when what is here is known to be the beginning of the same content.
  package var request: DownloadRequest {
    state.withLock { state in
      guard state.length > 0, let status = state.status, let entry = ledger.entry(of: status),
        entry.location == location, entry.path == partPath
      else { return DownloadRequest() }
      return DownloadRequest(offset: state.length, validator: entry.validator)
    }
  }

  package func begin(_ head: ContentHead, at offset: Int64) throws {
    try state.withLock { state throws(FileError) in
      guard offset <= state.length, ftruncate(state.descriptor, off_t(offset)) == 0,
        lseek(state.descriptor, off_t(offset), SEEK_SET) == off_t(offset)
      else { throw FileError(.write, partPath, number: offset > state.length ? EINVAL : errno) }
      state.length = offset
      guard let status = state.status else { return }
      if let validator = head.validator {
        ledger.remember(PartLedger.Entry(location: location, validator: validator, path: partPath), of: status)
      } else {
        ledger.forget(status)
      }
    }
  }

  package func write(_ bytes: UnsafeRawBufferPointer) throws {
    do throws(FileError) { try keep(bytes) } catch { throw error.serviceError("download to \(destination)") }
  }

  private func keep(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    try state.withLock { state throws(FileError) in
      var start = 0
      while start < bytes.count {
        let count = Glibc.write(state.descriptor, bytes.baseAddress?.advanced(by: start), bytes.count - start)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw FileError(.write, partPath) }
        start += count
        state.length += Int64(count)
      }
    }
  }

  /// Everything has arrived: synchronises and gives the file its name.
  ///
  /// - Parameter size: What the server promised; a shorter file stays partial.
  package func finish(size: Int64?) throws(ServiceError) {
    let operation = "download to \(destination)"
    let length = state.withLock { $0.length }
    if let size, size != length {
      throw ServiceError(
        .brokenOff, operation, detail: "\(length) of \(size) bytes arrived",
        remedy: "Run it again: it continues with \(partPath).")
    }
    do throws(FileError) {
      try state.withLock { state throws(FileError) in
        guard fsync(state.descriptor) == 0 else { throw FileError(.write, partPath) }
        guard rename(partPath, destination) == 0 else { throw FileError(.replace, destination) }
        if let status = state.status { ledger.forget(status) }
        state.close()
      }
    } catch {
      throw error.serviceError(operation)
    }
    Files.synchronise(FilePath.directory(of: destination))
  }

  /// Begins anew, for content that is made here.
  package func restart() {
    state.withLock { state in
      if let status = state.status { ledger.forget(status) }
      ftruncate(state.descriptor, 0)
      lseek(state.descriptor, 0, SEEK_SET)
      state.length = 0
    }
  }

  package func append(_ bytes: [UInt8]) throws(ServiceError) {
    do throws(FileError) {
      try bytes.span.withUnsafeBytes { bytes throws(FileError) in try keep(bytes) }
    } catch {
      throw error.serviceError("write \(destination)")
    }
  }

  /// Removes the partial file: what it holds is of no use.
  package func discard() {
    state.withLock { state in
      guard state.descriptor >= 0 else { return }
      unlink(partPath)
      state.close()
    }
  }

  /// Removes a partial file that nothing has been written to, so that a refused download leaves no trace.
  package func discardIfEmpty() {
    state.withLock { state in
      guard state.descriptor >= 0, state.length == 0 else { return }
      if let status = state.status { ledger.forget(status) }
      unlink(partPath)
      state.close()
    }
  }
}

extension PartFile.State {
  fileprivate var status: stat? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status : nil
  }

  fileprivate mutating func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }
}
