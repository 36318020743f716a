import Model

/// What can be done with a node, from what the server allows and how it stands.
struct NodeActions {
  let node: Node
  /// Locked for the caller, or by the caller.
  let isHeld: Bool
  let isReadOnly: Bool

  static let readOnly = "this connection is read-only"

  var all: [Action] {
    var actions: [Action] =
      node.isFolder ? [FolderActions.newFolder(isReadOnly: isReadOnly, reason: without("create"))] : []
    actions += [rename, edit, move, copy]
    if !node.isFolder { actions += [isHeld ? unlock : lock, isShared ? unshare : share] }
    actions.append(node.isFavorite == true ? unfavorite : favorite)
    actions += [
      NodeActions.comment(isReadOnly: isReadOnly), NodeActions.tag(isReadOnly: isReadOnly),
      Action("untag", "Remove a tag", fields: [FormField("tag", "Tag")], disabled: write()),
      NodeActions.like(isReadOnly), NodeActions.rate(isReadOnly), NodeActions.file(isReadOnly),
      NodeActions.joining(isReadOnly)[0], delete,
    ]
    return actions
  }

  private var isShared: Bool { node.property("qshare:sharedId") != nil }

  /// Why writing is not possible just now.
  private func write(_ right: String? = nil) -> String? {
    if isReadOnly { return Self.readOnly }
    if let right, let reason = without(right) { return reason }
    guard node.isLocked == true else { return nil }
    return "it is locked by \(node.property("cm:lockOwner") ?? "somebody else")"
  }

  private func without(_ right: String) -> String? {
    guard let allowed = node.allowed else { return nil }
    return allowed.contains(right) ? nil : "you may not \(right) here"
  }

  private var rename: Action {
    Action("rename", "Rename", fields: [FormField("name", "New name", initial: node.name)], disabled: write("update"))
  }

  private var edit: Action {
    func field(_ property: String, _ kind: FormField.Kind = .text) -> FormField {
      FormField(
        property, PropertyTitles.title(of: property), kind, initial: node.property(property) ?? "", isRequired: false)
    }
    var fields = [field("cm:title"), field("cm:description", .multiline)]
    if !node.isFolder { fields.append(field("cm:author")) }
    return Action("edit", "Edit properties", fields: fields, disabled: write("update"))
  }

  private static let target = FormField(
    "target", "Into folder", hint: "A location such as /files/Shared, or a node id")

  private var move: Action { Action("move", "Move", fields: [Self.target], disabled: write("delete")) }

  private var copy: Action {
    Action(
      "copy", "Copy", fields: [Self.target, FormField("name", "Name of the copy", isRequired: false)],
      disabled: isReadOnly ? Self.readOnly : nil)
  }

  private var lock: Action {
    let kinds = [
      FormField.Choice("ALLOW_OWNER_CHANGES", "I may go on changing it"),
      FormField.Choice("FULL", "Nobody may change it"),
    ]
    return Action(
      "lock", "Lock",
      fields: [
        FormField("type", "Kind", .choice(kinds), initial: "ALLOW_OWNER_CHANGES", isRequired: false),
        FormField("minutes", "For minutes", .integer, initial: "0", isRequired: false, hint: "0: until it is unlocked"),
      ], disabled: write("update"))
  }

  /// The owner may unlock, and administrators may; who that is the server decides.
  private var unlock: Action { Action("unlock", "Unlock", disabled: isReadOnly ? Self.readOnly : nil) }

  private var share: Action {
    let expires = FormField(
      "expires", "Until", .date, isRequired: false, hint: "At least a day ahead; empty for no end")
    return Action("share", "Share by link", fields: [expires], disabled: isReadOnly ? Self.readOnly : nil)
  }

  private var unshare: Action { Action("unshare", "End the shared link", disabled: isReadOnly ? Self.readOnly : nil) }

  private var favorite: Action {
    Action("favorite", "Mark as favourite", disabled: isReadOnly ? Self.readOnly : nil)
  }

  private var unfavorite: Action {
    Action("unfavorite", "Unmark as favourite", disabled: isReadOnly ? Self.readOnly : nil)
  }

  private var delete: Action { Action("delete", "Move to the trash", disabled: write("delete")) }

  static func comment(isReadOnly: Bool) -> Action {
    Action(
      "comment", "Write a comment", fields: [FormField("text", "Comment", .multiline)],
      disabled: isReadOnly ? readOnly : nil)
  }

  static func tag(isReadOnly: Bool) -> Action {
    Action("tag", "Add a tag", fields: [FormField("tag", "Tag")], disabled: isReadOnly ? readOnly : nil)
  }
}

enum FolderActions {
  static func newFolder(isReadOnly: Bool, reason: String? = nil) -> Action {
    Action(
      "new-folder", "New folder",
      fields: [FormField("name", "Name"), FormField("title", "Title", isRequired: false)],
      disabled: isReadOnly ? NodeActions.readOnly : reason)
  }
}

enum TrashActions {
  static func all(_ node: Node, isReadOnly: Bool) -> [Action] {
    let target = FormField(
      "target", "Into folder", isRequired: node.path == nil,
      hint: node.path == nil ? "The folder it came from is gone" : "Empty: where it came from")
    let disabled = isReadOnly ? NodeActions.readOnly : nil
    return [
      Action("restore", "Restore", fields: [target], disabled: disabled),
      Action("purge", "Delete for good", disabled: disabled, warning: "Delete “\(node.name)” for good"),
    ]
  }
}
