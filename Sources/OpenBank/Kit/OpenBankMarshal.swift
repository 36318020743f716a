import FoundationEssentials
import JSON
import Model
import Wire

/// Any resource by its path: `OBPMarshal` of OBPKit in Swift's words.
///
/// `getResource`, `updateResource`, `createResource` and `deleteResource` are `get`, `update`, `create` and `delete`.
public struct OpenBankMarshal: Sendable {
  /// How a resource is asked for; the old names are in each comment.
  public struct Options: Sendable {
    /// Without authorisation, even when there is a session (`OnlyPublicResources`); a refusal then ends no session.
    public var isPublic = false
    /// `ExtraHeaders`; times are written by `OpenBankDate`.
    public var headers: [(name: String, value: String)] = []
    public var query: [(name: String, value: String)] = []
    /// Statuses that count as done (`ExpectStatus`); nil for the verb's own: 200, for creating 201, for deleting 204
    /// — and, as servers differ in these, any other of 200…299.
    public var expected: Set<Int>?
    /// What the answer must be (`ExpectClass`, whose default is a dictionary); lists of version 2 are bare arrays.
    public var kind = Kind.object
    /// False to leave the body unread and take its text alone (`DeserializeJSON`).
    public var readsJSON = true
    public init() {}

    /// Adds a header with a time.
    public mutating func add(_ name: String, _ time: Timestamp) { headers.append((name, OpenBankDate.text(time))) }
  }

  /// What may stand at the root of an answer.
  public enum Kind: Sendable, CaseIterable {
    case object, array
    /// Also nothing at all, as after deleting.
    case anything
  }

  /// What goes out with a request.
  public enum Payload: Sendable {
    /// As JSON.
    case json(JSONNode)
    /// As a form (`SendDictAsForm`).
    case form([(name: String, value: String)])
    /// As it is, with no type but the one in the headers.
    case bytes([UInt8])
  }

  /// An answer and its text (`OBPMarshal`'s result handler).
  public struct Reply: Sendable {
    public let status: Int
    public let headers: [(name: String, value: String)]
    /// Nil when it was not to be read, or there is no body.
    public let json: JSONValue?
    public let text: String
  }

  public let client: OpenBankClient
  /// Told of every error, beside the caller (`errorHandler`).
  public var onError: (@Sendable (_ error: ServiceError, _ path: String) -> Void)?

  public init(_ client: OpenBankClient) { self.client = client }

  public func get(_ path: String, _ options: Options = Options()) async throws(ServiceError) -> Reply {
    try await send("GET", path, nil, options)
  }

  public func create(
    _ path: String, _ payload: Payload, _ options: Options = Options()
  ) async throws(ServiceError) -> Reply {
    try await send("POST", path, payload, options)
  }

  public func update(
    _ path: String, _ payload: Payload, _ options: Options = Options()
  ) async throws(ServiceError) -> Reply {
    try await send("PUT", path, payload, options)
  }

  public func delete(_ path: String, _ options: Options = Options()) async throws(ServiceError) -> Reply {
    var options = options
    // OBPKit reads the empty body of a 204 all the same, and fails; here nothing is expected.
    if options.kind == .object { options.kind = .anything }
    return try await send("DELETE", path, nil, options)
  }

  private func send(
    _ method: String, _ path: String, _ payload: Payload?, _ options: Options
  ) async throws(ServiceError) -> Reply {
    do throws(ServiceError) {
      guard !path.isEmpty else { throw ServiceError(.usage, method.lowercased(), detail: "the path is empty") }
      let response = try await client.raw(
        method, path.hasPrefix("/") ? path : "/" + path, payload, options, "\(method) \(path)")
      return try reply(response, options, "\(method) \(path)")
    } catch {
      onError?(error, path)
      throw error
    }
  }

  private func reply(_ response: HTTPResponse, _ options: Options, _ operation: String) throws(ServiceError) -> Reply {
    let headers = response.headers.fields.map { (name: $0.name, value: $0.value) }
    let plain = Reply(status: response.status, headers: headers, json: nil, text: response.text)
    guard options.readsJSON else { return plain }
    if response.body.isEmpty {
      guard options.kind == .anything else { throw unexpected("nothing", options, plain, operation) }
      return plain
    }
    let root = try OpenBankAnswer(response, operation).root
    let fits =
      switch options.kind {
      case .object: root.kind == .object
      case .array: root.kind == .array
      case .anything: true
      }
    guard fits else { throw unexpected("\(root.kind)", options, plain, operation) }
    return Reply(status: response.status, headers: headers, json: root, text: response.text)
  }

  /// `UnexpectedResourceKind` of OBPKit, with the reply as its cause.
  private func unexpected(_ found: String, _ options: Options, _ reply: Reply, _ operation: String) -> ServiceError {
    ServiceError(
      .unreadable, operation, detail: "the answer is \(found), not \(options.kind)", status: reply.status,
      cause: OpenBankUnexpectedReply(reply: reply))
  }
}

/// An answer that was understood and is not what was asked for.
public struct OpenBankUnexpectedReply: Error, Sendable {
  public let reply: OpenBankMarshal.Reply
}

extension OpenBankClient {
  /// A request with any payload, answered as it came; statuses that were not expected are errors.
  func raw(
    _ method: String, _ path: String, _ payload: OpenBankMarshal.Payload?, _ options: OpenBankMarshal.Options,
    _ operation: String
  ) async throws(ServiceError) -> HTTPResponse {
    try await settleVersion()
    var call = OpenBankCall(method, to: server.root + path, operation)
    call.query = options.query
    call.headers = options.headers
    let token = try await authorize(&call, for: options.isPublic ? .anybody : .user)
    var request = try call.request()
    switch payload {
    case nil: break
    case .json(let node): request.body = .bytes(node.encoded())
    case .form(let fields):
      request.headers["Content-Type"] = "application/x-www-form-urlencoded"
      request.body = .bytes(Array(URLForm.encode(fields).utf8))
    case .bytes(let bytes):
      request.headers["Content-Type"] = options.headers.first { $0.name.lowercased() == "content-type" }?.value
      request.body = .bytes(bytes)
    }
    let response: HTTPResponse
    do throws(TransportError) { response = try await transport.send(request) } catch {
      throw error.serviceError(operation)
    }
    let isDone = options.expected?.contains(response.status) ?? response.isSuccess
    guard isDone else { throw await refusal(response, token, method, operation) }
    return response
  }
}

/// The same with a completion that arrives on the main actor.
extension OpenBankMarshal {
  @discardableResult
  public func get(
    _ path: String, _ options: Options = Options(), _ completion: @escaping Completion<Reply>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.get(path, options) }
  }

  @discardableResult
  public func create(
    _ path: String, _ payload: Payload, _ options: Options = Options(), _ completion: @escaping Completion<Reply>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.create(path, payload, options) }
  }

  @discardableResult
  public func update(
    _ path: String, _ payload: Payload, _ options: Options = Options(), _ completion: @escaping Completion<Reply>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.update(path, payload, options) }
  }

  @discardableResult
  public func delete(
    _ path: String, _ options: Options = Options(), _ completion: @escaping Completion<Reply>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.delete(path, options) }
  }
}
