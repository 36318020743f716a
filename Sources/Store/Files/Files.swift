import Glibc
import LockedMemory
import Model

/// Whole files: read with a bound, replaced atomically, for the owner's eyes.
package enum Files {
  /// Reads a file of at most `maxBytes`.
  ///
  /// - Throws: `FileError`; a file that is larger fails with `EFBIG`.
  package static func read(_ path: String, maxBytes: Int = 16 << 20) throws(FileError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(.open, path) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var status = stat()
    if fstat(descriptor, &status) == 0 {
      if status.st_mode & S_IFMT == S_IFDIR { throw FileError(.read, path, number: EISDIR) }
      bytes.reserveCapacity(min(maxBytes, Int(status.st_size)) + 1)
    }
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw FileError(.read, path) }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      guard bytes.count <= maxBytes else { throw FileError(.read, path, number: EFBIG) }
    }
  }

  /// Reads a small file of secrets straight into locked memory, up to the first line's end when `isLine`.
  ///
  /// - Throws: `FileError`; a file of more than 64 KiB fails with `EFBIG`.
  package static func secret(_ path: String, isLine: Bool = false) throws(FileError) -> Secret {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(.open, path) }
    defer { close(descriptor) }
    var count = 0
    var failure: FileError?
    let bytes = LockedBytes(count: maxSecretBytes + 1) { target in
      while count < target.count {
        let step = Glibc.read(descriptor, target.baseAddress?.advanced(by: count), target.count - count)
        if step < 0, errno == EINTR { continue }
        if step < 0 { failure = FileError(.read, path) }
        guard step > 0 else { return }
        count += step
      }
      failure = FileError(.read, path, number: EFBIG)
    }
    if let failure { throw failure }
    return bytes.withBytes { bytes in
      let text = bytes[..<count]
      return Secret(utf8: isLine ? text.prefix { $0 != 10 && $0 != 13 } : withoutNewline(text))
    }
  }

  private static let maxSecretBytes = 64 << 10

  private static func withoutNewline(_ text: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
    guard text.last == 10 else { return text }
    let line = text.dropLast()
    return line.last == 13 ? line.dropLast() : line
  }

  /// Replaces a file in one step: a new file beside it is written, synchronised and renamed, so that a reader, and a
  /// crash, finds the old content or the new one. A symbolic link keeps pointing; what it points at is replaced.
  package static func replace(_ path: String, with bytes: [UInt8], mode: mode_t = 0o600) throws(FileError) {
    let target = resolvingLinks(path)
    let name = FilePath.lastName(of: target)
    let directory = FilePath.directory(of: target)
    let temporary = FilePath.joined(directory, ".\(name).\(getpid()).\(UInt32.random(in: 0 ... .max))")
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw FileError(.create, path) }
    do throws(FileError) {
      defer { close(descriptor) }
      try writeAll(bytes, to: descriptor, path: path)
      guard fsync(descriptor) == 0 else { throw FileError(.write, path) }
    } catch {
      unlink(temporary)
      throw error
    }
    guard rename(temporary, target) == 0 else {
      let error = FileError(.replace, path)
      unlink(temporary)
      throw error
    }
    synchronise(directory)
  }

  package static func writeAll(_ bytes: [UInt8], to descriptor: Int32, path: String) throws(FileError) {
    var start = 0
    while start < bytes.count {
      let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress?.advanced(by: start), $0.count - start) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw FileError(.write, path) }
      start += count
    }
  }

  /// Makes a directory and those above it, 0700 each where they are new.
  package static func makeDirectory(_ path: String) throws(FileError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, path.count > 1 else { throw FileError(.create, path) }
    try makeDirectory(FilePath.directory(of: path))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw FileError(.create, path) }
  }

  /// A new file without a name, for reading and writing, in `$TMPDIR` or /tmp; it goes when it is closed.
  package static func temporaryFile() throws(FileError) -> Int32 {
    let directory = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    var template = Array(FilePath.joined(directory.hasPrefix("/") ? directory : "/tmp", ".atrium-XXXXXX").utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw FileError(.create, "a temporary file") }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unlink(template)
    return descriptor
  }

  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Bytes of a file; nil where there is none.
  package static func size(_ path: String) -> Int64? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int64(status.st_size)
  }

  /// What an ordinary user may still write where a file lies; nil when that cannot be told.
  package static func freeBytes(at path: String) -> Int64? {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    let (bytes, overflows) = Int64(clamping: status.f_bavail).multipliedReportingOverflow(by: Int64(status.f_frsize))
    return overflows ? .max : bytes
  }

  package static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Names in a directory, sorted; empty when there is no such directory.
  package static func names(in directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Puts a rename in a directory onto the disk, where the file system knows how to.
  package static func synchronise(_ directory: String) {
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// Whether writing there means writing into what is there: a device, a pipe, a socket.
  package static func isSpecial(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
  }

  /// What a path names once symbolic links are followed, also where nothing is there yet.
  package static func resolvingLinks(_ path: String) -> String {
    var path = path
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    for _ in 0..<40 {
      let count = readlink(path, &buffer, buffer.count)
      guard count > 0 else { break }
      let target = String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
      path = FilePath.joined(FilePath.directory(of: path), target)
    }
    return path
  }
}
