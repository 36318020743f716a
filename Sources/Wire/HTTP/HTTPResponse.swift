public import FoundationEssentials
public import Model

/// An answer: its head, and its body where it was collected.
public struct HTTPResponse: Sendable {
  public var status: Int
  public var headers: HTTPHeaders
  /// Decompressed; empty when the body went to a sink.
  public var body: [UInt8]
  /// Where it came from, after redirects.
  public var url: URL
  /// `HTTP/1.1`, `HTTP/2`.
  public var version: String
  public var timings: HTTPTimings
  /// Address and port of the other side; nil when unknown.
  public var remoteAddress: String?
  /// Number of the exchange in the log; 0 when there is none.
  public var exchange: Int

  public init(
    status: Int, headers: HTTPHeaders = [:], body: [UInt8] = [], url: URL, version: String = "HTTP/1.1",
    timings: HTTPTimings = HTTPTimings(), remoteAddress: String? = nil, exchange: Int = 0
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.url = url
    self.version = version
    self.timings = timings
    self.remoteAddress = remoteAddress
    self.exchange = exchange
  }

  public var isSuccess: Bool { (200...299).contains(status) }

  /// The body as text; invalid UTF-8 is repaired.
  public var text: String { String(decoding: body, as: UTF8.self) }
}

/// How long each phase took; a phase that did not happen took no time.
public struct HTTPTimings: Sendable, Equatable {
  /// Finding the address.
  public var lookup = Duration.zero
  public var connect = Duration.zero
  public var tls = Duration.zero
  /// From the connection until the first byte of the answer: sending, and the server's thinking.
  public var wait = Duration.zero
  /// From the first byte to the last.
  public var receive = Duration.zero
  public var total = Duration.zero
  /// An existing connection was used.
  public var reusedConnection = false

  public init() {}
}

extension HTTPResponse {
  /// Offset at which a partial answer begins, and the size of the whole: `Content-Range: bytes 100-199/200`.
  public var contentRange: (offset: Int64, total: Int64?)? {
    guard status == 206, let text = headers["Content-Range"], text.lowercased().hasPrefix("bytes ") else { return nil }
    let parts = text.dropFirst(6).split(separator: "/", maxSplits: 1)
    guard let range = parts.first, let first = range.split(separator: "-").first, let offset = Int64(first),
      offset < 1 << 62
    else {
      return nil
    }
    return (offset, parts.count > 1 ? Int64(parts[1]) : nil)
  }

  /// What the headers say of the content; its name is the server's, or the last part of the address.
  public var contentHead: ContentHead {
    let size = contentRange.map(\.total) ?? (headers["Content-Encoding"] == nil ? headers.contentLength : nil)
    return ContentHead(
      name: ContentDisposition.fileName(headers["Content-Disposition"]) ?? url.lastPathComponent,
      mediaType: headers.mediaType ?? "application/octet-stream", size: size, validator: headers["ETag"],
      modified: headers["Last-Modified"].flatMap { HTTPDate.parse($0) })
  }
}
