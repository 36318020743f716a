import JSON
import Model
import Wire

extension OpenBankBackend {
  func userItem(_ location: Location) async throws(ServiceError) -> Item {
    let answer = try await client.send("/users/current", "ask who you are")
    let user = CurrentUser(answer.root)
    let root = answer.root
    let roles = root["entitlements"]["list"].elements.map { role in
      let bank = role["bank_id"].string ?? ""
      return Value.text((role["role_name"].string ?? "") + (bank.isEmpty ? "" : " at \(bank)"))
    }
    return Item(
      location, title: user.name ?? "Me",
      sections: [
        Item.Section(
          "User",
          [
            Field("id", "Id", .optional(user.id)), Field("name", "User name", .optional(user.name)),
            // Two users may bear one name; only the provider tells them apart (reference, trap 32).
            Field("provider", "Known by", root.value("provider")),
            Field("email", "E-mail", .optional(user.email), isPrivate: true),
            Field("roles", "Roles", .list(roles)), Field("locked", "Locked", root["is_locked"].flag, .flag),
          ])
      ], related: [Link("Roles", location.appending("entitlements"))], raw: answer.raw)
  }

  func roles(_ location: Location, _ query: ListQuery) async throws(ServiceError) -> Listing {
    let operation = "load your roles"
    let answer =
      client.version >= APIVersion(3, 0, 0)
      ? try await client.send("/my/entitlements", operation) : try await client.send("/users/current", operation)
    let list = answer.root["list"].exists ? answer.root : answer.root["entitlements"]
    let roles = try list["list"].rows("of roles", operation, status: answer.status)
    return try .whole(
      location, "Roles",
      [
        Column("id", "Id", rank: 3), Column("role", "Role", rank: 0), Column("bank", "Bank", rank: 1),
      ], Array(roles), query, raw: answer.raw
    ) { role in
      let bank = role["bank_id"].string.flatMap { $0.isEmpty ? nil : $0 }
      return Row(
        location, [role.value("entitlement_id"), role.value("role_name"), .optional(bank)], opening: .nothing)
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
