public import FoundationEssentials
public import Model

/// A request before it goes out.
public struct HTTPRequest: Sendable {
  public var method: String
  public var url: URL
  public var headers: HTTPHeaders
  public var body: HTTPBody
  /// Most bytes that a collected answer may have, after decompression; streamed answers are not bounded.
  public var maxBytes: Int
  /// GET and HEAD are led on within one scheme, host and port, at most ten times; everything else is an error.
  /// When false, a 3xx answer is returned as it is.
  public var followsRedirects = true
  /// Whether sending it twice does what sending it once does.
  public var isIdempotent: Bool
  /// Opens a connection of its own, so that it cannot be lost, and silently sent again, on one that has just died.
  public var freshConnection: Bool
  /// What it does, in words, for the exchange log.
  public var label: String?
  /// Told the bytes sent so far; called from a thread of the transport.
  public var onUpload: Progress?

  public init(
    _ method: String, _ url: URL, headers: HTTPHeaders = [:], body: HTTPBody = .none, maxBytes: Int = 64 << 20,
    label: String? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.maxBytes = maxBytes
    self.label = label
    isIdempotent = Self.changesNothing(method)
    freshConnection = !Self.changesNothing(method)
  }

  /// `GET`, `HEAD` and `OPTIONS` change nothing by what they promise.
  static func changesNothing(_ method: String) -> Bool { ["GET", "HEAD", "OPTIONS"].contains(method) }
}

/// What a request carries.
public enum HTTPBody: Sendable {
  case none
  case bytes([UInt8])
  /// Read while it is sent; without a count it goes out chunked.
  case source(any ByteSource)
}

extension HTTPBody {
  /// Starts over, so that the same bytes can be sent again.
  func rewind() throws(TransportError) {
    guard case .source(let source) = self else { return }
    do {
      try source.rewind()
    } catch {
      throw TransportError(.interrupted, "the bytes to send cannot be read a second time", cause: error)
    }
  }
}

extension HTTPRequest {
  public static func get(_ url: URL, headers: HTTPHeaders = [:], label: String? = nil) -> HTTPRequest {
    HTTPRequest("GET", url, headers: headers, label: label)
  }

  /// A posted form, `application/x-www-form-urlencoded`.
  public static func form(
    _ url: URL, _ fields: [(name: String, value: String)], headers: HTTPHeaders = [:], label: String? = nil
  ) -> HTTPRequest {
    var headers = headers
    headers["Content-Type"] = "application/x-www-form-urlencoded"
    return HTTPRequest("POST", url, headers: headers, body: .bytes(Array(URLForm.encode(fields).utf8)), label: label)
  }

  public static func json(
    _ method: String, _ url: URL, _ body: [UInt8], headers: HTTPHeaders = [:], label: String? = nil
  ) -> HTTPRequest {
    var headers = headers
    if headers["Content-Type"] == nil { headers["Content-Type"] = "application/json" }
    return HTTPRequest(method, url, headers: headers, body: .bytes(body), label: label)
  }
}
