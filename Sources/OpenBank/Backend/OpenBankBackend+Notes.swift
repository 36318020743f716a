import JSON
import Model

/// What people write to a transaction, and the aliases they give to its other side.
extension OpenBankBackend {
  func noteActions(_ transaction: Transaction, _ lens: AccountLens) -> [Action] {
    let off = noWriting
    var actions = [
      Action(
        "narrative", transaction.narrative == nil ? "Add a narrative" : "Change the narrative",
        fields: [FormField("text", "Narrative", initial: transaction.narrative ?? "")], disabled: off),
      Action("comment", "Comment", fields: [FormField("text", "Comment", .multiline)], disabled: off),
      Action("tag", "Tag", fields: [FormField("text", "Tag")], disabled: off),
      Action(
        "image", "Add an image",
        fields: [FormField("label", "Label"), FormField("url", "Address of the image", hint: "https://…")],
        disabled: off),
      Action(
        "where", "Say where",
        fields: [
          FormField("latitude", "Latitude", initial: transaction.place?.latitude ?? "", hint: "60.17"),
          FormField("longitude", "Longitude", initial: transaction.place?.longitude ?? "", hint: "24.94"),
        ], disabled: off),
    ]
    if transaction.narrative != nil {
      actions.append(Action("remove-narrative", "Remove the narrative", disabled: off))
    }
    if transaction.place != nil { actions.append(Action("remove-where", "Remove the place", disabled: off)) }
    let lists = [("comment", transaction.comments), ("tag", transaction.tags), ("image", transaction.images)]
    for (name, remarks) in lists {
      guard let remarks, !remarks.isEmpty else { continue }
      let choices = remarks.map { remark in
        FormField.Choice(remark.id, remark.text + (remark.author.map { " (\($0))" } ?? ""))
      }
      let field = FormField("id", "Which", .choice(choices), initial: choices[0].value)
      actions.append(
        Action("remove-\(name)", "Remove \(name == "image" ? "an" : "a") \(name)", fields: [field], disabled: off))
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

  private static let aliases = [
    ("public-alias", "public_alias", "Public alias"), ("private-alias", "private_alias", "Private alias"),
  ]

  func aliasActions(_ metadata: JSONValue) -> [Action] {
    let off = noWriting
    return OpenBankBackend.aliases.flatMap { id, key, title in
      let current = metadata[key].string ?? ""
      let set = Action(id, title, fields: [FormField("alias", title, initial: current)], disabled: off)
      return current.isEmpty ? [set] : [set, Action("remove-\(id)", "Remove the \(title.lowercased())", disabled: off)]
    }
  }

  func alias(
    _ action: String, _ account: AccountID, _ id: String, at location: Location, _ form: ActionForm
  ) async throws(ServiceError) -> ActionOutcome {
    let removes = action.hasPrefix("remove-")
    let name = removes ? String(action.dropFirst(7)) : action
    guard let (_, key, title) = OpenBankBackend.aliases.first(where: { $0.0 == name }) else {
      throw .notOffered("do “\(action)” at \(location)", "there is no such action here")
    }
    let operation = "change the \(title.lowercased()) of \(id)"
    let text = removes ? "" : try form.text("alias")
    return try await client.look(at: account, through: location.view, operation) {
      (lens) async throws(ServiceError) in
      let base = lens.path + OpenBankClient.path("other_accounts", id)
      if removes {
        _ = try await client.send("\(base)/\(key)", method: "DELETE", operation)
        return ActionOutcome("Removed the \(title.lowercased()).", location: location)
      }
      let present = try await client.send(base, operation).root["metadata"][key].string ?? ""
      _ = try await client.send(
        "\(base)/\(key)", method: present.isEmpty ? "POST" : "PUT", body: ["alias": .string(text)], operation)
      return ActionOutcome("The \(title.lowercased()) is “\(text)”.", location: location)
    }
  }
}
