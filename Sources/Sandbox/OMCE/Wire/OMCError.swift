import HTTPServer
import JSON

/// A refusal in the platform's common JSON; reference omce.md, section 7.1.
///
/// The `MOBILE-99nnn` numbers are the sandbox's own: no list of the real ones is public.
struct OMCError: Error, Sendable {
  let status: Int
  let title: String
  let detail: String
  /// Several problems of one request, such as the events of a batch.
  var details: [String] = []

  init(_ status: Int, _ title: String, _ detail: String, details: [String] = []) {
    self.status = status
    self.title = title
    self.detail = detail
    self.details = details
  }

  func response(path: String, trace: String, statusAsText: Bool) -> ServerResponse {
    func problem(_ detail: String) -> JSONNode {
      [
        "type": .string("http://www.w3.org/Protocols/rfc2616/rfc2616-sec10.html#sec10.\(section)"),
        "status": statusAsText ? .string(String(status)) : .int(status), "title": .string(title),
        "detail": .string(detail), "o:ecid": .string(trace), "o:errorCode": .string("MOBILE-99\(status)"),
        "o:errorPath": .string(path),
      ]
    }
    var node = problem(detail)
    if !details.isEmpty { node["o:errorDetails"] = .list(details, problem) }
    return .json(node, status: status)
  }

  /// The section of RFC 2616 that describes the status.
  private var section: String { status >= 500 ? "5.\(status - 499)" : "4.\(status - 399)" }
}

extension OMCError {
  static let noCredentials = OMCError(401, "Unauthorized", "The request carries no credentials.")
  static let badCredentials = OMCError(401, "Unauthorized", "The user name, password or token is not valid.")
  static let noBackend = OMCError(
    400, "Bad Request", "The header Oracle-Mobile-Backend-ID is required with HTTP Basic authentication.")
  static let preconditionFailed = OMCError(
    412, "Precondition Failed", "The object has been changed since the ETag of the request was read.")

  static func forbidden(_ detail: String) -> OMCError { OMCError(403, "Forbidden", detail) }
  static func badRequest(_ detail: String) -> OMCError { OMCError(400, "Bad Request", detail) }
  static func notFound(_ what: String) -> OMCError {
    OMCError(404, "Not Found", "\(what) does not exist or is not available to this backend.")
  }
}
