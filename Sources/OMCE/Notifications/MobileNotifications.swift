import JSON
import Model
import Wire

/// Registers devices for push notifications (`OMCNotifications`; reference, section 5.5). A terminal has no token of its
/// own: this serves apps, and people who look into what a backend does.
public struct MobileNotifications: CompletionCaller {
  /// Who carries a notification to a device.
  public enum Provider: String, Sendable, CaseIterable {
    case apns = "APNS", gcm = "GCM", fcm = "FCM", wns = "WNS", syniverse = "SYNIVERSE"
  }
  public enum Platform: String, Sendable, CaseIterable {
    case ios = "IOS", android = "ANDROID", windows = "WINDOWS", web = "WEB"
  }

  /// A device as the backend knows it.
  public struct Device: Sendable, Hashable {
    public var provider: Provider
    /// Sent as hexadecimal digits where it is bytes.
    public var token: String
    /// The app's own id, such as `example.acme.field`.
    public var app: String
    public var version: String
    public var platform: Platform

    public init(provider: Provider, token: String, app: String, version: String, platform: Platform) {
      self.provider = provider
      self.token = token
      self.app = app
      self.version = version
      self.platform = platform
    }

    fileprivate func node(withVersion: Bool) -> JSONNode {
      var client: JSONNode = ["id": .string(app), "platform": .string(platform.rawValue)]
      if withVersion { client["version"] = .string(version) }
      return [
        "notificationProvider": .string(provider.rawValue), "notificationToken": .string(token),
        "mobileClient": client,
      ]
    }
  }

  let client: MobileClient

  /// `registerForNotifications:onSuccess:onError:`.
  ///
  /// - Returns: The id that the backend gave.
  @discardableResult
  public func register(_ device: Device) async throws(ServiceError) -> String? {
    try await post("register", device.node(withVersion: true)).root["id"].text
  }

  /// `deregisterForNotifications:onSuccess:onError:`.
  public func deregister(_ device: Device) async throws(ServiceError) {
    _ = try await post("deregister", device.node(withVersion: false))
  }

  /// A token in bytes, as iOS gives it.
  public static func hexadecimal(_ token: [UInt8]) -> String {
    token.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private func post(_ verb: String, _ node: JSONNode) async throws(ServiceError) -> MobileAnswer {
    var call = MobileCall("POST", "/mobile/platform/devices/\(verb)", module: "Notifications", "\(verb) the device")
    call.setJSON(node)
    return try await client.json(call)
  }

  // MARK: Sending, for team members (section 5.6)

  private static let path = "/mobile/system/notifications/notifications"

  func list(offset: Int, limit: Int, order: String?) async throws(ServiceError) -> MobileAnswer {
    var call = MobileCall("GET", MobileNotifications.path, module: "Notifications", "load the notifications")
    call.query = [(name: "limit", value: String(limit)), (name: "offset", value: String(offset))]
    if let order { call.query.append((name: "orderBy", value: order)) }
    return try await client.json(call)
  }

  func one(_ id: String) async throws(ServiceError) -> MobileAnswer {
    let path = "\(MobileNotifications.path)/\(URLForm.escape(id))"
    return try await client.json(MobileCall("GET", path, module: "Notifications", "open the notification \(id)"))
  }

  /// - Parameter users: Nobody named means everybody.
  /// - Returns: The number of the notification.
  @discardableResult
  public func send(
    _ message: String, to users: [String] = [], platform: Platform? = nil, tag: String? = nil, on: Timestamp? = nil
  ) async throws(ServiceError) -> Int? {
    guard users.count <= 1000 else {
      throw ServiceError(.usage, "send the notification", detail: "at most 1000 recipients are allowed")
    }
    var node: JSONNode = ["message": .string(message)]
    if !users.isEmpty { node["users"] = .array(users.map { .string($0) }) }
    if let platform { node["platform"] = .string(platform.rawValue) }
    if let tag { node["tag"] = .string(tag) }
    if let on { node["sendOn"] = .string(on.rfc3339) }
    var call = MobileCall("POST", MobileNotifications.path, module: "Notifications", "send the notification")
    call.setJSON(node)
    return try await client.json(call).root["id"].int
  }
}

/// Completion forms.
extension MobileNotifications {
  @discardableResult
  public func register(_ device: Device, _ completion: @escaping Completion<String?>) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.register(device) }
  }

  @discardableResult
  public func deregister(_ device: Device, _ completion: @escaping Completion<Void>) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.deregister(device) }
  }
}
