import Model
import Synchronization

/// A form with one file in it, `multipart/form-data`, read piece by piece without holding the file.
///
/// - SeeAlso: RFC 7578; names and values go out as UTF-8, quotes and line ends in names percent-encoded.
final class MultipartSource: ByteSource {
  private let head: [UInt8]
  private let file: any ByteSource
  private let tail: [UInt8]
  /// Bytes of head and tail already read; nil in the middle while the file's own bytes come.
  private let progress = Mutex(Progress())

  private struct Progress {
    var head = 0
    var fileIsDone = false
    var tail = 0
  }

  let contentType: String

  /// - Parameter boundary: Must not occur in the file; 16 random bytes in hex never do.
  init(
    fields: [(name: String, value: String)], name: String, mediaType: String?, file: any ByteSource, boundary: String
  ) {
    var head = ""
    for field in fields {
      head += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(field.name)\"\r\n\r\n\(field.value)\r\n"
    }
    head += "--\(boundary)\r\nContent-Disposition: form-data; name=\"filedata\"; filename=\"\(Self.quoted(name))\"\r\n"
    if let mediaType { head += "Content-Type: \(mediaType)\r\n" }
    self.head = Array((head + "\r\n").utf8)
    self.file = file
    tail = Array("\r\n--\(boundary)--\r\n".utf8)
    contentType = "multipart/form-data; boundary=\(boundary)"
  }

  var count: Int64? { file.count.map { $0 + Int64(head.count + tail.count) } }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    try progress.withLock { progress in
      if progress.head < head.count { return Self.copy(head, from: &progress.head, into: buffer) }
      if !progress.fileIsDone {
        let read = try file.read(into: buffer)
        if read > 0 { return read }
        progress.fileIsDone = true
      }
      return Self.copy(tail, from: &progress.tail, into: buffer)
    }
  }

  func rewind() throws {
    try progress.withLock { progress in
      try file.rewind()
      progress = Progress()
    }
  }

  private static func copy(
    _ bytes: [UInt8], from position: inout Int, into buffer: UnsafeMutableRawBufferPointer
  ) -> Int {
    let count = min(buffer.count, bytes.count - position)
    guard count > 0 else { return 0 }
    bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position..<position + count])) }
    position += count
    return count
  }

  private static func quoted(_ name: String) -> String {
    var text = ""
    for scalar in name.unicodeScalars {
      switch scalar {
      case "\"": text += "%22"
      case "\r": text += "%0D"
      case "\n": text += "%0A"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
