import Glibc
import Model
import Synchronization

/// Standard output or standard error: gathers what is written and knows whether a terminal reads it.
final class Output: Sendable {
  /// The reader has gone away; there is nothing left to say and nobody to say it to.
  struct Closed: Error {}

  let isTerminal: Bool
  /// A terminal whose locale is not UTF-8: everything else is drawn as the nearest ASCII.
  private let isASCIIOnly: Bool
  private let descriptor: Int32
  private let buffer = Mutex<[UInt8]>([])
  private let pager = Mutex<Pager?>(nil)

  init(_ descriptor: Int32, environment: [String: String]) {
    self.descriptor = descriptor
    isTerminal = isatty(descriptor) == 1
    isASCIIOnly = isTerminal && !TerminalTraits.namesUnicode(environment)
  }

  /// Writes JSON; where only ASCII is drawn, everything else, which stands in strings alone, becomes `\u` escapes.
  func write(json: [UInt8]) throws(ServiceError) {
    guard isASCIIOnly else { return try write(json) }
    var escaped = ""
    for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
      guard !scalar.isASCII else {
        escaped.unicodeScalars.append(scalar)
        continue
      }
      for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
        let digits = String(unit, radix: 16)
        escaped += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      }
    }
    try write(escaped)
  }

  func write(_ text: String) throws(ServiceError) { try write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) throws(ServiceError) {
    let limit = pager.withLock { $0 == nil } ? 64 << 10 : Pager.most
    let isFull = buffer.withLock { buffer in
      buffer += bytes
      return buffer.count > limit
    }
    if isFull { try flush() }
  }

  func flush() throws(ServiceError) {
    var bytes = buffer.withLock { buffer in
      defer { buffer = [] }
      return buffer
    }
    let pager = pager.withLock { pager in
      defer { pager = nil }
      return pager
    }
    if isASCIIOnly { bytes = Array(ASCIIForm.text(String(decoding: bytes, as: UTF8.self)).utf8) }
    if let pager, bytes.count < Pager.most, pager.takes(bytes), pager.show(bytes) { return }
    try writeAll(bytes.count) { [bytes] start in
      bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress?.advanced(by: start), $0.count - start) }
    }
  }

  /// What is written until the next flush goes through a pager, where it is longer than the screen.
  func page(with pager: Pager?) { self.pager.withLock { $0 = pager } }

  /// Passes bytes on at once, behind what was gathered.
  func pass(_ bytes: UnsafeRawBufferPointer) throws(ServiceError) {
    try flush()
    try writeAll(bytes.count) { Glibc.write(descriptor, bytes.baseAddress?.advanced(by: $0), bytes.count - $0) }
  }

  /// Columns of the terminal; nil where there is none.
  var columns: Int? {
    guard isTerminal else { return nil }
    var size = winsize()
    return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
  }

  private func writeAll(_ total: Int, _ write: (_ start: Int) -> Int) throws(ServiceError) {
    var start = 0
    while start < total {
      let count = write(start)
      if count >= 0 {
        start += count
      } else if errno == EAGAIN {
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&wait, 1, -1)
      } else if errno == EPIPE {
        throw ServiceError(.cancelled, "write the answer", cause: Closed())
      } else if errno != EINTR {
        throw ServiceError(
          .failed, "write the answer", detail: String(cString: strerror(errno)), remedy: "Check where it is written to."
        )
      }
    }
  }
}

/// Content on its way to standard output: untouched, unless a terminal reads it.
final class OutputSink: ByteSink {
  private let output: Output
  private let pending = Mutex<[UInt8]>([])

  init(_ output: Output) { self.output = output }

  func begin(_ head: ContentHead, at offset: Int64) {}

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    guard output.isTerminal else { return try output.pass(bytes) }
    // What stands before the last line feed is whole: no character is cut in two.
    let lines = pending.withLock { pending -> [UInt8] in
      pending.append(contentsOf: bytes)
      guard let end = pending.lastIndex(of: 10) else { return [] }
      defer { pending.removeSubrange(...end) }
      return Array(pending[...end])
    }
    try output.write(OutputSink.harmless(lines))
  }

  func finish() throws(ServiceError) {
    let rest = pending.withLock { pending in
      defer { pending = [] }
      return pending
    }
    try output.write(OutputSink.harmless(rest))
    try output.flush()
  }

  /// Text as a terminal may show it: line feeds and tabs stay, everything else it would act on becomes an escape.
  static func harmless(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
      .map {
        $0.split(separator: "\t", omittingEmptySubsequences: false).map { Visible.escaped(String($0)) }.joined(
          separator: "\t")
      }
      .joined(separator: "\n")
  }
}
