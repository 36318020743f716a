import Glibc
import HTTPServer

/// Where the bytes of a file come from.
enum NodeContent: Sendable {
  case text(DocumentText, DocumentFormat)
  case picture(Int)
  /// Bytes that are a function of their offset: as large as asked for, and never held.
  case pattern(length: Int)
  case bytes([UInt8])
  case spooled(SpooledFile)

  /// Everything the answer needs to send the bytes; generated text is rendered here.
  func opened(_ corpus: DocumentCorpus) -> OpenedContent {
    switch self {
    case .text(let text, let format): .bytes(corpus.render(text, as: format))
    case .picture(let index): .bytes(PNGWriter.picture(index: index))
    case .pattern(let length): .pattern(length: length)
    case .bytes(let bytes): .bytes(bytes)
    case .spooled(let file): .spooled(file)
    }
  }

  func length(_ corpus: DocumentCorpus) -> Int { opened(corpus).count }
}

/// Bytes of known length that can be read from any offset.
enum OpenedContent: Sendable {
  case bytes([UInt8])
  case pattern(length: Int)
  case spooled(SpooledFile)

  var count: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .pattern(let length): length
    case .spooled(let file): file.count
    }
  }

  /// A body of `range` of the bytes.
  func body(_ range: Range<Int>) -> ResponseBody {
    switch self {
    case .bytes(let bytes):
      return .bytes(range == 0..<bytes.count ? bytes : Array(bytes[range]))
    case .pattern:
      return .generated(length: range.count) { offset, into in
        let count = min(into.count, range.count - offset)
        guard count > 0 else { return 0 }
        let start = range.lowerBound + offset
        for position in 0..<count { into[position] = Self.pattern(at: start + position) }
        return count
      }
    case .spooled(let file):
      return .generated(length: range.count) { offset, into in
        let count = min(into.count, range.count - offset)
        guard count > 0 else { return 0 }
        return file.read(into: UnsafeMutableRawBufferPointer(rebasing: into[0..<count]), at: range.lowerBound + offset)
      }
    }
  }

  /// All bytes at once, for small contents.
  func collected() -> [UInt8] {
    switch self {
    case .bytes(let bytes): bytes
    case .pattern(let length): (0..<length).map(Self.pattern)
    case .spooled(let file): file.contents()
    }
  }

  /// A byte of the generated binary: every 8 bytes carry their own offset, so a lost or doubled piece shows.
  static func pattern(at offset: Int) -> UInt8 {
    let word = UInt64(offset >> 3) &* 0x9E37_79B9_7F4A_7C15
    return UInt8(truncatingIfNeeded: word >> UInt64((offset & 7) * 8))
  }
}

/// An upload too large for memory, in a file without a name that vanishes with its last holder.
final class SpooledFile: Sendable {
  private let descriptor: Int32
  let count: Int

  private init(descriptor: Int32, count: Int) {
    self.descriptor = descriptor
    self.count = count
  }

  deinit { close(descriptor) }

  /// Collects bytes; turns into a file with `finished()`.
  final class Writer {
    private var descriptor: Int32
    private(set) var count = 0

    /// nil when the system has no room for a temporary file.
    init?() {
      let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
      var template = Array("\(folder)/upload-XXXXXX".utf8CString)
      descriptor = mkstemp(&template)
      guard descriptor >= 0 else { return nil }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      unlink(template)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// False when the disk is full.
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
      var done = 0
      while done < bytes.count {
        let written = Glibc.write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
        if written < 0, errno == EINTR { continue }
        guard written > 0 else { return false }
        done += written
      }
      count += done
      return true
    }

    /// The file, for reading; the writer is empty afterwards.
    func finished() -> SpooledFile {
      let file = SpooledFile(descriptor: descriptor, count: count)
      descriptor = -1
      return file
    }
  }

  /// Bytes read; 0 at the end, -1 when the file cannot be read.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, offset)
      if count >= 0 || errno != EINTR { return count }
    }
  }

  func contents() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      let raw = UnsafeMutableRawBufferPointer(buffer)
      while filled < count {
        let part = read(into: UnsafeMutableRawBufferPointer(rebasing: raw[filled...]), at: filled)
        guard part > 0 else { return }
        filled += part
      }
    }
  }
}
