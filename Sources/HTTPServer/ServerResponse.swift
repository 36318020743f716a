/// What a handler answers; length, date and connection headers are the server's business.
package struct ServerResponse: Sendable {
  package typealias Field = (name: String, value: String)

  package var status: Int
  /// `Content-Length` and `Transfer-Encoding` are left out on the way: the body decides them.
  package var headers: [Field]
  package var body: ResponseBody

  package init(status: Int, headers: [Field] = [], body: ResponseBody = .bytes([])) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Closes the connection without a word.
  package static let hangUp = ServerResponse(status: 0)

  /// A short text, for errors of the server itself.
  package static func text(_ status: Int, _ text: String) -> ServerResponse {
    ServerResponse(
      status: status, headers: [("Content-Type", "text/plain; charset=utf-8")], body: .bytes(Array(text.utf8)))
  }
}

/// Where the bytes of an answer come from.
package enum ResponseBody: Sendable {
  /// Writes the bytes from `offset` on into the buffer and returns how many; 0 ends the body, -1 breaks it off.
  package typealias Generator = @Sendable (_ offset: Int, _ into: UnsafeMutableRawBufferPointer) -> Int

  case bytes([UInt8])
  /// Asked for the bytes while they are sent; without a length they go out chunked.
  case generated(length: Int?, Generator)
  /// A part of a file; a file that cannot be opened is answered with 500.
  case file(path: String, offset: Int, count: Int)
}
