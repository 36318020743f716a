import Curl
import FoundationEssentials

/// Checks a request against the rules of the wire and writes it down for libcurl.
struct RequestPreparation {
  let settings: TransportSettings

  /// - Throws: `.insecure` for plain http to another machine, `.badRequest` for what cannot be written.
  func curlRequest(_ request: HTTPRequest, streams: Bool) throws(TransportError) -> CurlRequest {
    let url = request.url
    guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
      let host = url.host(percentEncoded: false), !host.isEmpty
    else { throw TransportError(.badRequest, "“\(Self.shown(url))” is not an http or https address") }
    guard url.user(percentEncoded: true) == nil, url.password(percentEncoded: true) == nil else {
      throw TransportError(.badRequest, "the address of \(host) holds a user name or password; they belong elsewhere")
    }
    let isLocal = Loopback.contains(host: host)
    guard scheme == "https" || isLocal || settings.allowsInsecure else {
      throw TransportError(.insecure, "plain http to \(host) would send everything readable")
    }
    var curl = CurlRequest(try method(request.method), Self.withoutFragment(url))
    curl.headers = try headers(request, streams: streams)
    curl.body = body(request.body)
    curl.isCompressed = !streams && request.headers["Accept-Encoding"] == nil
    curl.freshConnection = request.freshConnection
    curl.silence = settings.timeout
    curl.proxy = settings.proxy.proxy(scheme: scheme, host: host)
    curl.authorities = settings.authorities
    curl.certificate = settings.certificate
    curl.key = settings.key
    let pins = settings.pinnedKeys.map(\.text)
    curl.pinnedKeys = pins.isEmpty ? nil : pins.joined(separator: ";")
    curl.loopbackOnly = scheme == "http" && !settings.allowsInsecure
    curl.isBulk = streams
    return curl
  }

  private func method(_ method: String) throws(TransportError) -> String {
    guard !method.isEmpty, method.utf8.count <= 32, method.utf8.allSatisfy(HTTPHeaders.isToken) else {
      throw TransportError(.badRequest, "the method is not a word that HTTP knows")
    }
    return method
  }

  private func headers(_ request: HTTPRequest, streams: Bool) throws(TransportError) -> [(name: String, value: String)]
  {
    var headers = settings.headers
    headers.merge(request.headers)
    if headers["User-Agent"] == nil { headers["User-Agent"] = settings.userAgent }
    if streams, headers["Accept-Encoding"] == nil { headers["Accept-Encoding"] = "identity" }
    if let field = headers.unsound {
      throw TransportError(.badRequest, "the header “\(field.name.filter { !$0.isNewline })” holds a control character")
    }
    return headers.fields.filter { !isOurs($0.name) }.map { ($0.name, $0.value) }
  }

  /// The length and the framing of the body are the transport's business.
  private func isOurs(_ name: String) -> Bool {
    HTTPHeaders.matches(name, "Content-Length") || HTTPHeaders.matches(name, "Transfer-Encoding")
  }

  private func body(_ body: HTTPBody) -> CurlRequest.Body {
    switch body {
    case .none: .none
    case .bytes(let bytes): .bytes(bytes)
    case .source(let source): .stream(count: source.count)
    }
  }

  private static func withoutFragment(_ url: URL) -> String {
    String(url.absoluteString.prefix { $0 != "#" })
  }

  /// An address as errors may show it: without user, query and fragment.
  static func shown(_ url: URL) -> String {
    let text = url.absoluteString.prefix { $0 != "?" && $0 != "#" }
    guard let user = url.user(percentEncoded: true), let at = text.firstIndex(of: "@"), let scheme = url.scheme,
      text.hasPrefix("\(scheme)://\(user)")
    else { return String(text) }
    return "\(scheme)://\(text[text.index(after: at)...])"
  }
}
