import HTTPServer
import JSON

/// Devices that want notifications, and the notifications sent to them; reference omce.md, sections 5.5 and 5.6.
extension OMCRoutes {
  mutating func addDevices() {
    on("POST", "/mobile/platform/devices/register") { call throws(OMCError) in
      let user = try call.person()
      let body = try call.deviceBody()
      let named = body["user"].string
      guard named == nil || named == user.username || user.isTeamMember else {
        throw .forbidden("Only team members register devices of others.")
      }
      guard body["mobileClient"]["version"].string != nil else {
        throw .badRequest("mobileClient.version is required.")
      }
      var random = call.server.makeRandom("device")
      let token = body["notificationToken"].string ?? ""
      let device: JSONNode = [
        "id": .string(random.uuid()), "user": .string(named ?? user.username),
        "notificationToken": .string(token.uppercased()),
        "notificationProvider": .string(body["notificationProvider"].string ?? ""),
        "mobileClient": body["mobileClient"].node(), "modifiedOn": .string(call.date(call.now)),
      ]
      call.server.register(device, token: token)
      return .json(device, status: 201)
    }
    on("POST", "/mobile/platform/devices/deregister") { call throws(OMCError) in
      _ = try call.person()
      let body = try call.deviceBody()
      guard call.server.deregister(token: body["notificationToken"].string ?? "") else { throw .notFound("The device") }
      return .json([:])
    }
  }

  mutating func addNotifications() {
    let path = "/mobile/system/notifications/notifications"
    on("GET", path) { call throws(OMCError) in
      try call.requireTeam()
      let all = call.server.notifications
      let (limit, offset) = (try call.number("limit", standard: 100), try call.number("offset", standard: 0))
      let range = min(offset, all.count)..<min(offset + min(limit, 1_000), all.count)
      return .json([
        "items": .array(Array(all[range])), "count": .int(range.count), "hasMore": .bool(range.upperBound < all.count),
      ])
    }
    on("GET", path + "/{id}") { call throws(OMCError) in
      try call.requireTeam()
      guard let id = Int(call["id"]), let found = call.server.notifications.first(where: { $0["id"] == .int(id) })
      else {
        throw .notFound("The notification \(call["id"])")
      }
      return .json(found)
    }
    on("POST", path) { call throws(OMCError) in
      try call.requireTeam()
      return .json(try call.sendNotification(path), status: 201)
    }
  }
}

extension OMCCall {
  fileprivate func deviceBody() throws(OMCError) -> JSONValue {
    let body = try json()
    guard ["APNS", "GCM", "FCM", "WNS", "SYNIVERSE"].contains(body["notificationProvider"].string ?? "") else {
      throw .badRequest("notificationProvider is missing or not known.")
    }
    guard body["notificationToken"].string?.isEmpty == false else {
      throw .badRequest("notificationToken is required.")
    }
    let client = body["mobileClient"]
    guard client["id"].string != nil else { throw .badRequest("mobileClient.id is required.") }
    guard ["IOS", "ANDROID", "WINDOWS", "WEB"].contains(client["platform"].string ?? "") else {
      throw .badRequest("mobileClient.platform must be IOS, ANDROID, WINDOWS or WEB, in capitals.")
    }
    return body
  }

  fileprivate func requireTeam() throws(OMCError) {
    guard try person().isTeamMember else { throw .forbidden("Only team members see and send notifications.") }
  }

  fileprivate func sendNotification(_ path: String) throws(OMCError) -> JSONNode {
    let body = try json()
    let payload = ["payload", "template", "message"].first { body[$0].exists }
    guard let payload else { throw .badRequest("message, template or payload is required.") }
    if let text = body["message"].string, text.utf8.count > 4_096 {
      throw .badRequest("The message is longer than 4096 bytes.")
    }
    guard body["notificationTokens"].count <= 1_000 else { throw .badRequest("At most 1000 recipients are allowed.") }
    let isLater = body["sendOn"].string.flatMap { SandboxTime(iso: $0) }.map { $0 > now } ?? false
    let count = server.deviceCount
    return server.send { id in
      [
        "id": .int(id), payload: body[payload].node(), "tag": body["tag"].node(),
        "status": isLater ? "Scheduled" : "Sent", "deviceCount": .int(isLater ? 0 : count),
        "createdOn": .string(date(now)), "processedOn": isLater ? nil : .string(date(now)),
        "links": [link("self", "\(path)/\(id)")],
      ]
    }
  }
}
