/// Everything libcurl has to know of one transfer.
package struct CurlRequest: Sendable {
  package enum Body: Sendable {
    case none
    case bytes([UInt8])
    /// Asked for from the handler while it is sent; without a count it goes out chunked.
    case stream(count: Int64?)
  }

  package var url: String
  package var method: String
  /// Fields in order, already checked for line breaks.
  package var headers: [(name: String, value: String)] = []
  package var body = Body.none
  /// Offers and undoes every compression that libcurl knows.
  package var isCompressed = true
  package var freshConnection = false
  /// Longest time without a byte, connecting included.
  package var silence: Duration = .seconds(30)
  /// Nil for the direct way; the environment is never asked.
  package var proxy: String?
  package var authorities: String?
  package var certificate: String?
  package var key: String?
  /// Hashes of the public keys that the server may have, `sha256//…`, divided by semicolons.
  package var pinnedKeys: String?
  /// Breaks off before the request is written when the other side is not this machine.
  package var loopbackOnly = false
  /// Expects megabytes: reads in large pieces.
  package var isBulk = false
  /// Where to connect instead: `HOST:PORT:HOST:PORT`.
  package var detour: String?

  package init(_ method: String, _ url: String) {
    self.method = method
    self.url = url
  }
}

/// What a handler says to a piece of a transfer.
package enum CurlVerdict: Sendable { case go, pause, stop }

/// What a handler has to send.
package enum CurlSupply: Sendable {
  /// So many bytes are in the buffer, at least one.
  case bytes(Int)
  case end, pause, stop
}

/// Takes part in a transfer; called on the engine's thread, so it must not block.
package protocol CurlTransferHandler: AnyObject, Sendable {
  /// One line of a head, with its line end; an empty line ends it.
  func receive(header line: UnsafeRawBufferPointer) -> CurlVerdict
  /// A piece of the body; after `.pause` the same piece comes again once the transfer is resumed.
  func receive(body bytes: UnsafeRawBufferPointer) -> CurlVerdict
  /// Fills the front of the buffer with what is to be sent.
  func supply(_ buffer: UnsafeMutableRawBufferPointer) -> CurlSupply
  /// So much has been written to the socket.
  func sent(_ bytes: Int64)
  /// Everything that the socket held has been handed over for now.
  func roundEnded()
  /// Called once, last.
  func finished(_ outcome: CurlOutcome)
}

/// How a transfer ended.
package struct CurlOutcome: Sendable {
  package enum Result: Sendable {
    case done
    case failed(CurlFailure)
    /// Nothing arrived for the time given.
    case silent
    /// The handler said `.stop`.
    case stopped
    case notLoopback
    case cancelled
  }

  package var result: Result
  package var info = CurlInfo()

  package init(_ result: Result, info: CurlInfo = CurlInfo()) {
    self.result = result
    self.info = info
  }
}

/// What libcurl measured; times in microseconds from the start, 0 for a phase that did not come about.
package struct CurlInfo: Sendable {
  package var lookup: Int64 = 0
  package var connected: Int64 = 0
  package var secured: Int64 = 0
  package var requestSent: Int64 = 0
  package var firstByte: Int64 = 0
  package var total: Int64 = 0
  package var isReused = false
  package var remoteAddress: String?
  package var httpVersion = ""

  package init() {}
}
