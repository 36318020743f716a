import JSON
import Model
import Store

// The edits that wait, and what a person can decide about them.
extension OMCEBackend {
  static let sync = Action("sync", "Synchronise")

  func pending(_ location: Location) async throws(ServiceError) -> Listing {
    let store = try await client.openStore("list \(location)")
    let edits = try store.edits("list \(location)")
    let columns = [
      Column("id", "Id", .integer, rank: 0), Column("set", "Set", rank: 0), Column("operation", "Operation"),
      Column("key", "Key", rank: 0), Column("state", "State"), Column("error", "Error"),
      Column("name", "Name", rank: 2),
      Column("queued", "Queued", .time, rank: 3),
    ]
    let nothing = edits.isEmpty ? "nothing waits" : nil
    return Listing(
      location, title: "Pending changes", columns: columns,
      rows: edits.map { edit in
        Row(
          location.appending(String(edit.edit.id)),
          [
            .integer(edit.edit.id), .text(edit.set), .text(edit.edit.operation.rawValue), .text(edit.edit.key),
            .text(edit.edit.state.rawValue), .optional(edit.edit.error),
            .optional(edit.text("name") ?? edit.text("title")),
            .time(edit.edit.queued),
          ])
      }, total: .exact(edits.count),
      actions: [
        OMCEBackend.sync, Action("send", "Send what waits", disabled: nothing ?? whyNotSent),
        Action("cancel-all", "Drop all", disabled: nothing, warning: "Drop every edit that waits without sending it"),
      ], freshness: .offline(nil))
  }

  /// Why nothing can be sent just now; nil when it can.
  private var whyNotSent: String? {
    if connection.isReadOnly { return "this connection is read-only" }
    return client.offline.isOnline ? nil : "this needs the server, and Atrium is offline"
  }

  func editItem(_ location: Location, _ id: Int64) async throws(ServiceError) -> Item {
    let store = try await client.openStore("open \(location)")
    let edit = try waiting(id, location, in: store)
    let sides = try EditSides(edit, in: store, "open \(location)")
    let head = [
      Field("id", "Id", .integer(edit.edit.id), .integer), Field("set", "Set", .text(edit.set)),
      Field("operation", "Operation", .text(edit.edit.operation.rawValue)), Field("key", "Key", .text(edit.edit.key)),
      Field("state", "State", .text(edit.edit.state.rawValue)), Field("error", "Error", .optional(edit.edit.error)),
      Field("attempts", "Attempts", .integer(Int64(edit.edit.attempts)), .integer),
      Field("queued", "Queued", .time(edit.edit.queued), .time), Field("tag", "Made on", .optional(edit.edit.tag)),
      Field("request", "Request id", .text(edit.edit.requestID)),
    ]
    return Item(
      location, title: "\(edit.edit.operation.rawValue) \(edit.set) \(edit.edit.key)",
      sections: [Item.Section("Edit", head)] + sides.sections,
      related: [Link("The thing itself", edit.target.location(in: connection.name), opening: .item)],
      actions: decisions(sides), freshness: .offline(nil), notices: sides.notices)
  }

  private func waiting(
    _ id: Int64, _ location: Location, in store: MobileStore
  ) throws(ServiceError) -> MobileEdit {
    let edit = try keeping("open \(location)") { () throws(OfflineError) in try store.store.edit(id) }
    guard let edit, let found = MobileEdit(edit, in: store) else { throw .notFound(location) }
    return found
  }

  private func decisions(_ sides: EditSides) -> [Action] {
    let edit = sides.edit
    let settled = edit.edit.state == .conflict ? nil : "there is no conflict"
    let noCopy = edit.edit.operation == .delete ? "there is nothing to keep beside it" : nil
    return [
      Action("retry", "Send it again", disabled: whyNotSent),
      Action("keep-mine", "Send mine over theirs", disabled: settled ?? whyNotSent),
      Action(
        "take-theirs", "Take theirs", disabled: settled, warning: "Drop this edit for what the server holds"),
      Action("keep-both", "Store mine beside theirs", disabled: settled ?? noCopy ?? whyNotSent),
      Action("cancel", "Drop it", warning: "Drop this edit without sending it"),
    ]
  }

  func drop(_ id: Int64, _ location: Location) async throws(ServiceError) -> ActionOutcome {
    let store = try await client.openStore("drop \(location)")
    _ = try waiting(id, location, in: store)
    _ = try keeping("drop \(location)") { () throws(OfflineError) in try store.store.drop(id) }
    return ActionOutcome("Dropped edit \(id).")
  }

  func dropAll() async throws(ServiceError) -> ActionOutcome {
    let count = try await client.discardWhatWaits()
    return ActionOutcome(count == 1 ? "Dropped 1 edit." : "Dropped \(count) edits.")
  }

  func sendAll() async throws(ServiceError) -> ActionOutcome {
    guard client.offline.isOnline else { throw ServiceError(.offline, "send what waits") }
    let report = try await client.replayWhatWaits()
    try await refuseConflicts("send what waits")
    return ActionOutcome(report.words + ".")
  }

  func decide(_ action: String, _ id: Int64, _ location: Location) async throws(ServiceError) -> ActionOutcome {
    let operation = location.doing(action)
    if action == "cancel" { return try await drop(id, location) }
    let store = try await client.openStore(operation)
    let edit = try waiting(id, location, in: store)
    let sides = try EditSides(edit, in: store, operation)
    guard let choice = decisions(sides).first(where: { $0.id == action }) else {
      throw .notOffered(operation, "there is no action “\(action)” here")
    }
    if let reason = choice.disabled { throw .notOffered(operation, reason) }
    let desk = ConflictDesk(client: client, store: store, operation: operation)
    let home = edit.target.location(in: connection.name)
    switch action {
    case "take-theirs":
      let isThere = try await desk.takeTheirs(edit)
      return ActionOutcome("Took the server's \(edit.edit.key).", location: isThere ? home : nil)
    case "keep-both":
      let key = try await desk.keepBoth(edit)
      let parent = OMCEBackend.collection(of: home)
      return ActionOutcome(
        "Stored yours beside theirs.",
        location: parent.with(query: []).appending(key).with(query: home.query.map { ($0.name, $0.value) }))
    default:
      let key = try await desk.keepMine(edit)
      let place = key.map {
        OMCEBackend.collection(of: home).with(query: []).appending($0).with(
          query: home.query.map { ($0.name, $0.value) })
      }
      return ActionOutcome("Sent yours.", location: edit.edit.operation == .delete ? nil : place)
    }
  }

  /// - Throws: `.conflict` while an edit waits for a person.
  func refuseConflicts(_ operation: String) async throws(ServiceError) {
    let store = try await client.openStore(operation)
    let left = try store.edits(operation)
    guard let stuck = left.first(where: { $0.edit.state != .waiting }) else { return }
    let others = left.count - 1
    let more = others > 0 ? "; \(others) more \(others == 1 ? "waits" : "wait")" : ""
    let place = "\(connection.name):/pending/\(stuck.edit.id)"
    throw ServiceError(
      .conflict, operation, detail: (stuck.edit.error ?? "the server did not take an edit") + more,
      remedy:
        "atrium do \(place) keep-mine sends it over the server's change, take-theirs or atrium rm \(place) drops it.")
  }
}

extension MobileEdit {
  /// Its list as a person calls it.
  var set: String {
    switch target {
    case .object(let id): "storage/\(id.collection)" + (id.user.map { "?user=\($0)" } ?? "")
    case .item(let names): "custom/" + names.dropLast().joined(separator: "/")
    }
  }
}

extension MobileReplay.Report {
  var words: String {
    let words = sent == 1 ? "Sent 1 edit" : "Sent \(sent) edits"
    return givenUp == 0 ? words : "\(words), \(givenUp) gave way to the server"
  }
}

/// An edit between what it was made on and what the server holds by now.
struct EditSides {
  let edit: MobileEdit
  /// As last heard; nil when the server has nothing.
  let theirs: OfflineRow?

  init(_ edit: MobileEdit, in store: MobileStore, _ operation: String) throws(ServiceError) {
    self.edit = edit
    theirs = try keeping(operation) { () throws(OfflineError) in try store.row(edit.edit.key, of: edit.path) }
  }

  private var mine: [JSONNode.Member] { edit.edit.operation == .delete ? [] : edit.row }
  private var isGone: Bool { edit.edit.state == .conflict && theirs == nil }

  /// Members that the server has changed since the edit was made.
  private var changed: [String] {
    guard let theirs, edit.edit.operation != .create else { return [] }
    return edit.base.filter { $0.value != theirs[$0.key] }.map(\.key)
  }

  /// Members worth looking at: those on which the sides differ.
  private var names: [String] {
    var names: [String] = []
    for member in edit.base + (theirs?.properties ?? []) + mine where !names.contains(member.key) {
      names.append(member.key)
    }
    names.removeAll { $0 == "links" }
    let differing = names.filter { name in
      let sides = [mine, theirs?.properties ?? mine, edit.base.isEmpty ? mine : edit.base]
      let values = sides.map { side in side.first { $0.key == name }?.value ?? .null }
      return !values.allSatisfy { $0 == values[0] }
    }
    return differing.isEmpty || isGone || mine.isEmpty ? names : differing
  }

  private func fields(_ side: String, _ members: [JSONNode.Member]) -> [Field] {
    names.compactMap { name in
      guard let node = members.first(where: { $0.key == name })?.value else { return nil }
      let value = MobileValue.of(node)
      return Field("\(side).\(name)", name, value, MobileValue.kind(value))
    }
  }

  /// Each side with the same members under its own prefix: `mine.name`, `theirs.name`, `base.name`.
  var sections: [Item.Section] {
    var own = fields("mine", mine)
    if let text = edit.payload.flatMap(EditSides.excerpt) { own.append(Field("mine.content", "content", .text(text))) }
    return [
      Item.Section("Mine", own), Item.Section("Theirs", fields("theirs", theirs?.properties ?? [])),
      Item.Section("Before", fields("base", edit.base)),
    ].filter { !$0.fields.isEmpty }
  }

  /// The beginning of what can be read.
  private static func excerpt(_ bytes: [UInt8]) -> String? {
    guard bytes.count <= 4096, !bytes.contains(0) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  var notices: [String] {
    if isGone, edit.edit.operation != .create { return ["It is no longer on the server."] }
    let changed = changed.filter { $0 != "links" }
    guard edit.edit.state == .conflict, !changed.isEmpty else { return [] }
    return ["On the server \(changed.joined(separator: ", ")) changed since this edit was made."]
  }
}

/// Carries out what a person decided about a conflict.
struct ConflictDesk {
  let client: MobileClient
  let store: MobileStore
  let operation: String

  /// Mine over whatever is there.
  ///
  /// - Returns: The key it has now.
  func keepMine(_ waiting: MobileEdit) async throws(ServiceError) -> String? {
    let lock = try await OfflineLock.hold(store.store, operation)
    defer { withExtendedLifetime(lock) {} }
    let replay = MobileReplay(client: client, store: store, operation: operation)
    let theirs = try await replay.theirs(of: waiting)
    var edit = waiting
    edit.edit.tag = theirs?.tag
    edit.edit.follows = false
    edit.edit.state = .waiting
    edit.edit.error = nil
    edit.edit.attempts += 1
    edit.edit.isUnanswered = true
    try note(edit)
    do throws(ServiceError) {
      let row = try await replay.send(overwriting: edit, theirs)
      try replay.finish(edit, row)
      return row?.key
    } catch {
      edit.edit.isUnanswered = error.status == nil && !error.isWithoutServer
      edit.edit.state = error.code == .conflict ? .conflict : waiting.edit.state
      edit.edit.error = error.said
      try note(edit)
      throw error
    }
  }

  private func note(_ edit: MobileEdit) throws(ServiceError) {
    try keeping(operation) { () throws(OfflineError) in try store.store.update(edit.edit) }
  }

  /// Theirs stays, and the edit goes.
  ///
  /// - Returns: Whether there is one of theirs.
  func takeTheirs(_ edit: MobileEdit) async throws(ServiceError) -> Bool {
    let replay = MobileReplay(client: client, store: store, operation: operation)
    var theirs = try keeping(operation) { () throws(OfflineError) in try store.row(edit.edit.key, of: edit.path) }
    if client.offline.isOnline {
      theirs = try await replay.theirs(of: edit)
      try replay.keep(theirs, of: edit)
    }
    try drop(edit)
    return theirs != nil
  }

  private func drop(_ edit: MobileEdit) throws(ServiceError) {
    _ = try keeping(operation) { () throws(OfflineError) in
      if case .object(let id) = edit.target { try store.forgetPayload(id.keptPath) }
      return try store.store.drop(edit.edit.id)
    }
  }

  /// Theirs stays, and mine is stored beside it under a key of the server's choice.
  func keepBoth(_ edit: MobileEdit) async throws(ServiceError) -> String {
    let replay = MobileReplay(client: client, store: store, operation: operation)
    let made: OfflineRow
    switch edit.target {
    case .object(let id):
      let request = UploadRequest(
        MemorySource(edit.payload ?? []), name: edit.text("name"), mediaType: edit.text("contentType"))
      made = try await client.store(
        in: id.collection, object: nil, user: id.user, request, progress: { _, _ in }
      ).row
    case .item(let names): made = try await client.createItem(Array(names.dropLast()), .object(edit.row))
    }
    let theirs = try await replay.theirs(of: edit)
    try replay.keep(theirs, of: edit)
    try keeping(operation) { () throws(OfflineError) in try store.keep(made, of: edit.path) }
    try drop(edit)
    return made.key
  }
}
