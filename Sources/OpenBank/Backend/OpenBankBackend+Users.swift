import JSON
import Model
import Wire

/// Other users and their roles, for those whose role it is to look after them.
extension OpenBankBackend {
  private static let userColumns = [
    Column("id", "Id", rank: 3), Column("name", "User name", rank: 0), Column("provider", "Known by", rank: 1),
    Column("email", "E-mail", rank: 1, isPrivate: true), Column("locked", "Locked", .flag, rank: 2),
    Column("deleted", "Deleted", .flag, rank: 3),
  ]
  private static let userPage = 50

  /// Everybody, a page of the server's at a time.
  func users(_ location: Location, _ query: ListQuery) async throws(ServiceError) -> Listing {
    guard client.version >= APIVersion(4, 0, 0) else {
      throw .notOffered("list the users", "this version of the API does not list them")
    }
    let page = try ServerPage(query, usual: OpenBankBackend.userPage)
    let answer = try await client.send("/users", query: page.parameters, "list the users")
    let users = Array(try answer.elements("users"))
    var listing = Listing(
      location, title: "Users", columns: OpenBankBackend.userColumns,
      rows: page.shown(users).map { user in
        Row(
          location.appending(user["user_id"].string ?? ""),
          [
            user.value("user_id"), user.value("username"), user.value("provider"), user.value("email"),
            user["is_locked"].flag, user["is_deleted"].flag,
          ])
      }, raw: answer.raw)
    page.finish(&listing, users)
    return listing
  }

  func roles(_ location: Location, _ query: ListQuery, of user: String) async throws(ServiceError) -> Listing {
    let operation = "load the roles of \(user)"
    let answer = try await client.send(OpenBankClient.path("users", user, "entitlements"), operation)
    let roles = try answer.root["list"].rows("of roles", operation, status: answer.status)
    var remove: [Action] = []
    if roles.count > 0 {
      let choices = roles.map { role in
        let bank = role["bank_id"].string.flatMap { $0.isEmpty ? nil : " at \($0)" } ?? ""
        return FormField.Choice(role["entitlement_id"].string ?? "", (role["role_name"].string ?? "") + bank)
      }
      remove.append(
        Action(
          "remove-role", "Take a role away",
          fields: [FormField("id", "Which", .choice(choices), initial: choices[0].value)], disabled: noWriting))
    }
    return try .whole(
      location, "Roles",
      [Column("id", "Id", rank: 3), Column("role", "Role", rank: 0), Column("bank", "Bank", rank: 1)], Array(roles),
      query, raw: answer.raw, actions: [grantRoleAction] + remove
    ) { OpenBankBackend.roleRow($0, location) }
  }

  var grantRoleAction: Action {
    Action(
      "grant-role", "Give a role",
      fields: [
        FormField("role", "Role", hint: "CanGetCustomer"),
        FormField("bank", "At the bank", isRequired: false, hint: "id of a bank; empty for a role everywhere"),
      ], disabled: noWriting)
  }

  func changeRoles(
    _ action: String, of user: String, at location: Location, _ form: ActionForm
  ) async throws(ServiceError) -> ActionOutcome {
    switch action {
    case "grant-role":
      let role = try form.text("role")
      let body: JSONNode = ["bank_id": .string(form.optional("bank") ?? ""), "role_name": .string(role)]
      _ = try await client.send(
        OpenBankClient.path("users", user, "entitlements"), method: "POST", body: body, form.operation)
      return ActionOutcome("\(role) is given.", location: location)
    case "remove-role":
      _ = try await client.send(
        OpenBankClient.path("users", user, "entitlement", try form.text("id")), method: "DELETE", form.operation)
      return ActionOutcome("The role is taken away.", location: location)
    default: throw .notOffered("do “\(action)” at \(location)", "there is no such action here")
    }
  }
}
