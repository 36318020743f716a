import JSON
import Model
import Synchronization
import Wire

/// Speaks to one mobile backend on behalf of one user (`OMCMobileBackend`); usable without the browser.
///
/// Every call exists as `async` and with a completion that arrives on the main actor.
public final class MobileClient: Sendable {
  public let authorization: MobileAuthorization
  let transport: any Transport
  let headers: MobileHeaders
  let offline: MobileOffline
  let observers = MobileObservers()
  let requests = RequestBook()
  let events: EventLog
  private let facts = Mutex(Facts())

  /// What was learnt on the way and does not change while somebody is signed in.
  private struct Facts {
    var isIsolated: [String: Bool] = [:]
    var userID: String?
    /// Tags of objects as this process last saw them.
    var tags: [ObjectID: String] = [:]
    /// What was last read of an object; its tag tells whether it is still so.
    var heads: [ObjectID: StoredObject] = [:]
  }

  init(authorization: MobileAuthorization, transport: any Transport, surroundings: Surroundings) {
    self.authorization = authorization
    self.transport = transport
    headers = MobileHeaders(surroundings)
    events = EventLog(isOn: authorization.settings.notesEvents ?? false)
    offline = MobileOffline(
      connection: authorization.connection.name, settings: authorization.profile.synchronization,
      surroundings: surroundings)
  }

  /// A client for a connection as configuration gives it.
  public convenience init(
    connection: Connection, transport: any Transport, surroundings: Surroundings
  ) throws(ServiceError) {
    let settings = try OMCESettings(connection.settings)
    let authorization = MobileAuthorization(
      connection: connection, settings: settings, transport: transport, surroundings: surroundings)
    self.init(authorization: authorization, transport: transport, surroundings: surroundings)
  }

  public var profile: MobileProfile { authorization.profile }

  /// Sends a call with the user's authorisation; any status is returned as it is, but for one that ends the session.
  func send(_ call: MobileCall) async throws(ServiceError) -> HTTPResponse {
    let credential = try await credential(for: call)
    do throws(ServiceError) {
      let response = try await call.send(over: transport, profile, credential, headers: headers)
      noteReachable(true)
      if response.status == 401 { throw await refusal(response, credential, call.operation) }
      await postWhatWaits()
      return response
    } catch {
      if error.isWithoutServer { noteReachable(false) }
      throw error
    }
  }

  /// The same, with every other status than 200…299 as an error.
  func demand(_ call: MobileCall) async throws(ServiceError) -> HTTPResponse {
    let response = try await send(call)
    guard response.isSuccess else { throw MobileFault(response).error(call.operation) }
    return response
  }

  func json(_ call: MobileCall) async throws(ServiceError) -> MobileAnswer {
    let answer = try MobileAnswer(try await demand(call), call.operation)
    if call.method == "GET" { try answer.root.requireData(call.operation, status: answer.status) }
    return answer
  }

  /// - Throws: `.unreachable` where somebody signed in without the server, and there still is none.
  func credential(for call: MobileCall) async throws(ServiceError) -> MobileCredential {
    guard offline.isOnline else { throw ServiceError(.offline, call.operation) }
    if let credential = try await authorization.credential() { return credential }
    try await authorization.comeBackOnline(call.operation)
    guard let credential = try await authorization.credential() else {
      throw ServiceError(.signInNeeded, call.operation)
    }
    return credential
  }

  func refusal(
    _ response: HTTPResponse, _ credential: MobileCredential, _ operation: String
  ) async -> ServiceError {
    await authorization.invalidate(credential)
    return MobileFault(response).error(operation, as: .signInNeeded, hiding: credential.secret)
  }
}

extension MobileClient {
  func knownIsolation(of collection: String) -> Bool? { facts.withLock { $0.isIsolated[collection] } }
  func remember(_ collection: StorageCollection) {
    facts.withLock { $0.isIsolated[collection.id] = collection.isIsolated }
  }
  func knownTag(of id: ObjectID) -> String? { facts.withLock { $0.tags[id] } }
  func remember(_ tag: String?, of id: ObjectID) { facts.withLock { $0.tags[id] = tag } }
  func knownHead(of id: ObjectID) -> StoredObject? { facts.withLock { $0.heads[id] } }
  func remember(_ head: StoredObject, of id: ObjectID) {
    facts.withLock { facts in
      if facts.heads.count > 500 { facts.heads = [:] }
      facts.heads[id] = head
    }
  }
  var knownUserID: String? { facts.withLock { $0.userID } }
  func remember(userID: String?) { facts.withLock { $0.userID = userID } }
  func forget() { facts.withLock { $0 = Facts() } }
  /// What was noted belongs to who did it.
  func forgetEvents() { events.forget(isOn: authorization.settings.notesEvents ?? false) }
}

/// A successful answer: its JSON, parsed once, and the bytes as they came.
public struct MobileAnswer: Sendable {
  public let status: Int
  public let document: JSONDocument
  /// Where it comes from, and how old it is.
  public private(set) var freshness = Freshness.live
  let headers: HTTPHeaders
  /// The answer had no body at all.
  let isEmpty: Bool
  private let operation: String
  private let mediaType: String
  private let exchange: Int

  init(_ response: HTTPResponse, _ operation: String) throws(ServiceError) {
    status = response.status
    self.operation = operation
    mediaType = response.headers.mediaType ?? "application/json"
    exchange = response.exchange
    headers = response.headers
    isEmpty = response.body.isEmpty
    do {
      document = try JSONDocument(response.body.isEmpty ? Array("null".utf8) : response.body)
    } catch {
      let looksLikePage = response.body.first { $0 > 0x20 } == UInt8(ascii: "<")
      throw ServiceError(
        error.code == .tooLarge ? .tooLarge : .unreadable, operation,
        detail: looksLikePage ? "the answer is a web page, not this API's JSON" : error.message,
        status: response.status, cause: error)
    }
  }

  /// An answer that is kept here, or made of what is.
  init(
    kept bytes: [UInt8], _ operation: String, _ moment: Timestamp?, mediaType: String = "application/json",
    headers: HTTPHeaders = [:]
  ) throws(ServiceError) {
    status = 200
    self.operation = operation
    self.mediaType = mediaType
    self.headers = headers
    exchange = 0
    isEmpty = bytes.isEmpty
    freshness = .offline(moment)
    do {
      document = try JSONDocument(bytes)
    } catch {
      throw ServiceError(.unreadable, operation, detail: error.message, cause: error)
    }
  }

  /// What is kept, which the service has just said is still so.
  init(
    unchanged bytes: [UInt8], _ operation: String, _ response: HTTPResponse, mediaType: String, tag: String
  ) throws(ServiceError) {
    var headers = response.headers
    headers["ETag"] = tag
    try self.init(kept: bytes, operation, nil, mediaType: mediaType, headers: headers)
    freshness = .live
  }

  var root: JSONValue { document.root }

  /// The rows of a page.
  ///
  /// - Throws: `.unreadable` when the answer has none, or something among them is no object.
  func items() throws(ServiceError) -> JSONValue.Elements {
    try root["items"].rows("“items”", operation, status: status)
  }

  /// The one thing that was asked for.
  ///
  /// - Throws: `.unreadable` when the answer is empty or something else: nothing is not a thing without properties.
  func object() throws(ServiceError) -> JSONValue {
    guard root.kind == .object else {
      throw ServiceError(
        .unreadable, operation, detail: isEmpty ? "the answer is empty" : "the answer is no object", status: status)
    }
    return root
  }

  /// The members of an answer that is one table.
  func members() throws(ServiceError) -> JSONValue.Members {
    guard root.kind == .object else {
      throw ServiceError(.unreadable, operation, detail: "the answer is no object", status: status)
    }
    return root.members
  }

  var raw: RawAnswer {
    RawAnswer(bytes: document.bytes, mediaType: mediaType, exchange: exchange == 0 ? nil : exchange)
  }
}
