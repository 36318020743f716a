import JSON
import Model

/// Opening accounts, and the tags that people give to them (reference, section 3.4).
extension OpenBankBackend {
  var openAccountAction: Action {
    Action(
      "open-account", "Open an account",
      fields: [
        FormField("label", "Label"), FormField("currency", "Currency", initial: "EUR"),
        FormField("product", "Product", hint: "code of a product of this bank"),
        FormField("id", "Its id", isRequired: false, hint: "made up where it is left empty"),
        FormField("user", "For the user", isRequired: false, hint: "id of a user; yourself, unless told"),
      ], disabled: noWriting)
  }

  /// Where the caller chooses the id, the same request sent again opens no second account.
  func openAccount(
    _ location: Location, _ bank: String, _ form: ActionForm
  ) async throws(ServiceError) -> ActionOutcome {
    let (label, currency, product) = (
      try form.text("label"), try form.text("currency").uppercased(), try form.text("product")
    )
    let isModern = client.version >= APIVersion(3, 1, 0)
    var body: JSONNode = [
      "user_id": .string(form.optional("user") ?? ""), "label": .string(label),
      // A new account holds nothing, or it is refused.
      "balance": ["currency": .string(currency), "amount": "0"],
    ]
    body[isModern ? "product_code" : "type"] = .string(product)
    if client.version >= APIVersion(2, 2, 0) { body["branch_id"] = "" }
    if isModern { body["account_routings"] = [] }
    let id = form.optional("id") ?? OpenBankSession.nonce(surroundings.randomBytes)
    let answer = try await client.send(
      OpenBankClient.path("banks", bank, "accounts", id), method: "PUT", body: body, form.operation)
    let made = Account(answer.root, bank: bank).id
    return ActionOutcome(
      "The account “\(label)” is open.", location: location.appending(made.account.isEmpty ? id : made.account))
  }

  // MARK: Tags

  private static func tagsPath(_ lens: AccountLens) -> String { "\(lens.path)/metadata/tags" }

  /// The account's tags: in the answer where this version has them, else by a call of their own; nil where the server
  /// does not tell.
  func accountTags(_ root: JSONValue, _ lens: AccountLens) async throws(ServiceError) -> [Transaction.Remark]? {
    if root["tags"].kind == .array { return root["tags"].elements.map { Transaction.Remark($0) } }
    guard client.version >= APIVersion(4, 0, 0), !lens.isPublic else { return nil }
    do {
      let answer = try await client.send(OpenBankBackend.tagsPath(lens), "load the tags of \(lens.account.account)")
      return try answer.elements("tags").map { Transaction.Remark($0) }
    } catch {
      guard error.code != .signInNeeded, error.code != .cancelled else { throw error }
      return nil
    }
  }

  func tagActions(_ tags: [Transaction.Remark]?, _ lens: AccountLens, _ rights: ViewRights?) -> [Action] {
    guard let tags else { return [] }
    let off: (String) -> String? = { right in
      noWriting ?? (rights?.permits(right) == false ? lens.lacks("do that") : nil)
    }
    let add = Action("tag", "Tag", fields: [FormField("text", "Tag")], disabled: off("can_add_tag"))
    guard !tags.isEmpty else { return [add] }
    let choices = tags.map { FormField.Choice($0.id, $0.text) }
    let which = FormField("id", "Which", .choice(choices), initial: choices[0].value)
    return [add, Action("remove-tag", "Remove a tag", fields: [which], disabled: off("can_delete_tag"))]
  }

  func tagAccount(
    _ action: String, _ location: Location, _ account: AccountID, _ form: ActionForm
  ) async throws(ServiceError) -> ActionOutcome {
    let removes = action == "remove-tag"
    let value = try form.text(removes ? "id" : "text")
    return try await client.look(at: account, through: location.view, form.operation) {
      (lens) async throws(ServiceError) in
      let path = OpenBankBackend.tagsPath(lens)
      guard !removes else {
        _ = try await client.send(path + OpenBankClient.path(value), method: "DELETE", form.operation)
        return ActionOutcome("The tag is removed.", location: location)
      }
      _ = try await client.send(path, method: "POST", body: ["value": .string(value)], form.operation)
      return ActionOutcome("Tagged “\(value)”.", location: location)
    }
  }
}
