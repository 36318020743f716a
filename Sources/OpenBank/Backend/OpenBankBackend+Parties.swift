import JSON
import Model

/// What an account's owner notes of the other sides of transactions: aliases, addresses, places (reference, section 3.9).
extension OpenBankBackend {
  /// One note: what it is called here, below the other account, in its metadata, in the body, and the right it needs.
  private struct PartyNote: Sendable {
    let action: String
    let path: String
    let key: String
    let title: String
    let right: String
    var isPlace = false
    /// Aliases are `alias` in the body, whatever they are called elsewhere.
    var bodyKey: String { key.hasSuffix("_alias") ? "alias" : key }
    var field: String { bodyKey == "alias" ? "alias" : "text" }
  }

  private static let partyNotes = [
    PartyNote(
      action: "public-alias", path: "public_alias", key: "public_alias", title: "Public alias",
      right: "can_add_public_alias"),
    PartyNote(
      action: "private-alias", path: "private_alias", key: "private_alias", title: "Private alias",
      right: "can_add_private_alias"),
    PartyNote(
      action: "more-info", path: "metadata/more_info", key: "more_info", title: "More about it",
      right: "can_add_more_info"),
    PartyNote(action: "page", path: "metadata/url", key: "URL", title: "Page", right: "can_add_url"),
    PartyNote(
      action: "picture", path: "metadata/image_url", key: "image_URL", title: "Image", right: "can_add_image_url"),
    PartyNote(
      action: "open-corporates", path: "metadata/open_corporates_url", key: "open_corporates_URL",
      title: "Open Corporates page", right: "can_add_open_corporates_url"),
    PartyNote(
      action: "corporate-location", path: "metadata/corporate_location", key: "corporate_location",
      title: "Seat", right: "can_add_corporate_location", isPlace: true),
    PartyNote(
      action: "physical-location", path: "metadata/physical_location", key: "physical_location",
      title: "Where it is", right: "can_add_physical_location", isPlace: true),
  ]

  func partyActions(_ metadata: JSONValue, _ lens: AccountLens, _ rights: ViewRights?) -> [Action] {
    OpenBankBackend.partyNotes.flatMap { note in
      let off = noWriting ?? (rights?.permits(note.right) == false ? lens.lacks("do that") : nil)
      let place = Transaction.Place(metadata[note.key])
      let text = metadata[note.key].string ?? ""
      let fields =
        note.isPlace
        ? [
          FormField("latitude", "Latitude", initial: place?.latitude ?? "", hint: "60.17"),
          FormField("longitude", "Longitude", initial: place?.longitude ?? "", hint: "24.94"),
        ] : [FormField(note.field, note.title, initial: text)]
      let set = Action(note.action, note.title, fields: fields, disabled: off)
      guard note.isPlace ? place != nil : !text.isEmpty else { return [set] }
      return [set, Action("remove-\(note.action)", "Remove: \(note.title.lowercased())", disabled: off)]
    }
  }

  func noteParty(
    _ action: String, _ account: AccountID, _ id: String, at location: Location, _ form: ActionForm
  ) async throws(ServiceError) -> ActionOutcome {
    let removes = action.hasPrefix("remove-")
    let name = removes ? String(action.dropFirst(7)) : action
    guard let note = OpenBankBackend.partyNotes.first(where: { $0.action == name }) else {
      throw .notOffered("do “\(action)” at \(location)", "there is no such action here")
    }
    let operation = "note “\(note.title)” of \(id)"
    let value = removes ? JSONNode.null : try OpenBankBackend.value(of: note, form)
    return try await client.look(at: account, through: location.view, operation) {
      (lens) async throws(ServiceError) in
      let base = lens.path + OpenBankClient.path("other_accounts", id)
      if removes {
        _ = try await client.send("\(base)/\(note.path)", method: "DELETE", operation)
        return ActionOutcome("Removed: \(note.title.lowercased()).", location: location)
      }
      let present = try await client.send(base, operation).root["metadata"][note.key]
      let isNew = note.isPlace ? Transaction.Place(present) == nil : (present.string ?? "").isEmpty
      _ = try await client.send(
        "\(base)/\(note.path)", method: isNew ? "POST" : "PUT", body: .object([.init(key: note.bodyKey, value: value)]),
        operation)
      return ActionOutcome("Noted: \(note.title.lowercased()).", location: location)
    }
  }

  private static func value(of note: PartyNote, _ form: ActionForm) throws(ServiceError) -> JSONNode {
    guard note.isPlace else { return .string(try form.text(note.field)) }
    return [
      "latitude": .number(try form.decimal("latitude")), "longitude": .number(try form.decimal("longitude")),
    ]
  }
}
