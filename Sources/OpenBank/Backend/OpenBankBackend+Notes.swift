import JSON
import Model

/// What people write to a transaction, and the aliases they give to its other side.
extension OpenBankBackend {
  func noteActions(_ transaction: Transaction, _ lens: AccountLens, _ rights: ViewRights?) -> [Action] {
    let writing = noWriting
    let off: (String) -> String? = { right in
      writing ?? (rights?.permits(right) == false ? lens.lacks("do that") : nil)
    }
    var actions = [
      Action(
        "narrative", transaction.narrative == nil ? "Add a narrative" : "Change the narrative",
        fields: [FormField("text", "Narrative", initial: transaction.narrative ?? "")],
        disabled: off("can_edit_owner_comment")),
      Action(
        "comment", "Comment", fields: [FormField("text", "Comment", .multiline)], disabled: off("can_add_comment")),
      Action("tag", "Tag", fields: [FormField("text", "Tag")], disabled: off("can_add_tag")),
      Action(
        "image", "Add an image",
        fields: [FormField("label", "Label"), FormField("url", "Address of the image", hint: "https://…")],
        disabled: off("can_add_image")),
      Action(
        "where", "Say where",
        fields: [
          FormField("latitude", "Latitude", initial: transaction.place?.latitude ?? "", hint: "60.17"),
          FormField("longitude", "Longitude", initial: transaction.place?.longitude ?? "", hint: "24.94"),
        ], disabled: off("can_add_where_tag")),
    ]
    if transaction.narrative != nil {
      actions.append(Action("remove-narrative", "Remove the narrative", disabled: off("can_edit_owner_comment")))
    }
    if transaction.place != nil {
      actions.append(Action("remove-where", "Remove the place", disabled: off("can_delete_where_tag")))
    }
    let lists = [("comment", transaction.comments), ("tag", transaction.tags), ("image", transaction.images)]
    for (name, remarks) in lists {
      guard let remarks, !remarks.isEmpty else { continue }
      let choices = remarks.map { remark in
        FormField.Choice(remark.id, remark.text + (remark.author.map { " (\($0))" } ?? ""))
      }
      let field = FormField("id", "Which", .choice(choices), initial: choices[0].value)
      actions.append(
        Action("remove-\(name)", "Remove \(name == "image" ? "an" : "a") \(name)", fields: [field], disabled: writing))
    }
    return actions
  }

  /// Adds or removes a note; the same calls since version 1.2.1 under every prefix (reference, section 3.8).
  func note(
    _ action: String, _ account: AccountID, _ id: String, at location: Location, _ form: ActionForm
  ) async throws(ServiceError) -> ActionOutcome {
    let operation = location.doing(action)
    let (answer, lens) = try await client.transactionAnswer(account, id, through: location.view, operation)
    let transaction = Transaction(answer.root)
    let base = lens.path + OpenBankClient.path("transactions", id) + "/metadata"
    let write: (String, String, JSONNode) async throws(ServiceError) -> Void = {
      (path, method, body) async throws(ServiceError) in
      _ = try await client.send(base + path, method: method, body: body, operation)
    }
    let message: String
    switch action {
    case "narrative":
      let body: JSONNode = ["narrative": .string(try form.text("text"))]
      try await write("/narrative", transaction.narrative == nil ? "POST" : "PUT", body)
      message = "The narrative is written."
    case "comment":
      try await write("/comments", "POST", ["value": .string(try form.text("text"))])
      message = "Commented."
    case "tag":
      try await write("/tags", "POST", ["value": .string(try form.text("text"))])
      message = "Tagged “\(try form.text("text"))”."
    case "image":
      try await write(
        "/images", "POST", ["label": .string(try form.text("label")), "URL": .string(try form.text("url"))])
      message = "The image is added."
    case "where":
      let place: JSONNode = [
        "latitude": .number(try form.decimal("latitude")), "longitude": .number(try form.decimal("longitude")),
      ]
      try await write("/where", transaction.place == nil ? "POST" : "PUT", ["where": place])
      message = "The place is written."
    case "remove-narrative", "remove-where":
      _ = try await client.send("\(base)/\(action.dropFirst(7))", method: "DELETE", operation)
      message = "Removed."
    case "remove-comment", "remove-tag", "remove-image":
      let path = OpenBankClient.path(action.dropFirst(7) + "s", try form.text("id"))
      _ = try await client.send(base + path, method: "DELETE", operation)
      message = "Removed."
    default: throw .notOffered("do “\(action)” at \(location)", "there is no such action here")
    }
    return ActionOutcome(message, location: location)
  }
}
