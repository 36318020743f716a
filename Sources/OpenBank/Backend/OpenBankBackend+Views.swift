import JSON
import Model

/// The views of an account: who sees what, who holds them, and views of one's own making (reference, section 3.5).
extension OpenBankBackend {
  private static let viewColumns = [
    Column("id", "Id", rank: 0), Column("name", "Name", rank: 1), Column("public", "Public", .flag, rank: 1),
    Column("system", "The bank's", .flag, rank: 2), Column("alias", "Names shown", rank: 3),
    Column("description", "Description", rank: 2),
  ]

  private static func path(_ account: AccountID) -> String {
    OpenBankClient.path("banks", account.bank, "accounts", account.account)
  }

  func views(_ location: Location, _ query: ListQuery, _ account: AccountID) async throws(ServiceError) -> Listing {
    do {
      let answer = try await client.send(
        "\(OpenBankBackend.path(account))/views", "load the views of \(account.account)")
      return try .whole(
        location, "Views", OpenBankBackend.viewColumns, Array(try answer.elements("views")), query, raw: answer.raw,
        actions: [createViewAction]
      ) { view in
        let id = view["id"].string ?? ""
        return Row(
          location.below(id),
          [
            .text(id), view.value("short_name"), view["is_public"].flag, OpenBankBackend.isSystem(view),
            view.value("alias"), view.value("description"),
          ])
      }
    } catch {
      // Only the owner may list them all; others know those that the account lists name (reference, trap 36).
      let known = client.knownViews(of: account)
      guard error.code == .forbidden, !known.isEmpty else { throw error }
      let rows = known.map { view in
        Row(location.below(view.id), [.text(view.id), .text(view.name), .flag(view.isPublic), .null, .null, .null])
      }
      return Listing(
        location, title: "Views", columns: OpenBankBackend.viewColumns, rows: rows, total: .exact(rows.count),
        notices: ["Only the views that you hold yourself: \(error.reason)."])
    }
  }

  /// Before version 3 only the name tells: those of one's own begin with an underscore.
  private static func isSystem(_ view: JSONValue) -> Value {
    view["is_system"].bool.map { .flag($0) } ?? .flag(!(view["id"].string ?? "_").hasPrefix("_"))
  }

  func viewItem(_ location: Location, _ account: AccountID, _ id: String) async throws(ServiceError) -> Item {
    let answer = try await client.send("\(OpenBankBackend.path(account))/views", "open the view \(id)")
    guard let view = try answer.elements("views").first(where: { $0["id"].string == id }) else {
      throw .notFound(location)
    }
    let rights = view.members.filter { $0.key.hasPrefix("can_") && $0.value.bool != nil }.map {
      Field($0.key, OpenBankBackend.title(of: String($0.key.dropFirst(4))), $0.value.flag, .flag)
    }
    let holders = try await holders(account, of: id)
    let names = holders.map { holder in
      Field(
        "holder_\(holder.id)", holder.name, .text("known by \(holder.provider)"), isPrivate: true)
    }
    return Item(
      location, title: view["short_name"].string ?? id,
      sections: [
        Item.Section(
          "View",
          [
            Field("id", "Id", .text(id)), Field("name", "Name", view.value("short_name")),
            Field("description", "Description", view.value("description")),
            Field("public", "Public", view["is_public"].flag, .flag),
            Field("system", "The bank's", OpenBankBackend.isSystem(view), .flag),
            Field("alias", "Names shown", view.value("alias")),
          ]), Item.Section("Held by", names.withUniqueIDs), Item.Section("It permits to", rights),
      ].filter { !$0.fields.isEmpty },
      related: [
        Link("Account through this view", location.account(account).seen(through: id), opening: .item),
        Link(
          "Transactions through this view", location.account(account).appending("transactions").seen(through: id)),
      ], actions: viewActions(view, id, holders), raw: answer.raw)
  }

  // MARK: Who holds them

  private struct Holder: Sendable {
    let id: String
    let name: String
    let provider: String
  }

  /// Users with this view; none where the server does not tell this user.
  private func holders(_ account: AccountID, of view: String) async throws(ServiceError) -> [Holder] {
    do {
      let answer = try await client.send(
        "\(OpenBankBackend.path(account))/permissions", "ask who holds the view \(view)")
      return answer.root["permissions"].elements.filter { permission in
        permission["views"].elements.contains { $0["id"].string == view }
      }.map { permission in
        let user = permission["user"]
        return Holder(
          id: user.first("id", "user_id") ?? "", name: user.first("display_name", "username") ?? "",
          provider: user["provider"].string ?? "")
      }
    } catch {
      guard error.code != .signInNeeded, error.code != .cancelled else { throw error }
      return []
    }
  }

  // MARK: Changing them

  private static let aliases = [
    FormField.Choice("private", "private aliases"), .init("public", "public aliases"), .init("", "their own names"),
  ]

  private var createViewAction: Action {
    Action(
      "create", "New view",
      fields: [
        FormField("name", "Name", hint: "begins with _"), FormField("description", "Description", isRequired: false),
        FormField("rights", "It permits to", .choice(RightsSet.choices), initial: RightsSet.read.rawValue),
        FormField("alias", "Names shown", .choice(OpenBankBackend.aliases), initial: "private", isRequired: false),
        FormField("public", "Public", .flag, initial: "false", isRequired: false),
      ], disabled: noWriting)
  }

  func createView(
    _ location: Location, _ account: AccountID, _ form: ActionForm
  ) async throws(ServiceError) -> ActionOutcome {
    let name = try form.text("name")
    guard name.hasPrefix("_") else {
      throw ServiceError(
        .usage, form.operation, detail: "“\(name)” is a name for the bank's own views",
        remedy: "Call it “_\(name)”.")
    }
    var body: JSONNode = [
      "name": .string(name), "description": .string(form.optional("description") ?? name),
      "is_public": .bool(try form.flag("public", false)), "which_alias_to_use": .string(form.fields["alias"] ?? ""),
      "hide_metadata_if_alias_used": false,
      "allowed_actions": .array(
        (RightsSet(rawValue: form.fields["rights"] ?? "") ?? .read).rights.map(JSONNode.string)),
    ]
    if client.version >= APIVersion(3, 0, 0) { body["metadata_view"] = "owner" }
    let made = try await client.send(
      "\(OpenBankBackend.path(account))/views", method: "POST", body: body, form.operation)
    client.forgetUser()
    return ActionOutcome("The view “\(name)” is made.", location: location.below(made.root["id"].string ?? name))
  }

  private func viewActions(_ view: JSONValue, _ id: String, _ holders: [Holder]) -> [Action] {
    let off = noWriting
    let isSystem = OpenBankBackend.isSystem(view) == .flag(true)
    let user = [
      FormField("user", "User name"),
      FormField("provider", "Known by", isRequired: false, hint: "the server itself, unless told"),
    ]
    var actions = [
      Action("grant", "Let somebody see through it", fields: user, disabled: off),
      Action(
        "delete", "Delete", disabled: off ?? (isSystem ? "it is one of the bank's own views" : nil),
        warning: "Delete the view “\(id)”, and the access of all who hold it"),
    ]
    if !holders.isEmpty {
      let choices = holders.map { FormField.Choice($0.name, "\($0.name) (known by \($0.provider))") }
      let field = FormField("user", "Whose", .choice(choices), initial: choices[0].value)
      actions.insert(
        Action(
          "revoke", "Take it away from somebody", fields: [field, user[1]], disabled: off,
          warning: "Take the view “\(id)” away from that user"), at: 1)
    }
    return actions
  }

  func changeView(
    _ action: String, _ account: AccountID, _ id: String, at location: Location, _ form: ActionForm
  ) async throws(ServiceError) -> ActionOutcome {
    let base = OpenBankBackend.path(account)
    switch action {
    case "delete":
      _ = try await client.send(base + OpenBankClient.path("views", id), method: "DELETE", form.operation)
      client.forgetUser()
      return ActionOutcome("The view is deleted.", location: location.parent)
    case "grant", "revoke":
      let user = try form.text("user")
      let provider = form.optional("provider") ?? client.server.authOrigin
      let path = base + OpenBankClient.path("permissions", provider, user, "views", id)
      // These are of the oldest version and want a body that says nothing.
      _ = try await client.send(
        path, method: action == "grant" ? "POST" : "DELETE", body: action == "grant" ? [:] : nil, form.operation)
      return ActionOutcome(
        action == "grant" ? "\(user) sees through “\(id)” now." : "\(user) does not see through “\(id)” any more.",
        location: location)
    default: throw .notOffered("do “\(action)” at \(location)", "there is no such action here")
    }
  }
}

/// Sets of rights to begin a view with; the single ones can be changed through the API.
enum RightsSet: String, Sendable, CaseIterable {
  case read, comment, everything

  static var choices: [FormField.Choice] { allCases.map { .init($0.rawValue, $0.title) } }

  private var title: String {
    switch self {
    case .read: "see transactions"
    case .comment: "see them, and write comments and tags"
    case .everything: "see everything, balances and numbers too, and write notes"
    }
  }

  var rights: [String] {
    switch self {
    case .read: RightsSet.seeing
    case .comment: RightsSet.seeing + ["can_add_comment", "can_add_tag", "can_see_comments", "can_see_tags"]
    case .everything:
      RightsSet.comment.rights + RightsSet.seeingAll + ["can_edit_owner_comment", "can_add_image", "can_add_where_tag"]
    }
  }

  private static let seeing = [
    "can_see_transaction_this_bank_account", "can_see_transaction_other_bank_account", "can_see_transaction_metadata",
    "can_see_transaction_description", "can_see_transaction_amount", "can_see_transaction_type",
    "can_see_transaction_currency", "can_see_transaction_start_date", "can_see_transaction_finish_date",
    "can_see_bank_account_label", "can_see_bank_account_currency", "can_see_bank_account_type",
    "can_see_public_alias", "can_see_private_alias",
  ]

  private static let seeingAll = [
    "can_see_transaction_balance", "can_see_bank_account_balance", "can_see_bank_account_number",
    "can_see_bank_account_iban", "can_see_bank_account_owners", "can_see_bank_account_bank_name",
    "can_see_other_account_iban", "can_see_other_account_number", "can_see_other_account_bank_name",
    "can_see_owner_comment", "can_see_images", "can_see_where_tag",
  ]
}
