import JSON

/// One registration of an application on a device: the properties of `applications.Connection` (reference 3.4).
struct DeviceConnection: Sendable {
  struct Property: Sendable {
    let name: String
    let value: ODataValue
    let isReadOnly: Bool
  }

  let id: String
  let application: String
  let user: String
  let created: SandboxTime
  /// Changes with each setting; the ETag is made from it.
  var changed: SandboxTime
  var values: [String: ODataValue]
  /// Without it nobody may use an anonymous registration; nil for one that belongs to somebody.
  var securityToken: String?

  init(id: String, application: String, user: String, created: SandboxTime) {
    self.id = id
    self.application = application
    self.user = user
    self.created = created
    changed = created
    values = [:]
  }

  func isUsable(by request: SandboxRequest) -> Bool {
    securityToken == nil || request.header("X-SUP-SECTOKEN") == securityToken
  }

  private static func writable(_ names: String, _ value: ODataValue = .null) -> [Property] {
    names.split(separator: " ").map { Property(name: String($0), value: value, isReadOnly: false) }
  }

  private static func fixed(_ names: String, _ value: ODataValue = .null) -> [Property] {
    names.split(separator: " ").map { Property(name: String($0), value: value, isReadOnly: true) }
  }

  /// Every property in metadata order with its value before anybody sets it; custom ones are one blank, not null.
  static let properties: [Property] =
    fixed("ETag ApplicationConnectionId UserName CreatedAt")
    + writable("AndroidGcmPushEnabled", .bool(false)) + writable("AndroidGcmRegistrationId")
    + fixed("AndroidGcmSenderId") + writable("ApnsDeviceToken") + writable("ApnsPushEnable", .bool(false))
    + writable("ApplicationVersion", .string("1.0")) + writable("BlackberryPushEnabled", .bool(false))
    + writable("BlackberryDevicePin") + writable("BlackberryBESListenerPort", .int(0))
    + fixed("BlackberryPushAppID BlackberryPushBaseURL") + fixed("BlackberryPushListenerPort", .int(0))
    + fixed("BlackberryListenerType") + fixed("CollectClientUsageReports", .bool(false))
    + fixed("ConnectionLogLevel", .string("NONE"))
    + writable("CustomCustom1 CustomCustom2 CustomCustom3 CustomCustom4", .string(" "))
    + fixed("CustomizationBundleId") + writable("DeviceIMSI DeviceModel DevicePhoneNumber DeviceSubType")
    + writable("DeviceType", .string("Unknown")) + fixed("E2ETraceLevel", .string("Low")) + writable("Email")
    + fixed("EnableAppSpecificClientUsageKeys", .bool(false)) + fixed("FeatureVectorPolicyAllEnabled", .bool(true))
    + writable("FormFactor") + fixed("InAppMessaging", .bool(false)) + writable("LastKnownLocation")
    + fixed("LogEntryExpiry", .int(7)) + fixed("MaxConnectionWaitTimeForClientUsage", .int(30))
    + writable("MpnsChannelURI") + writable("MpnsPushEnable", .bool(false))
    + fixed("PasswordPolicyEnabled", .bool(true)) + fixed("PasswordPolicyDefaultPasswordAllowed", .bool(false))
    + fixed("PasswordPolicyMinLength", .int(8))
    + fixed(
      "PasswordPolicyDigitRequired PasswordPolicyUpperRequired PasswordPolicyLowerRequired PasswordPolicySpecialRequired",
      .bool(false))
    + fixed("PasswordPolicyExpiresInNDays PasswordPolicyMinUniqueChars", .int(0))
    + fixed("PasswordPolicyLockTimeout", .int(300)) + fixed("PasswordPolicyRetryLimit", .int(10))
    + fixed("PasswordPolicyFingerprintEnabled", .bool(true))
    + fixed("ProxyApplicationEndpoint", .string("http://backend.internal:8080/sup101")) + fixed("ProxyPushEndpoint")
    + fixed("PublishedToMobilePlace UploadLogs", .bool(false)) + writable("PushGroup TimeZone UserLocale")
    + writable("WnsChannelURI") + writable("WnsPushEnable", .bool(false))

  private static let deviceTypes: Set = [
    "Android", "BlackBerry", "iOS", "iPad", "iPhone", "iPod", "Windows", "Windows8", "WinPhone8",
  ]

  /// Takes over what a client sent. Read-only properties are passed over; a device type outside the list becomes `Unknown`.
  mutating func apply(_ sent: [(name: String, value: ODataValue)], resetsOthers: Bool, at now: SandboxTime) {
    let known = Set(Self.properties.filter { !$0.isReadOnly }.map(\.name))
    if resetsOthers { values = values.filter { !known.contains($0.key) } }
    for (name, value) in sent where known.contains(name) {
      if name == "DeviceType", case .string(let type) = value, !Self.deviceTypes.contains(type) {
        values[name] = .string("Unknown")
      } else if name.hasPrefix("CustomCustom"), value == .null || value == .string("") {
        values[name] = nil
      } else {
        values[name] = value
      }
    }
    // The ETag as text shows tenths of a second, so each change is at least that much later.
    changed = max(now, SandboxTime(milliseconds: changed.milliseconds + 100))
  }

  /// The value of a property as the service tells it; `policies` are what an administrator has set for all.
  func value(_ name: String, policies: [String: ODataValue]) -> ODataValue? {
    switch name {
    case "ApplicationConnectionId": .string(id)
    case "UserName": .string(user)
    case "CreatedAt": .date(created)
    case "ETag": .date(changed)
    default: policies[name] ?? values[name] ?? Self.properties.first { $0.name == name }?.value
    }
  }

  /// Later versions write the ETag as text, version 1 as a moment.
  var etagText: String {
    let text = changed.isoMilliseconds.replacing("T", with: " ").dropLast()
    return String(text.dropLast(2))
  }
}

/// Writes connections in both forms of the service.
struct ConnectionWriter: Sendable {
  /// `v1` … `v4` or `latest`.
  let version: String
  /// Address of the service of the application, with a slash at its end.
  let root: String
  let policies: [String: ODataValue]

  func uri(_ connection: DeviceConnection) -> String { "\(root)Connections('\(connection.id)')" }

  private func value(_ name: String, _ connection: DeviceConnection) -> ODataValue {
    let value = connection.value(name, policies: policies) ?? .null
    return name == "ETag" && version != "v1" ? .string(connection.etagText) : value
  }

  func json(_ connection: DeviceConnection) -> JSONNode {
    var inner: JSONNode = [
      "__metadata": ["uri": .string(uri(connection)), "type": "applications.Connection"]
    ]
    for property in DeviceConnection.properties { inner[property.name] = json(value(property.name, connection)) }
    inner["Capability"] = ["results": []]
    inner["FeatureVectorPolicy"] = ["results": []]
    return ["d": inner]
  }

  func json(_ value: ODataValue) -> JSONNode {
    switch value {
    case .null: .null
    case .int(let number): .int(number)
    case .string(let text): .string(text)
    case .bool(let flag): .bool(flag)
    case .decimal(let number): .string("\(number)")
    case .date(let time): .string("/Date(\(time.milliseconds))/")
    }
  }

  func atom(_ connection: DeviceConnection, at now: SandboxTime) -> String {
    let properties = DeviceConnection.properties.map { ODataXML.property($0.name, value($0.name, connection)) }.joined()
    let entry = ODataXML.entry(
      id: uri(connection), title: "Connection", edit: "Connections('\(connection.id)')", etag: nil,
      term: "applications.Connection", properties: properties, updated: now, isOutermost: true)
    return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\(entry)"
  }
}
