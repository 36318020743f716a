import JSON
import Model
import Synchronization
import Wire

/// The server's resource docs, kept for as long as the program runs: they can be many megabytes (reference, trap 28).
final class EndpointBook: Sendable {
  /// One version's docs as they came.
  struct Edition: Sendable {
    let version: APIVersion
    let tag: String?
    let answer: OpenBankAnswer
    let endpoints: [Endpoint]
  }

  private let held = Mutex<Edition?>(nil)

  /// What is at hand for a version; nil when nothing was fetched yet.
  func edition(of version: APIVersion) -> Edition? {
    held.withLock { $0.flatMap { $0.version == version ? $0 : nil } }
  }

  func keep(_ new: Edition) { held.withLock { $0 = new } }
}

extension OpenBankClient {
  /// Every call that the server describes, in its own order.
  ///
  /// - Parameter known: Whether a copy that is at hand will do; else the server is asked whether it has changed.
  func endpointEdition(orKnown known: Bool) async throws(ServiceError) -> EndpointBook.Edition {
    try await settleVersion()
    let version = version
    let held = book.edition(of: version)
    if known, let held { return held }
    let tag = held?.tag.map { [(name: "If-None-Match", value: $0)] } ?? []
    let answer = try await send(
      "/resource-docs/\(version)/obp", headers: tag, for: .anybodyKnownOrNot, expected: [200, 304],
      "load the calls of this API")
    if answer.status == 304, let held { return held }
    let edition = EndpointBook.Edition(
      version: version, tag: answer.etag, answer: answer,
      endpoints: try answer.elements("resource_docs").map { Endpoint($0) })
    book.keep(edition)
    return edition
  }

  /// One call by its id, out of the copy at hand, else by a question for it alone.
  func endpoint(_ id: String) async throws(ServiceError) -> (answer: OpenBankAnswer, endpoint: Endpoint)? {
    try await settleVersion()
    if let held = book.edition(of: version) {
      return held.endpoints.first { $0.id == id }.map { (held.answer, $0) }
    }
    guard let mark = id.lastIndex(of: "-") else { return nil }
    let answer = try await send(
      "/resource-docs/\(version)/obp", query: [("functions", String(id[id.index(after: mark)...]))],
      for: .anybodyKnownOrNot, "open the call \(id)")
    return try answer.elements("resource_docs").map { Endpoint($0) }.first { $0.id == id }.map { (answer, $0) }
  }
}
