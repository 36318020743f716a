import FoundationEssentials

/// Where a redirect may lead: GET and HEAD only, within one scheme, host and port, at most ten in a row.
enum Redirects {
  static let limit = 10

  /// The request that follows a redirect; nil when the answer is none.
  ///
  /// - Throws: `.redirectRefused` with the target, without its query, where the rules end.
  static func next(
    _ request: HTTPRequest, _ response: HTTPResponse, hop: Int
  ) throws(TransportError) -> HTTPRequest? {
    guard request.followsRedirects, [301, 302, 303, 307, 308].contains(response.status),
      let location = response.headers["Location"]
    else { return nil }
    guard let target = URL(string: location, relativeTo: response.url)?.absoluteURL, let origin = Origin(target) else {
      throw refusal(String(location.prefix { $0 != "?" && $0 != "#" }), "that is no address", response)
    }
    let shown = RequestPreparation.shown(target)
    guard request.method == "GET" || request.method == "HEAD" else {
      throw refusal(shown, "a \(request.method) is not led on", response)
    }
    guard target.user(percentEncoded: true) == nil, origin == Origin(response.url) else {
      throw refusal(shown, "that is another server", response)
    }
    guard hop < limit else { throw refusal(shown, "that is the \(limit + 1)th redirect in a row", response) }
    var next = request
    next.url = target
    if response.status == 303 {
      // See other: what is there is fetched, and nothing is sent (RFC 9110 section 15.4.4).
      next.body = .none
      next.headers["Content-Type"] = nil
    }
    try next.body.rewind()
    return next
  }

  private static func refusal(_ target: String, _ reason: String, _ response: HTTPResponse) -> TransportError {
    let target = String(target.prefix(300))
    var error = TransportError(.redirectRefused(target: target), "it points to \(target), and \(reason)")
    error.exchange = response.exchange
    return error
  }
}

/// Scheme, host and port: what credentials are valid for.
struct Origin: Equatable {
  let scheme: String
  let host: String
  let port: Int

  init?(_ url: URL) {
    guard let scheme = url.scheme?.lowercased(), let host = url.host(percentEncoded: false)?.lowercased(),
      let usual = ["http": 80, "https": 443][scheme]
    else { return nil }
    self.scheme = scheme
    self.host = host
    port = url.port ?? usual
  }
}
