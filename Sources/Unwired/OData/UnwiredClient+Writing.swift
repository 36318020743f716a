import FoundationEssentials
import JSON
import Model
import Wire

/// Marks a request so that the server executes it once, however often it arrives.
public struct Repeatability: Sendable, Hashable {
  /// 32 hex digits.
  public let requestID: String
  public let moment: Timestamp

  public init(requestID: String, moment: Timestamp) {
    self.requestID = requestID
    self.moment = moment
  }

  var headers: HTTPHeaders { ["RequestID": requestID, "RepeatabilityCreation": moment.rfc3339] }
}

extension UnwiredClient {
  /// Creates a row and returns it as the server stored it, with its key.
  ///
  /// - Parameter requestID: 32 hex digits; the server executes a request of one id only once.
  public func create(
    in set: String, _ properties: [JSONNode.Member], requestID: String, at moment: Timestamp
  ) async throws(ServiceError) -> Entity {
    let operation = "create a row in “\(set)”"
    let repeatability = Repeatability(requestID: requestID, moment: moment)
    let response = try await write("POST", set, repeatability.headers, properties, operation)
    let reply = try JSONReply(response, operation)
    return Entity(reply.root["d"].exists ? reply.root["d"] : reply.root)
  }

  /// Changes the named properties of a row.
  ///
  /// - Parameters:
  ///   - tag: Only when the row still has this tag.
  ///   - repeatability: Lets the server execute a repeated request once.
  /// - Returns: The row's new tag, where the server sends it.
  /// - Throws: `.conflict` when the row has another tag.
  @discardableResult
  public func update(
    _ path: String, _ properties: [JSONNode.Member], ifMatch tag: String?, version: ODataVersion,
    repeatability: Repeatability? = nil
  ) async throws(ServiceError) -> String? {
    var headers = repeatability?.headers ?? [:]
    if let tag { headers["If-Match"] = tag }
    let response = try await write(version == .v2 ? "MERGE" : "PATCH", path, headers, properties, "change a row")
    return response.headers["ETag"]
  }

  public func deleteEntity(
    _ path: String, ifMatch tag: String?, repeatability: Repeatability? = nil
  ) async throws(ServiceError) {
    var headers = repeatability?.headers ?? [:]
    if let tag { headers["If-Match"] = tag }
    _ = try await write("DELETE", path, headers, nil, "delete a row")
  }

  private func write(
    _ method: String, _ path: String, _ headers: HTTPHeaders, _ properties: [JSONNode.Member]?, _ operation: String
  ) async throws(ServiceError) -> HTTPResponse {
    guard isReady else { throw ServiceError(.signInNeeded, operation) }
    var headers = headers
    var body = HTTPBody.none
    if let properties {
      headers["Content-Type"] = "application/json"
      body = .bytes(JSONNode.object(properties).encoded())
    }
    let address = "\(server.serviceRoot)/\(path)"
    let response = try await protected(operation) { (csrf, renews) async throws(ServiceError) -> HTTPResponse in
      var all = headers
      all.merge(csrf)
      return try await exchange(
        try request(method, address, operation, headers: all, body: body), operation, renewing: renews)
    }
    guard response.isSuccess else { throw refusal(response, operation) }
    return response
  }

  /// Sends a write with the token that gateways want against forged requests, and once more with a fresh one when the
  /// server says that it is required: a renewal, not a repeat, since the first was not executed.
  ///
  /// - Parameter send: Gets the token's header, and whether it may renew an expired session: not under a token that was
  ///   fetched just now.
  private func protected(
    _ operation: String, _ send: (HTTPHeaders, Bool) async throws(ServiceError) -> HTTPResponse
  ) async throws(ServiceError) -> HTTPResponse {
    if session.csrf == nil { try await fetchToken(operation) }
    let response = try await send(tokenHeader, true)
    guard Self.wantsToken(response) else { return response }
    try await fetchToken(operation)
    return try await send(tokenHeader, false)
  }

  var tokenHeader: HTTPHeaders { session.csrf.map { ["X-CSRF-Token": $0.reveal()] } ?? [:] }

  static func wantsToken(_ response: HTTPResponse) -> Bool {
    response.status == 403 && response.headers["X-CSRF-Token"]?.lowercased() == "required"
  }

  /// The token counts only together with the cookies that come with it; a server without one is fine, too.
  func fetchToken(_ operation: String) async throws(ServiceError) {
    let request = try request("GET", server.serviceRoot + "/", operation, headers: ["X-CSRF-Token": "Fetch"])
    let response = try await exchange(request, operation)
    guard response.isSuccess else { throw refusal(response, operation) }
    session.keep(csrf: response.headers["X-CSRF-Token"].map { Secret($0) })
  }
}
