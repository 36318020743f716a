import Model

/// What can be done with a site.
enum SiteActions {
  private static let visibilities = [
    FormField.Choice("PUBLIC", "Public: everybody may join"),
    FormField.Choice("MODERATED", "Moderated: a manager decides"),
    FormField.Choice("PRIVATE", "Private: by invitation"),
  ]

  static func make(isReadOnly: Bool) -> Action {
    Action(
      "new-site", "New site",
      fields: [
        FormField("title", "Title"),
        FormField("id", "Id", isRequired: false, hint: "Letters, digits and dashes; empty: made of the title"),
        FormField("description", "Description", .multiline, isRequired: false),
        FormField("visibility", "Visibility", .choice(visibilities), initial: "PUBLIC", isRequired: false),
      ], disabled: isReadOnly ? NodeActions.readOnly : nil)
  }

  static func all(_ site: Site, isReadOnly: Bool) -> [Action] {
    let readOnly = isReadOnly ? NodeActions.readOnly : nil
    let noNode = site.guid == nil ? "the server names no node" : nil
    let asks = site.visibility == "MODERATED"
    let message = FormField("message", "Message to the managers", .multiline, isRequired: false)
    let isManager = site.role == SiteMember.Role.manager.rawValue
    let manage = readOnly ?? (isManager ? nil : "you are not a manager of it")
    return [
      Action(
        "join", asks ? "Ask to join" : "Join", fields: asks ? [message] : [],
        disabled: readOnly ?? (site.role == nil ? nil : "you are a member already")),
      Action("leave", "Leave", disabled: readOnly ?? (site.role == nil ? "you are no member" : nil)),
      Action("favorite", "Mark as favourite", disabled: readOnly ?? noNode),
      Action("unfavorite", "Unmark as favourite", disabled: readOnly ?? noNode),
      Action(
        "edit", "Edit",
        fields: [
          FormField("title", "Title", initial: site.title),
          FormField("description", "Description", .multiline, initial: site.summary ?? "", isRequired: false),
          FormField(
            "visibility", "Visibility", .choice(visibilities), initial: site.visibility ?? "PUBLIC", isRequired: false),
        ], disabled: manage),
      Action(
        "delete", "Move to the trash", disabled: manage,
        warning: "Move the site “\(site.title)” with all its documents to the trash"),
    ]
  }
}

/// What a manager does with members.
enum MemberActions {
  private static func roleField(_ initial: String) -> FormField {
    FormField("role", "Role", .choice(SiteMember.Role.allCases.map { .init($0.rawValue, $0.title) }), initial: initial)
  }

  static func add(isReadOnly: Bool) -> Action {
    Action(
      "add-member", "Add a member",
      fields: [
        FormField("person", "Person", hint: "The id, as in the list of people"),
        roleField(SiteMember.Role.consumer.rawValue),
      ], disabled: isReadOnly ? NodeActions.readOnly : nil)
  }

  static func all(_ member: SiteMember, isReadOnly: Bool) -> [Action] {
    let disabled = isReadOnly ? NodeActions.readOnly : nil
    return [
      Action("change-role", "Change the role", fields: [roleField(member.role)], disabled: disabled),
      Action(
        "remove", "Remove from the site", disabled: disabled, warning: "Remove \(member.person.name) from the site"),
    ]
  }

  static var approve: FormField { roleField(SiteMember.Role.consumer.rawValue) }

  /// A role by its wire name, or by its short one: `SiteManager`, `manager`.
  static func role(_ form: ActionForm) throws(ServiceError) -> SiteMember.Role {
    let word = form["role"] ?? SiteMember.Role.consumer.rawValue
    let found = SiteMember.Role.allCases.first { role in
      role.rawValue == word || role.rawValue.dropFirst(4).lowercased() == word.lowercased()
    }
    guard let found else {
      throw ServiceError(
        .usage, form.operation, detail: "“\(word)” is no role",
        remedy: "Choose one of \(SiteMember.Role.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    return found
  }
}

/// What can be done with a wish to join.
enum RequestActions {
  static func all(isMine: Bool, isReadOnly: Bool) -> [Action] {
    let disabled = isReadOnly ? NodeActions.readOnly : nil
    guard !isMine else { return [Action("withdraw", "Withdraw the request", disabled: disabled)] }
    return [
      Action("approve", "Approve", fields: [MemberActions.approve], disabled: disabled),
      Action(
        "reject", "Turn down", fields: [FormField("comment", "Reason", .multiline, isRequired: false)],
        disabled: disabled),
    ]
  }
}
