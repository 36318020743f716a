import JSON
import Model

/// An answer that is JSON, parsed once, with its bytes as they came.
package struct JSONReply: Sendable {
  package let response: HTTPResponse
  package let document: JSONDocument
  /// What it answers, in the user's words.
  package let operation: String

  package var root: JSONValue { document.root }

  package var raw: RawAnswer { RawAnswer(response) }

  /// - Throws: `.unreadable` saying what came instead (a web page, nothing, broken JSON and where it breaks).
  package init(_ response: HTTPResponse, _ operation: String) throws(ServiceError) {
    guard !response.looksLikeHTML else {
      throw ServiceError(
        .unreadable, operation, detail: "the server answered with a web page instead of JSON", status: response.status)
    }
    do throws(JSONError) {
      document = try JSONDocument(response.body)
    } catch {
      let code: ServiceError.Code = error.code == .tooLarge || error.code == .tooDeep ? .tooLarge : .unreadable
      throw ServiceError(code, operation, detail: error.message, status: response.status, cause: error)
    }
    self.response = response
    self.operation = operation
  }
}

extension RawAnswer {
  package init(_ response: HTTPResponse) {
    self.init(
      bytes: response.body, mediaType: response.headers["Content-Type"] ?? "application/octet-stream",
      exchange: response.exchange == 0 ? nil : response.exchange)
  }
}

extension HTTPResponse {
  /// Whether the body is a web page, whatever its headers say: what a proxy or a sign-in page puts in between.
  package var looksLikeHTML: Bool {
    if headers.mediaType == "text/html" || headers.mediaType == "application/xhtml+xml" { return true }
    let start = body.prefix(256).drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
    let text = String(decoding: start.prefix(15), as: UTF8.self).lowercased()
    return text.hasPrefix("<!doctype html") || text.hasPrefix("<html")
  }
}
