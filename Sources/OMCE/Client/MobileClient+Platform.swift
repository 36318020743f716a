import JSON
import Model
import Wire

/// Users, policies, places and custom APIs: the calls behind both the kit and the browser.
extension MobileClient {
  private static let who = MobileCall(
    "GET", "/mobile/platform/users/~", module: "Authorization", "ask who you are")

  func userAnswer() async throws(ServiceError) -> MobileAnswer {
    let answer = try await kept(MobileClient.who)
    remember(userID: answer.root["id"].string)
    return answer
  }

  /// The same from the server alone, to see whether it still knows the session.
  func liveUserAnswer() async throws(ServiceError) -> MobileAnswer {
    let answer = try await json(MobileClient.who)
    remember(userID: answer.root["id"].string)
    return answer
  }

  /// The id that storage wants for one's own space; nil for anonymous users.
  func ownID() async throws(ServiceError) -> String? {
    if let known = knownUserID { return known }
    return try await userAnswer().root["id"].string
  }

  func policiesAnswer() async throws(ServiceError) -> MobileAnswer {
    try await kept(MobileCall("GET", "/mobile/platform/appconfig/client", module: "AppConfig", "load the app policies"))
  }

  /// What can be asked of the location service.
  enum LocationKind: String, Sendable, CaseIterable { case places, assets, devices }

  /// A page of places, assets or devices. The query travels in a POST, which changes nothing.
  func locationsAnswer(
    _ kind: LocationKind, _ query: LocationQuery, offset: Int, limit: Int, order: String?
  ) async throws(ServiceError) -> MobileAnswer {
    var call = MobileCall(
      "POST", "/mobile/platform/location/\(kind.rawValue)/query", module: "Location", "load the \(kind.rawValue)")
    var body = query.body
    body["offset"] = .int(offset)
    body["limit"] = .int(min(max(limit, 1), 100))
    body["format"] = body["format"] ?? "long"
    if let order { body["orderBy"] = .string(order) }
    call.setJSON(body)
    call.onlyReads = true
    let asked = call
    // What is near, the kept rows do not say in the service's way: such a query is the service's alone.
    guard query.isKept else { return try await json(asked) }
    let page = ListPage(offset: offset, limit: limit, order: order, text: nil, filter: query.filter)
    let found = try await keptList(kind.rawValue, page, call.operation) { [self] () async throws(ServiceError) in
      try await json(asked)
    }
    return try demanded(found, call.operation)
  }

  func locationAnswer(_ kind: LocationKind, _ id: String) async throws(ServiceError) -> MobileAnswer {
    let path = "/mobile/platform/location/\(kind.rawValue)/\(URLForm.escape(id))"
    let call = MobileCall("GET", path, module: "Location", "open \(id) of the \(kind.rawValue)")
    do throws(ServiceError) {
      return try await kept(call)
    } catch {
      guard error.isWithoutServer, let row = try await keptRow(id, of: kind.rawValue, call.operation) else {
        throw error
      }
      return row
    }
  }

  /// A call of a custom API, whose author may have chosen any path and any status.
  ///
  /// - Parameters:
  ///   - path: Everything behind `/mobile/custom`, as names.
  ///   - data: JSON for the body; not for GET, which the platform refuses.
  func customCall(
    _ method: String, _ path: [String], query: [(name: String, value: String)], data: JSONNode? = nil
  ) -> MobileCall {
    let names = path.map { "/" + URLForm.escape($0) }.joined()
    var call = MobileCall(method, "/mobile/custom\(names)", module: "CustomCode", "call \(path.joined(separator: "/"))")
    call.query = query
    if let data { call.setJSON(data) }
    return call
  }
}
