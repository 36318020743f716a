import JSON
import Model
import Wire

/// A successful answer: its JSON, parsed once and read where it is asked for, and the bytes as they came.
public struct OpenBankAnswer: Sendable {
  public let status: Int
  /// Empty for an answer without a body, such as 204.
  public let document: JSONDocument
  /// What the server calls this exchange, for its operators.
  public let correlationID: String?
  public let rateLimit: RateLimit?
  /// What the server calls this state of the answer; a later request can ask whether it is still the same.
  public let etag: String?
  let exchange: Int
  private let operation: String
  private let mediaType: String

  init(_ response: HTTPResponse, _ operation: String) throws(ServiceError) {
    status = response.status
    self.operation = operation
    correlationID = response.headers["Correlation-Id"]
    rateLimit = RateLimit(response.headers)
    etag = response.headers["ETag"]
    exchange = response.exchange
    mediaType = response.headers.mediaType ?? "application/json"
    do {
      document = try JSONDocument(response.body.isEmpty ? OpenBankAnswer.nothing : response.body)
    } catch {
      let what = OpenBankFault(response).isPage ? "a web page, not this API's JSON" : error.message
      throw ServiceError(
        error.code == .tooLarge ? .tooLarge : .unreadable, operation, detail: what, status: response.status,
        cause: error)
    }
  }

  var root: JSONValue { document.root }
  var raw: RawAnswer {
    RawAnswer(bytes: document.bytes, mediaType: mediaType, exchange: exchange == 0 ? nil : exchange)
  }

  /// The elements of a list that the answer holds under one of these keys.
  ///
  /// - Parameter orBare: Whether a version sends this list as a bare array (reference, trap 8).
  /// - Throws: `.unreadable` when there is no such list, or something in it is no object.
  func elements(_ keys: String..., orBare: Bool = false) throws(ServiceError) -> JSONValue.Elements {
    let what = keys.map { "“\($0)”" }.joined(separator: " or ")
    let held = keys.lazy.map { root[$0] }.first { $0.kind == .array }
    let list = held ?? (orBare && root.kind == .array ? root : .absent)
    return try list.rows(what, operation, status: status)
  }

  private static let nothing = Array("null".utf8)
}

/// How much of the consumer's allowance is left; a server without limits says nothing, which is not zero.
public struct RateLimit: Sendable, Hashable {
  public let limit: Int?
  public let remaining: Int?
  /// Seconds until it begins anew.
  public let reset: Int?

  init?(_ headers: HTTPHeaders) {
    let number: (String) -> Int? = { headers["X-Rate-Limit-\($0)"].flatMap { Int($0) }.flatMap { $0 < 0 ? nil : $0 } }
    limit = number("Limit")
    remaining = number("Remaining")
    reset = number("Reset")
    if limit == nil && remaining == nil && reset == nil { return nil }
  }
}
