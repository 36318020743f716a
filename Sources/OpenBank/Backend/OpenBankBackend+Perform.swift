import JSON
import Model

extension OpenBankBackend {
  public func perform(
    _ action: String, at location: Location, fields: [String: String]
  ) async throws(ServiceError) -> ActionOutcome {
    let form = ActionForm(fields: fields, operation: location.doing(action))
    if let noWriting { throw ServiceError(isAnonymous ? .signInNeeded : .readOnly, form.operation, detail: noWriting) }
    let place = try OpenBankPlace(location)
    try await client.settleVersion()
    switch place {
    case .account(let account) where action == "pay": return try await pay(location, account, form)
    case .account(let account) where action == "rename": return try await rename(location, account, form)
    case .accountList(let account, .counterparties) where action == "create":
      return try await createCounterparty(location, account, form)
    case .accountThing(let account, .counterparties, let id) where action == "pay":
      // The place says whom to pay; only the amount must be given.
      let known = ["type": PaymentType.counterparty.rawValue, "counterparty": id]
      let fields = known.merging(fields) { $1 }
      return try await pay(location, account, ActionForm(fields: fields, operation: form.operation))
    case .accountThing(_, .counterparties, _) where action == "delete": return try await delete(location)
    case .accountThing(let account, .requests, let id) where action == "answer-challenge":
      return try await answerChallenge(location, account, id, form)
    case .accountThing(let account, .transactions, let id):
      return try await note(action, account, id, at: location, form)
    case .accountThing(let account, .others, let id):
      return try await alias(action, account, id, at: location, form)
    default: throw .notOffered("do “\(action)” at \(location)", "there is no such action here")
    }
  }

  public func delete(_ location: Location) async throws(ServiceError) -> ActionOutcome {
    let operation = "delete \(location)"
    guard case .accountThing(let account, .counterparties, let id) = try OpenBankPlace(location) else {
      throw .notOffered(operation, "of a bank's things only counterparties can be deleted")
    }
    if let noWriting { throw ServiceError(isAnonymous ? .signInNeeded : .readOnly, operation, detail: noWriting) }
    return try await client.look(at: account, through: location.view, operation) {
      (lens) async throws(ServiceError) in
      _ = try await client.send(lens.path + OpenBankClient.path("counterparties", id), method: "DELETE", operation)
      return ActionOutcome("The counterparty is deleted.", location: location.parent?.seen(through: location.view))
    }
  }

  private func rename(
    _ location: Location, _ account: AccountID, _ form: ActionForm
  ) async throws(ServiceError) -> ActionOutcome {
    let label = try form.text("label")
    // Older versions want all three, version 4 takes the label and leaves the rest.
    let body: JSONNode = [
      "id": .string(account.account), "label": .string(label), "bank_id": .string(account.bank),
    ]
    _ = try await client.send(
      OpenBankClient.path("banks", account.bank, "accounts", account.account), method: "POST", body: body,
      form.operation)
    return ActionOutcome("The account is called “\(label)”.", location: location)
  }

  private func createCounterparty(
    _ location: Location, _ account: AccountID, _ form: ActionForm
  ) async throws(ServiceError) -> ActionOutcome {
    let name = try form.text("name")
    let body = try counterpartyBody(name, form)
    return try await client.look(at: account, through: location.view, form.operation) {
      (lens) async throws(ServiceError) in
      let made = try await client.send("\(lens.path)/counterparties", method: "POST", body: body, form.operation)
      let id = Counterparty(made.root).id
      return ActionOutcome("“\(name)” is entered.", location: id.isEmpty ? location : location.below(id))
    }
  }

  private func counterpartyBody(_ name: String, _ form: ActionForm) throws(ServiceError) -> JSONNode {
    let description = form.optional("description") ?? ""
    guard description.count <= 36 else {
      throw ServiceError(.usage, form.operation, detail: "the description has more than 36 characters")
    }
    let iban = form.optional("iban")?.filter { !$0.isWhitespace }
    let (bank, account) = (form.optional("bank"), form.optional("account"))
    guard iban != nil || (bank != nil && account != nil) else {
      throw ServiceError(.usage, form.operation, detail: "either an IBAN or a bank and an account are needed")
    }
    let isLocal = bank != nil && account != nil
    var body: JSONNode = [
      "name": .string(name), "description": .string(description),
      "other_bank_routing_scheme": "OBP", "other_bank_routing_address": .string(bank ?? ""),
      "other_branch_routing_scheme": "", "other_branch_routing_address": "",
      "other_account_routing_scheme": .string(isLocal ? "OBP" : "IBAN"),
      "other_account_routing_address": .string(isLocal ? account ?? "" : iban ?? ""),
      "other_account_secondary_routing_scheme": .string(iban == nil ? "" : "IBAN"),
      "other_account_secondary_routing_address": .string(iban ?? ""),
      "is_beneficiary": .bool(try form.flag("beneficiary", true)), "bespoke": [],
    ]
    if client.version >= APIVersion(4, 0, 0) { body["currency"] = .string(form.optional("currency") ?? "EUR") }
    return body
  }

  public func call(_ call: RawCall, to sink: any ByteSink) async throws(ServiceError) -> RawReply {
    try await client.call(call, to: sink)
  }
}
