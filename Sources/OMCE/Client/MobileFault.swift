import JSON
import Model
import Wire

/// What a refusal says: the platform's common error, the identity server's, a page, or nothing (reference, section 7).
struct MobileFault: Sendable {
  let status: Int
  /// `MOBILE-…`, or OAuth's `invalid_grant`. Nothing branches on the platform's numbers: no list of them exists.
  let code: String?
  /// The server's own words.
  let words: String
  /// By which the server's operators find it in their log.
  let ecid: String?

  init(_ response: HTTPResponse) {
    status = response.status
    guard let root = try? JSONDocument(response.body).root, root.kind == .object else {
      let text = String(decoding: response.body.prefix(1024), as: UTF8.self)
      let isPage = response.headers.mediaType == "text/html" || text.drop(while: \.isWhitespace).first == "<"
      words = isPage ? "the answer is a web page, not this API's JSON" : String(text.prefix(200))
      (code, ecid) = (nil, nil)
      return
    }
    if let error = root["error"].string {
      code = error
      words = root["error_description"].string ?? ""
      ecid = nil
      return
    }
    code = root["o:errorCode"].string
    ecid = root["o:ecid"].string
    let details = root["o:errorDetails"].elements.compactMap { $0["detail"].string ?? $0["title"].string }
    let texts = [root["title"].string, root["detail"].string].compactMap { $0 }.filter { !$0.isEmpty } + details
    // A title that the detail repeats says nothing more.
    words = texts.count > 1 && texts[1].hasPrefix(texts[0]) ? texts[1] : texts.joined(separator: ": ")
  }

  func error(
    _ operation: String, as kind: ServiceError.Code? = nil, remedy: String? = nil, hiding secret: Secret? = nil
  ) -> ServiceError {
    var detail = words.isEmpty ? "HTTP status \(status)" : words
    if let secret, secret.reveal().utf8.count > 3 { detail = detail.replacing(secret.reveal(), with: "…") }
    while detail.last == "." || detail.last?.isWhitespace == true { detail.removeLast() }
    if let ecid { detail += "; ecid \(ecid)" }
    return ServiceError(
      kind ?? ServiceError.Code(status: status), operation, detail: detail, remedy: remedy, status: status,
      serverCode: code)
  }
}
