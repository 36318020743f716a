import JSON
import Model

/// Views of one's own making: made, changed, given, taken away and removed (reference, section 3.5).
extension OpenBankBackend {
  private static let aliases = [
    FormField.Choice("private", "private aliases"), .init("public", "public aliases"), .init("", "their own names"),
  ]

  var createViewAction: Action {
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
      "\(OpenBankBackend.accountPath(account))/views", method: "POST", body: body, form.operation)
    client.forgetUser()
    return ActionOutcome("The view “\(name)” is made.", location: location.below(made.root["id"].string ?? name))
  }

  func viewActions(_ view: JSONValue, _ id: String, _ holders: [Holder]) -> [Action] {
    let off = noWriting
    let isSystem = OpenBankBackend.isSystem(view) == .flag(true)
    let user = [
      FormField("user", "User name"),
      FormField("provider", "Known by", isRequired: false, hint: "the server itself, unless told"),
    ]
    var actions = [
      Action(
        "change", "Change", fields: OpenBankBackend.changeFields(view),
        disabled: off ?? (isSystem ? "it is one of the bank's own views" : nil)),
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
          warning: "Take the view “\(id)” away from that user"), at: 2)
    }
    return actions
  }

  private static func changeFields(_ view: JSONValue) -> [FormField] {
    [
      FormField("description", "Description", initial: view["description"].string ?? "", isRequired: false),
      FormField(
        "rights", "It permits to", .choice([.init("", "what it permits now")] + RightsSet.choices), isRequired: false),
      FormField("permit", "Permit also", isRequired: false, hint: "can_see_tags, can_add_tag"),
      FormField("forbid", "Permit no longer", isRequired: false, hint: "the same"),
      FormField(
        "alias", "Names shown", .choice(OpenBankBackend.aliases), initial: view["alias"].string ?? "",
        isRequired: false),
      FormField(
        "public", "Public", .flag, initial: view["is_public"].bool ?? false ? "true" : "false", isRequired: false),
    ]
  }

  /// The server takes a view as a whole, so what the form leaves alone is sent as it stands.
  private func updateView(
    _ account: AccountID, _ id: String, at location: Location, _ form: ActionForm
  ) async throws(ServiceError) -> ActionOutcome {
    let base = OpenBankBackend.accountPath(account)
    let views = try await client.send("\(base)/views", form.operation)
    guard let view = try views.elements("views").first(where: { $0["id"].string == id }) else {
      throw .notFound(location)
    }
    let present = view.members.filter { $0.key.hasPrefix("can_") && $0.value.bool == true }.map(\.key)
    var rights = form.optional("rights").flatMap(RightsSet.init)?.rights ?? present
    rights += RightsSet.names(form.optional("permit"))
    let forbidden = Set(RightsSet.names(form.optional("forbid")))
    var seen: Set<String> = []
    rights = rights.filter { !forbidden.contains($0) && seen.insert($0).inserted }
    var body: JSONNode = [
      "description": .string(form.optional("description") ?? view["description"].string ?? id),
      "is_public": .bool(try form.flag("public", view["is_public"].bool ?? false)),
      "which_alias_to_use": .string(form.fields["alias"] ?? view["alias"].string ?? ""),
      "hide_metadata_if_alias_used": .bool(view["hide_metadata_if_alias_used"].bool ?? false),
      "allowed_actions": .array(rights.map(JSONNode.string)),
    ]
    if client.version >= APIVersion(3, 0, 0) {
      body["metadata_view"] = .string(view["metadata_view"].string ?? "owner")
    }
    _ = try await client.send(
      base + OpenBankClient.path("views", id), method: "PUT", body: body, form.operation)
    client.forgetUser()
    return ActionOutcome("The view permits \(rights.count) things now.", location: location)
  }

  func changeView(
    _ action: String, _ account: AccountID, _ id: String, at location: Location, _ form: ActionForm
  ) async throws(ServiceError) -> ActionOutcome {
    let base = OpenBankBackend.accountPath(account)
    switch action {
    case "change": return try await updateView(account, id, at: location, form)
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
