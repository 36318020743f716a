import HTTPServer

/// Sends the bytes of a file with the headers, ranges and conditions of the server (reference 2.3.2).
struct ContentDelivery {
  let name: String
  let mimeType: String
  let encoding: String
  let modified: SandboxTime
  let content: OpenedContent

  /// Types that may be shown in place; anything else stays an attachment whatever is asked.
  private static let inline: Set = [
    "application/pdf", "image/jpeg", "image/gif", "image/png", "image/tiff", "image/bmp", "application/octet-stream",
  ]

  func response(to call: AlfrescoCall) -> ServerResponse {
    let request = call.request
    if let since = request.header("If-Modified-Since").flatMap({ SandboxTime(http: $0) }),
      modified.seconds <= since.seconds
    {
      return ServerResponse(status: 304, headers: headers(call), body: .bytes([]))
    }
    guard let text = request.header("Range") ?? request.header("Content-Range") else { return whole(call) }
    guard let ranges = ByteRanges(text, count: content.count) else {
      return ServerResponse(status: 416, headers: [("Content-Range", "\"*\"")], body: .bytes([]))
    }
    return ranges.ranges.count == 1 ? part(ranges.ranges[0], call) : parts(ranges.ranges, call)
  }

  private func headers(_ call: AlfrescoCall) -> [(name: String, value: String)] {
    var headers: [(name: String, value: String)] = [("Content-Type", "\(mimeType);charset=\(encoding)")]
    if call.flag("attachment") ?? true || !Self.inline.contains(mimeType) {
      headers.append(("Content-Disposition", disposition))
    }
    headers += [
      ("Accept-Ranges", "bytes"), ("Last-Modified", modified.http), ("ETag", "\"\(modified.milliseconds)\""),
      ("Cache-Control", "max-age=0, must-revalidate"),
    ]
    return headers
  }

  /// Both forms of the name: the plain one as far as Latin-1 goes, and the extended one of RFC 6266.
  private var disposition: String {
    let plain = String(
      String.UnicodeScalarView(
        name.unicodeScalars.map { (32...126).contains($0.value) && $0 != "\"" && $0 != "\\" ? $0 : "_" }))
    return "attachment; filename=\"\(plain)\"; filename*=UTF-8''\(PercentCoding.encode(name))"
  }

  /// The plain answer, which carries the range of the whole file although its status is 200.
  private func whole(_ call: AlfrescoCall) -> ServerResponse {
    var headers = headers(call)
    if content.count > 0 { headers.append(("Content-Range", "bytes 0-\(content.count - 1)/\(content.count)")) }
    return ServerResponse(status: 200, headers: headers, body: content.body(0..<content.count))
  }

  private func part(_ range: Range<Int>, _ call: AlfrescoCall) -> ServerResponse {
    let headers = headers(call) + [(name: "Content-Range", value: contentRange(range))]
    return ServerResponse(status: 206, headers: headers, body: content.body(range))
  }

  private func contentRange(_ range: Range<Int>) -> String {
    "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.count)"
  }

  private func parts(_ ranges: [Range<Int>], _ call: AlfrescoCall) -> ServerResponse {
    let boundary = "byteranges-\(modified.milliseconds)"
    var body: [UInt8] = []
    for range in ranges {
      let head = "\r\n--\(boundary)\r\nContent-Type: \(mimeType)\r\nContent-Range: \(contentRange(range))\r\n\r\n"
      body += Array(head.utf8)
      let piece = ServerResponse(status: 206, headers: [], body: content.body(range))
      body += piece.bodyBytes
    }
    body += Array("\r\n--\(boundary)--\r\n".utf8)
    var headers = headers(call).filter { $0.name != "Content-Type" }
    headers.append(("Content-Type", "multipart/byteranges; boundary=\(boundary)"))
    return ServerResponse(status: 206, headers: headers, body: .bytes(body))
  }
}

/// The ranges of a `Range` header that lie within a file; nil where none does or the header cannot be read.
struct ByteRanges: Equatable {
  let ranges: [Range<Int>]

  init?(_ text: String, count: Int) {
    guard text.lowercased().hasPrefix("bytes=") || text.lowercased().hasPrefix("bytes ") else { return nil }
    var ranges: [Range<Int>] = []
    for part in text.dropFirst(6).split(separator: ",") {
      let ends = part.filter { $0 != " " }.split(separator: "-", omittingEmptySubsequences: false)
      guard ends.count == 2 else { return nil }
      let first = Int(ends[0])
      let last = Int(ends[1].prefix { $0 != "/" })
      switch (first, last) {
      case (let first?, let last?) where first <= last: ranges.append(first..<min(last + 1, max(count, first)))
      case (let first?, nil) where ends[1].isEmpty: ranges.append(first..<max(count, first))
      case (nil, let last?) where ends[0].isEmpty: ranges.append(max(0, count - last)..<count)
      default: return nil
      }
    }
    let usable = ranges.filter { !$0.isEmpty && $0.lowerBound < count }
    guard !usable.isEmpty else { return nil }
    self.ranges = usable
  }
}
