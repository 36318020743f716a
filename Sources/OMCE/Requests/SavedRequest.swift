import FoundationEssentials
import JSON
import Model
import Store
import Synchronization

/// A call of a custom API that somebody wrote, and what came back last.
struct SavedRequest: Sendable, Hashable {
  var name: String
  var method = "GET"
  /// Below the base address, or below `/mobile/custom` where it does not begin with a slash.
  var path: String
  /// Version of the API; nil for the one that belongs to the backend.
  var version: String?
  var headers: [String] = []
  var body = ""
  var reply: Reply?

  struct Reply: Sendable, Hashable {
    var status: Int
    var mediaType: String
    var bytes: [UInt8]
    var milliseconds: Int64
    var at: Timestamp
    var isCut = false
  }

  static let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]

  /// - Throws: `.usage` for what would fail before it is sent (reference, section 5.1 and trap 22).
  func check() throws(ServiceError) {
    guard SavedRequest.methods.contains(method) else { throw wrong("“\(method)” is no method of a custom API") }
    guard !path.isEmpty else { throw wrong("the path is missing") }
    if method == "GET" || method == "DELETE", !body.isEmpty { throw wrong("a \(method) carries no data") }
    for header in headers where !header.contains(":") { throw wrong("“\(header)” is no header; write NAME: VALUE") }
  }

  private func wrong(_ why: String) -> ServiceError { ServiceError(.usage, "call \(path)", detail: why) }

  /// The server's path; one trailing slash is dropped, as Oracle's library does.
  var serverPath: String {
    let full = path.hasPrefix("/") ? path : "/mobile/custom/\(path)"
    return full.count > 1 && full.hasSuffix("/") ? String(full.dropLast()) : full
  }
}

extension SavedRequest {
  static let mostReplyBytes = 1 << 20

  var row: OfflineRow {
    func text(_ text: String?) -> JSONNode { text.map { .string($0) } ?? .null }
    var properties: [JSONNode.Member] = [
      .init(key: "method", value: text(method)), .init(key: "path", value: text(path)),
      .init(key: "version", value: text(version)), .init(key: "headers", value: .array(headers.map { .string($0) })),
      .init(key: "body", value: text(body)),
    ]
    if let reply {
      properties += [
        .init(key: "status", value: .int(reply.status)), .init(key: "mime", value: text(reply.mediaType)),
        .init(key: "reply", value: text(Data(reply.bytes).base64EncodedString())),
        .init(key: "took", value: .integer(reply.milliseconds)),
        .init(key: "at", value: .integer(reply.at.milliseconds)), .init(key: "cut", value: .bool(reply.isCut)),
      ]
    }
    return OfflineRow(key: name, tag: nil, properties: properties)
  }

  init(_ row: OfflineRow) {
    name = row.key
    method = row.text("method") ?? "GET"
    path = row.text("path") ?? ""
    version = row.text("version")
    body = row.text("body") ?? ""
    if case .array(let list)? = row["headers"] {
      headers = list.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }
    guard case .integer(let status)? = row["status"], let at = row.moment("at") else { return }
    var took: Int64 = 0
    if case .integer(let milliseconds)? = row["took"] { took = milliseconds }
    reply = Reply(
      status: Int(status), mediaType: row.text("mime") ?? "application/octet-stream", bytes: row.data("reply") ?? [],
      milliseconds: took, at: at, isCut: row["cut"] == .bool(true))
  }
}

/// The saved requests: in the encrypted store where there is one, else for as long as the process runs.
final class RequestBook: Sendable {
  private static let path = "@requests"
  private let loose = Mutex<[String: SavedRequest]>([:])

  func all(_ store: MobileStore?) throws(OfflineError) -> [SavedRequest] {
    let kept = try store?.rows(of: RequestBook.path).map { SavedRequest($0) } ?? []
    let known = Set(kept.map(\.name))
    return kept + loose.withLock { $0.values.filter { !known.contains($0.name) }.sorted { $0.name < $1.name } }
  }

  func request(_ name: String, _ store: MobileStore?) throws(OfflineError) -> SavedRequest? {
    if let row = try store?.row(name, of: RequestBook.path) { return SavedRequest(row) }
    return loose.withLock { $0[name] }
  }

  func keep(_ request: SavedRequest, _ store: MobileStore?) throws(OfflineError) {
    guard let store else { return loose.withLock { $0[request.name] = request } }
    try store.keep(request.row, of: RequestBook.path)
  }

  func forget(_ name: String, _ store: MobileStore?) throws(OfflineError) {
    loose.withLock { $0[name] = nil }
    try store?.remove(name, of: RequestBook.path)
  }
}
