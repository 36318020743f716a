import HTTPServer
import JSON

/// A request as a door's handlers see it: the server's own, and what the sandbox found out about it.
package struct SandboxRequest: Sendable {
  /// The request as received.
  package let server: ServerRequest
  /// When it arrived, by the sandbox's clock.
  package let now: SandboxTime
  /// `scheme://host[:port]` as the client sees this server: from `Host` and `X-Forwarded-Proto`. Absolute URLs start with it.
  package let origin: String
  /// The path's segments, percent-decoded.
  package let segments: [String]
  /// What the route's placeholders matched, percent-decoded.
  package internal(set) var parameters: [String: String] = [:]

  package init(_ server: ServerRequest, now: SandboxTime) {
    self.server = server
    self.now = now
    let proto = server.header("X-Forwarded-Proto")?.split(separator: ",").first.map(String.init)
    origin = "\(proto ?? "http")://\(server.header("Host") ?? "127.0.0.1")"
    segments = server.path.utf8.split(separator: UInt8(ascii: "/")).map { PercentEncoding.decode($0) }
  }

  package var method: String { server.method }

  /// The path, still percent-encoded, without the query.
  package var path: String { server.path }

  /// What the placeholder `name` of the route matched; empty where the route has none of that name.
  package subscript(name: String) -> String { parameters[name] ?? "" }

  package func header(_ name: String) -> String? { server.header(name) }

  /// The first value of a query parameter, decoded.
  package func query(_ name: String) -> String? {
    server.queryValue(name)
  }

  /// The whole body; empty where it cannot be read.
  package func body() -> [UInt8] { (try? server.body.bytes()) ?? [] }

  package func bodyText() -> String { String(decoding: body(), as: UTF8.self) }

  /// The body as JSON; nil where it is none.
  package func json() -> JSONValue? { (try? JSONDocument(body()))?.root }

  /// The body as `application/x-www-form-urlencoded` pairs, in order.
  package func form() -> [ServerRequest.Field] { FormFields.parse(bodyText()) }

  /// The user and password of HTTP Basic, nil where the request carries none.
  package var basicCredentials: (user: String, password: String)? {
    guard let value = header("Authorization"), value.lowercased().hasPrefix("basic "),
      let bytes = PercentCoding.decodeBase64(value.dropFirst(6)),
      let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
    else { return nil }
    return (String(decoding: bytes[..<colon], as: UTF8.self), String(decoding: bytes[(colon + 1)...], as: UTF8.self))
  }

  /// The token of `Authorization: Bearer`.
  package var bearerToken: String? {
    guard let value = header("Authorization"), value.lowercased().hasPrefix("bearer ") else { return nil }
    return String(value.dropFirst(7).drop { $0 == " " })
  }
}
