import JSON
import Model
import Wire

/// Who the user is to the server, and what is the user's own there.
extension OpenBankBackend {
  func userItem(_ location: Location) async throws(ServiceError) -> Item {
    let answer = try await client.send("/users/current", "ask who you are")
    return userItem(
      location, answer, title: "Me", related: links(location, meEntries), actions: [requestRoleAction])
  }

  /// Another user, which needs a role.
  func userItem(_ location: Location, _ id: String) async throws(ServiceError) -> Item {
    guard client.version >= APIVersion(4, 0, 0) else {
      throw .notOffered("open the user \(id)", "this version of the API does not show others")
    }
    let answer = try await client.send("/users/user_id" + OpenBankClient.path(id), "open the user \(id)")
    return userItem(
      location, answer, title: id, related: [Link("Roles", location.appending("entitlements"))],
      actions: [grantRoleAction])
  }

  private func userItem(
    _ location: Location, _ answer: OpenBankAnswer, title: String, related: [Link], actions: [Action]
  ) -> Item {
    let root = answer.root
    let user = CurrentUser(root)
    let roles = root["entitlements"]["list"].elements.map { role in
      let bank = role["bank_id"].string ?? ""
      return Value.text((role["role_name"].string ?? "") + (bank.isEmpty ? "" : " at \(bank)"))
    }
    let agreements = root["agreements"].elements.compactMap { $0["type"].string.map(Value.text) }
    var fields = [
      Field("id", "Id", .optional(user.id)), Field("name", "User name", .optional(user.name)),
      // Two users may bear one name; only the provider tells them apart (reference, trap 32).
      Field("provider", "Known by", root.value("provider")),
      Field("provider_id", "Known there as", root.value("provider_id")),
      Field("email", "E-mail", .optional(user.email), isPrivate: true),
      Field("roles", "Roles", .list(roles)), Field("locked", "Locked", root["is_locked"].flag, .flag),
      Field("deleted", "Deleted", root["is_deleted"].flag, .flag),
    ]
    if !agreements.isEmpty { fields.append(Field("agreements", "Agreements", .list(agreements))) }
    if root["views"]["list"].exists {
      fields.append(Field("views_held", "Views held", .integer(Int64(root["views"]["list"].count)), .integer))
    }
    return Item(
      location, title: user.name ?? title, sections: [Item.Section("User", fields)], related: related,
      actions: actions, raw: answer.raw)
  }

  // MARK: Lists

  func ownList(
    _ location: Location, _ query: ListQuery, _ list: OpenBankPlace.OwnList
  ) async throws(ServiceError) -> Listing {
    switch list {
    case .entitlements: try await roles(location, query)
    case .requests: try await roleRequests(location, query)
    case .consents: try await consents(location, query)
    case .consumers: try await consumers(location, query)
    }
  }

  private static let roleColumns = [
    Column("id", "Id", rank: 3), Column("role", "Role", rank: 0), Column("bank", "Bank", rank: 1),
  ]

  private func roles(_ location: Location, _ query: ListQuery) async throws(ServiceError) -> Listing {
    let operation = "load your roles"
    let answer =
      client.version >= APIVersion(3, 0, 0)
      ? try await client.send("/my/entitlements", operation) : try await client.send("/users/current", operation)
    let list = answer.root["list"].exists ? answer.root : answer.root["entitlements"]
    let roles = try list["list"].rows("of roles", operation, status: answer.status)
    return try .whole(
      location, "Roles", OpenBankBackend.roleColumns, Array(roles), query, raw: answer.raw,
      actions: [requestRoleAction]
    ) { OpenBankBackend.roleRow($0, location) }
  }

  static func roleRow(_ role: JSONValue, _ place: Location) -> Row {
    let bank = role["bank_id"].string.flatMap { $0.isEmpty ? nil : $0 }
    return Row(place, [role.value("entitlement_id"), role.value("role_name"), .optional(bank)], opening: .nothing)
  }

  private func roleRequests(_ location: Location, _ query: ListQuery) async throws(ServiceError) -> Listing {
    guard client.version >= APIVersion(3, 0, 0) else {
      throw .notOffered("list the roles asked for", "this version of the API cannot ask for roles")
    }
    let answer = try await client.send("/my/entitlement-requests", "load the roles you asked for")
    return try .whole(
      location, "Roles asked for", OpenBankBackend.roleColumns + [Column("created", "Asked", .time, rank: 1)],
      Array(try answer.elements("entitlement_requests")), query, raw: answer.raw, actions: [requestRoleAction]
    ) { asked in
      let bank = asked["bank_id"].string.flatMap { $0.isEmpty ? nil : $0 }
      return Row(
        location,
        [asked.value("entitlement_request_id"), asked.value("role_name"), .optional(bank), asked["created"].time],
        opening: .nothing)
    }
  }

  private var requestRoleAction: Action {
    Action(
      "request-role", "Ask for a role",
      fields: [
        FormField("role", "Role", hint: "CanGetCustomer"),
        FormField("bank", "At the bank", isRequired: false, hint: "id of a bank; empty for a role everywhere"),
      ],
      disabled: noWriting
        ?? (client.version >= APIVersion(3, 0, 0) ? nil : "this version of the API cannot ask for roles"))
  }

  func requestRole(_ location: Location, _ form: ActionForm) async throws(ServiceError) -> ActionOutcome {
    let role = try form.text("role")
    let bank = form.optional("bank") ?? ""
    _ = try await client.send(
      "/entitlement-requests", method: "POST", body: ["bank_id": .string(bank), "role_name": .string(role)],
      form.operation)
    return ActionOutcome("You asked for \(role)\(bank.isEmpty ? "" : " at \(bank)").", location: location)
  }

  private func consumers(_ location: Location, _ query: ListQuery) async throws(ServiceError) -> Listing {
    guard client.version >= APIVersion(3, 1, 0) else {
      throw .notOffered("list your apps", "this version of the API does not name them")
    }
    let answer = try await client.send("/management/users/current/consumers", "load your apps")
    let columns = [
      Column("id", "Id", rank: 3), Column("name", "Name", rank: 0), Column("kind", "Kind", rank: 2),
      Column("enabled", "Enabled", .flag, rank: 0), Column("redirect", "Leads back to", rank: 2),
      Column("created", "Registered", .time, rank: 1), Column("email", "Developer", rank: 3, isPrivate: true),
      Column("description", "Description", rank: 3),
    ]
    // Keys and secrets, which later versions add, are left where they are.
    return try .whole(
      location, "Apps", columns, Array(try answer.elements("consumers")), query, raw: nil
    ) { app in
      Row(
        location,
        [
          app.value("consumer_id"), app.value("app_name"), app.value("app_type"), app["enabled"].flag,
          app.value("redirect_url"), app["created"].time, app.value("developer_email"), app.value("description"),
        ], opening: .nothing)
    }
  }
}

/// Who the session belongs to.
public struct CurrentUser: Sendable {
  let json: JSONValue
  init(_ json: JSONValue) { self.json = json }

  public var id: String? { json["user_id"].string }
  public var name: String? { json["username"].string }
  public var email: String? { json["email"].string }
  public var provider: String? { json["provider"].string }
}
