import JSON
import Model

extension OpenBankBackend {
  public func perform(
    _ action: String, at location: Location, fields: [String: String]
  ) async throws(ServiceError) -> ActionOutcome {
    let form = ActionForm(fields: fields, operation: location.doing(action))
    let place = try OpenBankPlace(location)
    // What only asks is for everybody; an endpoint decides for itself whether it is one that writes.
    if case .api(.endpoint) = place, action == "try" { return try await attempt(location, place, form) }
    if case .api(.trial) = place, action == "try" { return try await attempt(location, place, form) }
    if case .account(let account) = place, action == "funds" { return try await askForFunds(location, account, form) }
    if action == "probe", place == .root || place == .api(.information) { return try await probe(location) }
    if case .accountList(_, .transactions) = place, action == "narrow" {
      return try TransactionFilter.narrowed(location, form)
    }
    if case .bankList(_, let list) = place, action == "near", list == .branches || list == .atms {
      return try Nearness.narrowed(location, form)
    }
    if let noWriting { throw ServiceError(isAnonymous ? .signInNeeded : .readOnly, form.operation, detail: noWriting) }
    try await client.settleVersion()
    switch place {
    case .accounts(let bank?, .mine) where action == "open-account":
      return try await openAccount(location, bank, form)
    case .account(let account): return try await perform(action, location, account, form)
    case .accountList(let account, let list): return try await perform(action, location, account, list, form)
    case .accountThing(let account, let list, let id):
      return try await perform(action, location, account, list, id, form)
    case .me, .own:
      guard action == "request-role" else { break }
      return try await requestRole(location, form)
    case .consent(let bank, let id) where action == "revoke":
      return try await revoke(location, bank, id, form.operation)
    case .user(let id), .roles(let id): return try await changeRoles(action, of: id, at: location, form)
    case .api(.endpoint(let id)):
      switch action {
      case "favorite", "unfavorite":
        return try await mark(id, as: action == "favorite", at: location, form.operation)
      case "request-role": return try await requestRole(location, form)
      default: break
      }
    default: break
    }
    throw .notOffered("do “\(action)” at \(location)", "there is no such action here")
  }

  private func perform(
    _ action: String, _ location: Location, _ account: AccountID, _ form: ActionForm
  ) async throws(ServiceError) -> ActionOutcome {
    switch action {
    case "pay": try await pay(location, account, form)
    case "rename": try await rename(location, account, form)
    case "standing-order": try await setUpStandingOrder(location, account, form)
    case "direct-debit": try await permitDirectDebit(location, account, form)
    case "tag", "remove-tag": try await tagAccount(action, location, account, form)
    default: throw .notOffered("do “\(action)” at \(location)", "there is no such action here")
    }
  }

  private func perform(
    _ action: String, _ location: Location, _ account: AccountID, _ list: OpenBankPlace.AccountList, _ form: ActionForm
  ) async throws(ServiceError) -> ActionOutcome {
    switch (list, action) {
    case (.counterparties, "create"): try await createCounterparty(location, account, form)
    case (.views, "create"): try await createView(location, account, form)
    default: throw .notOffered("do “\(action)” at \(location)", "there is no such action here")
    }
  }

  private func perform(
    _ action: String, _ location: Location, _ account: AccountID, _ list: OpenBankPlace.AccountList, _ id: String,
    _ form: ActionForm
  ) async throws(ServiceError) -> ActionOutcome {
    switch (list, action) {
    case (.counterparties, "pay"):
      // The place says whom to pay; only the amount must be given.
      let known = ["type": PaymentType.counterparty.rawValue, "counterparty": id]
      let fields = known.merging(form.fields) { $1 }
      return try await pay(location, account, ActionForm(fields: fields, operation: form.operation))
    case (.counterparties, "delete"): return try await delete(location)
    case (.transactions, "refund"): return try await refund(location, account, id, form)
    case (.requests, "reject"): return try await rejectRefund(location, account, id, form)
    case (.requests, "answer-challenge"): return try await answerChallenge(location, account, id, form)
    case (.transactions, _): return try await note(action, account, id, at: location, form)
    case (.others, _): return try await noteParty(action, account, id, at: location, form)
    case (.views, _): return try await changeView(action, account, id, at: location, form)
    default: throw .notOffered("do “\(action)” at \(location)", "there is no such action here")
    }
  }

  private func attempt(
    _ location: Location, _ place: OpenBankPlace, _ form: ActionForm
  ) async throws(ServiceError) -> ActionOutcome {
    if case .api(.trial(let number)) = place {
      guard let trial = client.trials[number] else { throw .notFound(location) }
      let fields = trial.form.merging(form.fields) { $1 }
      return try await attempt(trial.endpoint, ActionForm(fields: fields, operation: form.operation), at: location)
    }
    guard case .api(.endpoint(let id)) = place, let (_, endpoint) = try await client.endpoint(id) else {
      throw .notFound(location)
    }
    return try await attempt(endpoint, form, at: location)
  }

  public func delete(_ location: Location) async throws(ServiceError) -> ActionOutcome {
    let operation = "delete \(location)"
    let place = try OpenBankPlace(location)
    if case .accountThing(let account, .views, let id) = place {
      let form = ActionForm(fields: [:], operation: operation)
      if let noWriting { throw ServiceError(isAnonymous ? .signInNeeded : .readOnly, operation, detail: noWriting) }
      return try await changeView("delete", account, id, at: location, form)
    }
    guard case .accountThing(let account, .counterparties, let id) = place else {
      throw .notOffered(operation, "of a bank's things only counterparties and views can be deleted")
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
