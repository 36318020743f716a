import JSON
import Model
import Wire

/// Any resource by its path: `OBPMarshal` of OBPKit in Swift's words.
///
/// `getResource`, `updateResource`, `createResource` and `deleteResource` are `get`, `update`, `create` and `delete`.
public struct OpenBankMarshal: Sendable {
  /// How a resource is asked for; the old names are in each comment.
  public struct Options: Sendable {
    /// Without authorisation, even when there is a session (`OnlyPublicResources`).
    public var isPublic = false
    /// `ExtraHeaders`.
    public var headers: [(name: String, value: String)] = []
    public var query: [(name: String, value: String)] = []
    /// Statuses that count as done (`ExpectStatus`); nil for the verb's own: 200, for creating 201, for deleting 204
    /// — and, as servers differ in these, any other of 200…299.
    public var expected: Set<Int>?
    public init() {}
  }

  public let client: OpenBankClient
  public init(_ client: OpenBankClient) { self.client = client }

  public func get(_ path: String, _ options: Options = Options()) async throws(ServiceError) -> OpenBankAnswer {
    try await send("GET", path, nil, options)
  }

  public func create(
    _ path: String, _ resource: JSONNode, _ options: Options = Options()
  ) async throws(ServiceError) -> OpenBankAnswer {
    try await send("POST", path, resource, options)
  }

  public func update(
    _ path: String, _ resource: JSONNode, _ options: Options = Options()
  ) async throws(ServiceError) -> OpenBankAnswer {
    try await send("PUT", path, resource, options)
  }

  public func delete(_ path: String, _ options: Options = Options()) async throws(ServiceError) -> OpenBankAnswer {
    try await send("DELETE", path, nil, options)
  }

  private func send(
    _ method: String, _ path: String, _ body: JSONNode?, _ options: Options
  ) async throws(ServiceError) -> OpenBankAnswer {
    guard !path.isEmpty else { throw ServiceError(.usage, method.lowercased(), detail: "the path is empty") }
    return try await client.send(
      path.hasPrefix("/") ? path : "/" + path, method: method, query: options.query, headers: options.headers,
      body: body, for: options.isPublic ? .anybody : .user, expected: options.expected, "\(method) \(path)")
  }
}

/// The same with a completion that arrives on the main actor.
extension OpenBankMarshal {
  @discardableResult
  public func get(
    _ path: String, _ options: Options = Options(), _ completion: @escaping Completion<OpenBankAnswer>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.get(path, options) }
  }

  @discardableResult
  public func create(
    _ path: String, _ resource: JSONNode, _ options: Options = Options(),
    _ completion: @escaping Completion<OpenBankAnswer>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.create(path, resource, options) }
  }

  @discardableResult
  public func update(
    _ path: String, _ resource: JSONNode, _ options: Options = Options(),
    _ completion: @escaping Completion<OpenBankAnswer>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.update(path, resource, options) }
  }

  @discardableResult
  public func delete(
    _ path: String, _ options: Options = Options(), _ completion: @escaping Completion<OpenBankAnswer>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.delete(path, options) }
  }
}
