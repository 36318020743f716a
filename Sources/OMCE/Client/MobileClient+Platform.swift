import JSON
import Model
import Wire

/// Users, policies, places and custom APIs: the calls behind both the kit and the browser.
extension MobileClient {
  func userAnswer() async throws(ServiceError) -> MobileAnswer {
    let answer = try await json(
      MobileCall("GET", "/mobile/platform/users/~", module: "Authorization", "ask who you are"))
    remember(userID: answer.root["id"].string)
    return answer
  }

  /// The id that storage wants for one's own space; nil for anonymous users.
  func ownID() async throws(ServiceError) -> String? {
    if let known = knownUserID { return known }
    return try await userAnswer().root["id"].string
  }

  func policiesAnswer() async throws(ServiceError) -> MobileAnswer {
    try await json(MobileCall("GET", "/mobile/platform/appconfig/client", module: "AppConfig", "load the app policies"))
  }

  /// What can be asked of the location service.
  enum LocationKind: String, Sendable, CaseIterable { case places, assets, devices }

  /// A page of places, assets or devices. The query travels in a POST, which changes nothing.
  func locationsAnswer(
    _ kind: LocationKind, offset: Int, limit: Int, order: String?
  ) async throws(ServiceError) -> MobileAnswer {
    var call = MobileCall(
      "POST", "/mobile/platform/location/\(kind.rawValue)/query", module: "Location", "load the \(kind.rawValue)")
    var body: JSONNode = ["offset": .int(offset), "limit": .int(min(max(limit, 1), 100)), "format": "long"]
    if let order { body["orderBy"] = .string(order) }
    call.setJSON(body)
    call.onlyReads = true
    return try await json(call)
  }

  func locationAnswer(_ kind: LocationKind, _ id: String) async throws(ServiceError) -> MobileAnswer {
    let path = "/mobile/platform/location/\(kind.rawValue)/\(URLForm.escape(id))"
    return try await json(MobileCall("GET", path, module: "Location", "open \(id) of the \(kind.rawValue)"))
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
