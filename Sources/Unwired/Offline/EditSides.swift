import JSON
import Model
import Store

/// An edit between the two rows it stands between: the one it was made on, and the one that the server holds by now.
struct EditSides {
  let edit: OfflineEdit
  /// Nil when its set is no longer kept.
  let kept: KeptSet?
  /// The row as the server had it when it was last asked; nil when it has gone, or has never been there.
  let theirs: OfflineRow?

  init(_ edit: OfflineEdit, _ kept: KeptSet?, in store: OfflineStore) throws(OfflineError) {
    self.edit = edit
    self.kept = kept
    guard let kept else {
      theirs = nil
      return
    }
    theirs = try store.row(edit.key, in: kept.set)
  }

  /// Whether the row was there when the edit was made and has gone from the server since.
  var isGone: Bool { edit.operation != .create && !edit.base.isEmpty && theirs == nil }

  /// Properties that the server's row has changed since the edit was made.
  var changed: [String] {
    guard edit.operation != .create, let theirs else { return [] }
    return edit.base.filter { value($0.key, $0.value) != value($0.key, theirs[$0.key]) }.map(\.key)
  }

  /// Properties worth looking at, in the row's order: those that either side has changed; all where the row is at stake.
  var names: [String] {
    let mine = edit.properties.map(\.key)
    guard edit.operation == .update, !isGone else {
      let all = edit.base.map(\.key) + (theirs?.properties.map(\.key) ?? []) + mine
      return all.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
    let wanted = Set(mine).union(changed)
    return edit.base.map(\.key).filter(wanted.contains) + mine.filter { edit.base.node($0) == nil }
  }

  private func value(_ name: String, _ node: JSONNode?) -> Value {
    kept?.value(name, node) ?? EntityValues.value(node, type: nil)
  }

  private func fields(_ side: String, _ names: [String], _ node: (String) -> JSONNode?) -> [Field] {
    names.map { name in
      Field("\(side).\(name)", name, value(name, node(name)), EntityValues.kind(kept?.type?.property(name)?.type))
    }
  }

  /// Each side with the same properties under its own prefix: `mine.city`, `theirs.city`, `base.city`. Mine has only what
  /// is sent: the rest stays as the server has it.
  var sections: [Item.Section] {
    let names = names
    var sections = [
      Item.Section(
        "Mine",
        fields("mine", names.filter { edit.properties.node($0) != nil }) {
          edit.properties.node($0)
        })
    ]
    if let theirs { sections.append(Item.Section("Theirs", fields("theirs", names) { theirs[$0] })) }
    if !edit.base.isEmpty { sections.append(Item.Section("Before", fields("base", names) { edit.base.node($0) })) }
    return sections.filter { !$0.fields.isEmpty }
  }

  var notices: [String] {
    if isGone { return ["The row is no longer on the server."] }
    let changed = changed
    guard !changed.isEmpty else { return [] }
    return ["On the server \(changed.joined(separator: ", ")) changed since this edit was made."]
  }
}

extension [JSONNode.Member] {
  func node(_ name: String) -> JSONNode? { first { $0.key == name }?.value }
}
