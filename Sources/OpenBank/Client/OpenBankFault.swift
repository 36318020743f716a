import JSON
import Model
import Wire

/// What a refusal says: status, the server's code, and its words without what must not be seen.
struct OpenBankFault: Sendable {
  let status: Int
  /// `OBP-30001`; of a chain of causes the last one, which is the reason.
  let code: String?
  /// The server's text without the code.
  let words: String
  /// HTML, mostly from something between us and the server.
  let isPage: Bool
  private let correlationID: String?
  private let wait: Int?

  init(_ response: HTTPResponse) {
    status = response.status
    correlationID = response.headers["Correlation-Id"]
    wait = RateLimit(response.headers)?.reset
    let text = OpenBankFault.text(of: response)
    isPage = text.isPage
    let cause = text.words.split(separator: " <- ").last.map(String.init) ?? text.words
    (code, words) = OpenBankFault.parted(cause)
  }

  /// `message` since January 2019, `error` before, `tppMessages` under the Berlin paths, else plain text or a page.
  private static func text(of response: HTTPResponse) -> (words: String, isPage: Bool) {
    if let root = try? JSONDocument(response.body).root, root.kind == .object {
      let keys = [root["message"], root["error"], root["tppMessages"][0]["text"], root["error_description"]]
      return (keys.lazy.compactMap(\.string).first ?? "", false)
    }
    let text = String(decoding: response.body.prefix(4096), as: UTF8.self)
    let isPage = response.headers.mediaType == "text/html" || text.drop(while: \.isWhitespace).first == "<"
    return (isPage ? title(of: text) : String(text.prefix(300)), isPage)
  }

  /// What stands in a page's title, or in a body that holds nothing but text.
  private static func title(of page: String) -> String {
    for name in ["title", "h1", "body"] {
      guard let start = page.firstRange(of: "<\(name)>"),
        let end = page[start.upperBound...].firstRange(of: "</\(name)>")
      else { continue }
      let text = page[start.upperBound..<end.lowerBound]
      if !text.contains("<") { return String(text.prefix(120)) }
    }
    return ""
  }

  /// Cuts `OBP-30001: Bank not found.` into code and words; codes have five or six places, once with a letter.
  static func parted(_ text: String) -> (code: String?, words: String) {
    guard let start = text.firstRange(of: "OBP-") else { return (nil, text) }
    let number = text[start.upperBound...].prefix { $0.isASCII && ($0.isNumber || $0.isUppercase) }
    guard !number.isEmpty else { return (nil, text) }
    let rest = text[number.endIndex...].drop { $0 == ":" || $0 == " " }
    return ("OBP-" + number, String(rest))
  }
}

extension OpenBankFault {
  /// The fault as the rest of the program knows it.
  ///
  /// - Parameters:
  ///   - token: The token that went with the request; only then can the fault mean that it has died.
  ///   - isRead: The request changed nothing: only then may an error without a reason stand for a dead token, as it makes
  ///     the request go out again.
  ///   - asSignIn: The request was a sign-in itself, so a 401 refuses credentials.
  ///   - hiding: Secrets of the request; the server echoes some of them.
  func error(
    _ operation: String, token: OpenBankToken? = nil, isRead: Bool = true, asSignIn: Bool = false, hiding: [Secret] = []
  ) -> ServiceError {
    let meaning = code.flatMap { OpenBankCodes.meaning[$0] }
    var kind = ServiceError.Code(status: status)
    if let code, let known = OpenBankCodes.kinds[code], status < 500 || known == .busy { kind = known }
    if kind == .signInNeeded, asSignIn { kind = .signInRefused }
    if token != nil, isDeadToken(isRead: isRead) { kind = .signInNeeded }
    var detail = hidden(words, hiding + [token?.value].compactMap { $0 })
    if isPage { detail = "the answer is a web page, not this API's JSON" + (detail.isEmpty ? "" : " (“\(detail)”)") }
    if detail.isEmpty || OpenBankCodes.says(nothing: code) { detail = meaning ?? detail }
    if detail.isEmpty { detail = "HTTP status \(status)" }
    detail = OpenBankFault.clause(detail)
    if let correlationID, kind == .failed || kind == .serverFault { detail += "; Correlation-Id \(correlationID)" }
    return ServiceError(
      kind, operation, detail: detail, remedy: remedy(kind, asSignIn), status: status,
      serverCode: code)
  }

  /// Whether the token is the reason. New-style calls of the older servers say so with 400 (reference, section 1).
  func isDeadToken(isRead: Bool) -> Bool {
    if status == 401 { return true }
    guard status == 400 || status == 403 else { return false }
    if code == "OBP-20003" || (code == "OBP-50005" && isRead) { return true }
    return words.contains("Invalid or expired access token")
  }

  private func remedy(_ kind: ServiceError.Code, _ asSignIn: Bool) -> String? {
    if kind == .busy, let wait { return "Try again in \(wait) seconds." }
    if code == "OBP-20013" { return "Ask the bank to unlock the account." }
    if code == "OBP-20008" || code == "OBP-20009" { return "Check auth.consumerKey in the configuration." }
    if code == "OBP-10404" { return "Check the version in the connection's url; this server may be older." }
    return nil
  }

  private func hidden(_ text: String, _ secrets: [Secret]) -> String {
    var text = text
    for secret in secrets where secret.reveal().utf8.count > 3 {
      text = text.replacing(secret.reveal(), with: "…")
    }
    return text
  }

  /// The same without the full stop at the end, as the message adds its own.
  private static func clause(_ text: String) -> String {
    var text = text
    while let last = text.last, last == "." || last == " " || last.isNewline { text.removeLast() }
    return text
  }
}
