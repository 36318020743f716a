import JSON
import Model

/// Devices that get notifications, and the notifications themselves, which team members see and send.
extension OMCEBackend {
  /// What can be tried with the registration of a device.
  var deviceActions: [Action] {
    let fields = [
      FormField(
        "provider", "Provider", .choice(MobileNotifications.Provider.allCases.map { .init($0.rawValue, $0.rawValue) }),
        initial: "FCM"), FormField("token", "Device token", .secret),
      FormField("app", "App id", hint: "example.acme.field"),
      FormField("version", "App version", initial: "1.0", isRequired: false),
      FormField(
        "platform", "Platform", .choice(MobileNotifications.Platform.allCases.map { .init($0.rawValue, $0.rawValue) }),
        initial: "ANDROID"),
    ]
    return [
      Action("register-device", "Register a device for notifications", fields: fields, disabled: noWriting),
      Action("deregister-device", "End a device's registration", fields: fields, disabled: noWriting),
    ]
  }

  func performDevice(
    _ action: String, _ location: Location, _ fields: [String: String]
  ) async throws(ServiceError) -> ActionOutcome {
    let operation = location.doing(action)
    try forbidWriting(operation)
    // The server takes capitals only (reference, trap 19).
    guard let provider = fields["provider"].flatMap({ MobileNotifications.Provider(rawValue: $0.uppercased()) }) else {
      throw ServiceError(
        .usage, operation,
        detail: "provider is one of \(MobileNotifications.Provider.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    guard let platform = fields["platform"].flatMap({ MobileNotifications.Platform(rawValue: $0.uppercased()) }) else {
      throw ServiceError(
        .usage, operation,
        detail: "platform is one of \(MobileNotifications.Platform.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    guard let token = fields["token"], !token.isEmpty, let app = fields["app"], !app.isEmpty else {
      throw ServiceError(.usage, operation, detail: "token and app are needed")
    }
    let device = MobileNotifications.Device(
      provider: provider, token: token, app: app, version: fields["version"] ?? "1.0", platform: platform)
    guard action == "register-device" else {
      try await client.notifications.deregister(device)
      return ActionOutcome("The device gets no more notifications.")
    }
    let id = try await client.notifications.register(device)
    return ActionOutcome("Registered the device\(id.map { " as \($0)" } ?? "").")
  }

  private static let orders = [
    "id": "id", "status": "status", "tag": "tag", "created": "createdOn", "processed": "processedOn",
  ]

  func notifications(_ location: Location, _ query: ListQuery) async throws(ServiceError) -> Listing {
    let cursor = try StorageCursor(query)
    let order = query.sort.flatMap { sort in
      OMCEBackend.orders[sort.column].map { "\($0):\(sort.isDescending ? "desc" : "asc")" }
    }
    let answer = try await client.notifications.list(offset: cursor.offset, limit: cursor.limit, order: order)
    var listing = Listing(
      location, title: "Notifications",
      columns: [
        Column("id", "Id", .integer, rank: 0, isSortable: true), Column("message", "Message", rank: 0),
        Column("status", "Status", rank: 1, isSortable: true), Column("tag", "Tag", rank: 2, isSortable: true),
        Column("devices", "Devices", .integer, rank: 2), Column("created", "Created", .time, rank: 2, isSortable: true),
        Column("processed", "Processed", .time, rank: 3, isSortable: true),
      ], rows: [], sortedBy: order == nil ? nil : query.sort, actions: [sendAction], raw: answer.raw)
    for element in try answer.items() {
      listing.rows.append(
        Row(
          location.appending(element["id"].text ?? ""),
          [
            .optional(element["id"].int), .optional(element["message"].text ?? element["template"]["name"].text),
            .optional(element["status"].text), .optional(element["tag"].text), .optional(element["deviceCount"].int),
            .optional(element["createdOn"].string.flatMap(MobileTime.read)),
            .optional(element["processedOn"].string.flatMap(MobileTime.read)),
          ]))
    }
    cursor.close(&listing, answer.root)
    return listing
  }

  private var sendAction: Action {
    Action(
      "send", "Send a notification",
      fields: [
        FormField("message", "Message", .multiline),
        FormField("users", "To", isRequired: false, hint: "user names with commas between; nobody named: everybody"),
        FormField("tag", "Tag", isRequired: false),
        FormField("sendOn", "Not before", isRequired: false, hint: "2026-12-01T06:00:00Z"),
      ], disabled: noWriting, warning: "Send this to people's devices")
  }

  func notificationItem(_ location: Location, _ id: String) async throws(ServiceError) -> Item {
    let answer = try await client.notifications.one(id)
    let fields = MobileValue.fields(of: answer.root).filter { !$0.id.hasPrefix("links") }
    return Item(
      location, title: "Notification \(id)", sections: [.init("Notification", fields)],
      related: [Link("All", location.parent ?? location)], raw: answer.raw)
  }

  func performNotification(
    _ action: String, _ place: OMCEPlace, _ location: Location, _ fields: [String: String]
  ) async throws(ServiceError) -> ActionOutcome {
    let operation = location.doing(action)
    guard action == "send", place == .notifications else {
      throw .notOffered(operation, "there is no such action here")
    }
    try forbidWriting(operation)
    guard let message = fields["message"], !message.isEmpty else {
      throw ServiceError(.usage, operation, detail: "“message” is missing")
    }
    var moment: Timestamp?
    if let text = fields["sendOn"], !text.isEmpty {
      guard let time = Timestamp(rfc3339: text) else {
        throw ServiceError(.usage, operation, detail: "“sendOn” is no time such as 2026-12-01T06:00:00Z")
      }
      moment = time
    }
    let users = (fields["users"] ?? "").split(separator: ",").map { String($0.filter { !$0.isWhitespace }) }
    let tag = fields["tag"].flatMap { $0.isEmpty ? nil : $0 }
    let id = try await client.notifications.send(message, to: users, tag: tag, on: moment)
    return ActionOutcome(
      moment == nil ? "Sent." : "It is sent at \(moment?.rfc3339 ?? "").",
      location: id.map { location.appending(String($0)) } ?? location)
  }
}
