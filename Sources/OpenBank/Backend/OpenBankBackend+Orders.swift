import JSON
import Model

/// Standing orders, direct debits, and the question whether there is enough; the server lists none of them.
extension OpenBankBackend {
  func standingOrderFields(_ currency: String) -> [FormField] {
    let often = ["DAILY", "WEEKLY", "MONTHLY", "QUARTERLY", "YEARLY"]
    return [
      FormField("counterparty", "Counterparty", hint: "id of a counterparty"),
      FormField("amount", "Amount", .amount(currency: currency)),
      FormField(
        "frequency", "How often", .choice(often.map { .init($0, $0.lowercased()) }), initial: "MONTHLY"),
      FormField("detail", "When exactly", isRequired: false, hint: "LAST_DAY"),
    ] + OpenBankBackend.termFields
  }

  static let mandateFields = [FormField("counterparty", "Counterparty", hint: "id of a counterparty")] + termFields

  private static let termFields = [
    FormField("starts", "From the day", .date), FormField("expires", "Until the day", .date, isRequired: false),
    FormField("customer", "Customer", isRequired: false, hint: "your customer id; found by itself where there is one"),
  ]

  /// What both orders have in common: for whom, for whose customer, from when to when.
  private func order(_ account: AccountID, _ form: ActionForm) async throws(ServiceError) -> JSONNode {
    guard let starts = try form.day("starts") else {
      throw ServiceError(.usage, form.operation, detail: "“starts” is missing", remedy: "Give it as starts=2026-01-31.")
    }
    let expires = try form.day("expires")
    guard expires.map({ $0 >= starts }) ?? true else {
      throw ServiceError(.usage, form.operation, detail: "it would end before it begins")
    }
    let user = try await client.currentUser()
    var customer = form.optional("customer")
    if customer == nil { customer = try await customerID(at: account.bank) }
    // Times in bodies are safe in seconds only (reference, section 5).
    let moment: (String) -> JSONNode = { .string("\($0)T00:00:00Z") }
    var body: JSONNode = [
      "customer_id": .string(customer ?? ""), "user_id": .string(user.id ?? ""),
      "counterparty_id": .string(try form.text("counterparty")),
      "date_signed": moment(surroundings.clock.now().dateText), "date_starts": moment(starts),
    ]
    if let expires { body["date_expires"] = moment(expires) }
    return body
  }

  private func customerID(at bank: String) async throws(ServiceError) -> String? {
    do {
      let answer = try await client.send("/users/current/customers", "ask for your customer number")
      return try answer.elements("customers").first { $0["bank_id"].string == bank }?["customer_id"].string
    } catch {
      guard error.code != .signInNeeded, error.code != .cancelled else { throw error }
      return nil
    }
  }

  func setUpStandingOrder(
    _ location: Location, _ account: AccountID, _ form: ActionForm
  ) async throws(ServiceError) -> ActionOutcome {
    let (answer, lens) = try await client.accountAnswer(account, through: location.view, form.operation)
    let amount = try form.amount("amount", in: Account(answer.root).currency ?? "")
    var body = try await order(account, form)
    body["amount"] = ["currency": .string(amount.currency), "amount": .string(amount.decimalText)]
    body["when"] = [
      "frequency": .string(form.optional("frequency") ?? "MONTHLY"), "detail": .string(form.optional("detail") ?? ""),
    ]
    let made = try await client.send("\(lens.path)/standing-order", method: "POST", body: body, form.operation)
    let id = made.root["standing_order_id"].string.map { " Its number is \($0)." } ?? ""
    return ActionOutcome("The standing order of \(amount) is set up.\(id)", location: location)
  }

  func permitDirectDebit(
    _ location: Location, _ account: AccountID, _ form: ActionForm
  ) async throws(ServiceError) -> ActionOutcome {
    let body = try await order(account, form)
    return try await client.look(at: account, through: location.view, form.operation) {
      (lens) async throws(ServiceError) in
      let made = try await client.send("\(lens.path)/direct-debit", method: "POST", body: body, form.operation)
      let id = made.root["direct_debit_id"].string.map { " Its number is \($0)." } ?? ""
      return ActionOutcome("The direct debit is permitted.\(id)", location: location)
    }
  }

  func askForFunds(
    _ location: Location, _ account: AccountID, _ form: ActionForm
  ) async throws(ServiceError) -> ActionOutcome {
    let (answer, lens) = try await client.accountAnswer(account, through: location.view, form.operation)
    let amount = try form.amount("amount", in: Account(answer.root).currency ?? "")
    let reply = try await client.send(
      "\(lens.path)/funds-available", query: [("amount", amount.decimalText), ("currency", amount.currency)],
      form.operation)
    let isEnough = reply.root["answer"].string == "yes"
    return ActionOutcome(isEnough ? "There is enough for \(amount)." : "There is not enough for \(amount).")
  }
}
