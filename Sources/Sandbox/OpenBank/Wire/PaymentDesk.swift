import JSON

/// Takes payments in, checks them as the server does, and moves the money.
struct PaymentDesk: Sendable {
  let call: OBPCall
  let viewed: ViewedAccount

  private var account: BankAccount { viewed.account }

  func theRequest() throws(OBPError) -> PaymentRequest {
    let id = call["REQUEST_ID"]
    guard let found = call.state.read({ $0.payments[account.key]?.first { $0.id == id } }) else {
      throw OBPError(400, "OBP-40006: Transaction Request Id not found. Current id is \(id)")
    }
    return found
  }

  func create() throws(OBPError) -> PaymentRequest {
    let type = call["TYPE"]
    let known = call.version >= .v400 ? OBPRoutes.newPaymentTypes : OBPRoutes.oldPaymentTypes
    guard known.contains(type) else {
      throw OBPError(400, "OBP-40001: Invalid value for TRANSACTION_REQUEST_TYPE. Current value is \(type)")
    }
    let jsonType = "TransactionRequestBody\(type)Json"
    let body = try call.object(jsonType)
    let amount = try amount(body["value"], jsonType)
    let description = body["description"].string
    guard let description else { throw .badJSON(jsonType) }
    let (payee, target) = try payee(type, body, jsonType)
    let id = call.state.makeID()
    let isLarge = account.currency.euroCents(minor: amount) > call.profile.challengeThreshold * 100
    let user = try call.signedIn()
    // Whoever is asked for money must agree, however little it is.
    let isIncoming = type == "REFUND" && body["from"].exists
    var payment = PaymentRequest(
      id: id, type: type, view: viewed.view.id, details: body.node(), isIncoming: isIncoming, amount: amount,
      description: description,
      payee: payee, target: target?.key, status: .initiated, start: call.now)
    if isLarge || isIncoming {
      payment.challenge = .init(id: call.state.makeID(), user: user.id, made: call.now)
    } else {
      settle(&payment)
    }
    let made = payment
    call.state.write { $0.payments[account.key, default: []].append(made) }
    return made
  }

  /// A sandbox takes `123` for the right answer.
  func answer() throws(OBPError) -> PaymentRequest {
    var payment = try theRequest()
    let body = try call.object("ChallengeAnswerJSON")
    let (id, answer) = (
      try call.text("id", of: body, "ChallengeAnswerJSON"), try call.text("answer", of: body, "ChallengeAnswerJSON")
    )
    guard payment.status == .initiated else {
      throw OBPError(400, "OBP-40011: Transaction Request Status is not INITIATED.")
    }
    guard payment.type == call["TYPE"] else {
      throw OBPError(400, "OBP-40009: The TRANSACTION_REQUEST_TYPE has changed.")
    }
    guard var challenge = payment.challenge, challenge.id == id else {
      throw OBPError(400, "OBP-40010: Invalid Challenge Id. Please specify a valid value for CHALLENGE_ID.")
    }
    guard challenge.attemptsLeft > 0, challenge.made.adding(seconds: 600) > call.now else {
      throw OBPError(400, "OBP-40014: Sorry, you've used up your allowed attempts.")
    }
    if answer == "REJECT", payment.type == "REFUND" {
      payment.status = .rejected
      payment.challenge = nil
      payment.end = call.now
      replace(payment)
      return payment
    }
    if answer == "123" {
      settle(&payment)
      payment.challenge = nil
      replace(payment)
      return payment
    }
    challenge.attemptsLeft -= 1
    payment.challenge = challenge
    if challenge.attemptsLeft == 0 { payment.status = .failed }
    replace(payment)
    if challenge.attemptsLeft == 0 { throw OBPError(400, "OBP-40014: Sorry, you've used up your allowed attempts.") }
    throw OBPError(
      400,
      "OBP-40016: Invalid Challenge Answer. Please specify a valid value for answer in Json body. "
        + "\(challenge.attemptsLeft) attempts left.")
  }

  private func replace(_ payment: PaymentRequest) {
    call.state.write { contents in
      guard let place = contents.payments[account.key]?.firstIndex(where: { $0.id == payment.id }) else { return }
      contents.payments[account.key]?[place] = payment
    }
  }

  private func amount(_ value: JSONValue, _ type: String) throws(OBPError) -> Int {
    guard let code = value["currency"].string, let text = value["amount"].text else { throw .badJSON(type) }
    guard BankCurrency.isKnown(code) else {
      throw OBPError(400, "OBP-10003: Invalid Currency Value. It should be three letters ISO Currency Code.")
    }
    guard code == account.currency.code else {
      throw OBPError(400, "OBP-40003: Transaction Requests Currency must be the same as From Account Currency.")
    }
    guard let amount = account.currency.minor(text) else { throw OBPError(400, "OBP-10002: Invalid Number.") }
    guard amount > 0 else { throw OBPError(400, "OBP-40008: Can't send a payment with a value of 0 or less.") }
    return amount
  }

  private func payee(
    _ type: String, _ body: JSONValue, _ jsonType: String
  ) throws(OBPError) -> (OtherParty, BankAccount?) {
    let to = body["to"]
    switch type {
    case "COUNTERPARTY":
      try checkChargePolicy(body)
      let id = try call.text("counterparty_id", of: to, jsonType)
      guard let payee = call.bank.counterparties(of: account).first(where: { $0.id == id }) else {
        throw OBPError(
          400, "OBP-30017: Counterparty not found. Please specify a valid value for COUNTERPARTY_ID. \(id)")
      }
      guard payee.isBeneficiary else {
        throw OBPError(400, "OBP-30013: The account can not send money to the Counterparty.")
      }
      let target = call.bank.account(BankAccountKey(bank: payee.bankAddress, account: payee.accountAddress))
      return (party(named: payee.name, at: target, iban: payee.secondaryAddress), target)
    case "REFUND": return try refundParty(body, jsonType)
    case "SEPA":
      try checkChargePolicy(body)
      let iban = try call.text("iban", of: to, jsonType)
      let target = call.data.account(iban: iban)
      return (party(named: target?.holder ?? iban, at: target, iban: iban), target)
    case "SIMPLE":
      return (party(named: try call.text("name", of: to, jsonType), at: nil, iban: nil), nil)
    case "FREE_FORM":
      return (party(named: "", at: nil, iban: nil), nil)
    default:
      let key = BankAccountKey(
        bank: try call.text("bank_id", of: to, jsonType), account: try call.text("account_id", of: to, jsonType))
      guard let target = call.bank.account(key) else { throw .noAccount(key, isOld: call.isOld) }
      return (party(named: target.holder, at: target, iban: target.iban), target)
    }
  }

  /// The other side of a transaction that is to be given back, each once.
  private func refundParty(_ body: JSONValue, _ jsonType: String) throws(OBPError) -> (OtherParty, BankAccount?) {
    let id = try call.text("transaction_id", of: body["refund"], jsonType)
    guard let transaction = call.bank.book(of: account).transaction(id: id) else {
      throw OBPError(400, "OBP-30067: Transaction not found. Please specify a valid value for TRANSACTION_ID. \(id)")
    }
    let earlier = call.state.read { $0.payments[account.key] ?? [] }.filter { $0.status != .rejected }
    guard !earlier.contains(where: { $0.details["refund"]?["transaction_id"] == .string(id) }) else {
      throw OBPError(400, "OBP-30068: Transaction was already refunded. Current id is \(id)")
    }
    if let counterparty = body["from"]["counterparty_id"].string ?? body["to"]["counterparty_id"].string {
      guard let payer = call.bank.counterparties(of: account).first(where: { $0.id == counterparty }) else {
        throw OBPError(
          400, "OBP-30017: Counterparty not found. Please specify a valid value for COUNTERPARTY_ID. \(counterparty)")
      }
      let target = call.bank.account(BankAccountKey(bank: payer.bankAddress, account: payer.accountAddress))
      return (party(named: payer.name, at: target, iban: payer.secondaryAddress), target)
    }
    let to = body["to"]
    guard to["bank_id"].exists else { return (transaction.party, nil) }
    let key = BankAccountKey(
      bank: try call.text("bank_id", of: to, jsonType), account: try call.text("account_id", of: to, jsonType))
    guard let target = call.bank.account(key) else { throw .noAccount(key, isOld: call.isOld) }
    return (party(named: target.holder, at: target, iban: target.iban), target)
  }

  private func checkChargePolicy(_ body: JSONValue) throws(OBPError) {
    guard let policy = body["charge_policy"].string, ["SHARED", "SENDER", "RECEIVER"].contains(policy) else {
      throw OBPError(400, "OBP-40013: Invalid Charge Policy. Please specify a valid value: SHARED, SENDER or RECEIVER.")
    }
  }

  private func party(named name: String, at target: BankAccount?, iban: String?) -> OtherParty {
    OtherParty(
      id: call.state.makeID(), holder: name, number: target?.number ?? "", iban: iban, kind: target?.type ?? "",
      bank: target?.bank)
  }

  /// Books the payment on this account and, if the payee is here and counts in the same currency, on the payee's.
  private func settle(_ payment: inout PaymentRequest) {
    let id = call.state.makeID()
    let amount = payment.isIncoming ? payment.amount : -payment.amount
    book(payment.payee, on: account.key, id: id, amount: amount, payment)
    let target = payment.target.flatMap { call.bank.account($0) }
    if let target, target.currency == account.currency {
      let sender = party(named: account.holder, at: account, iban: account.iban)
      book(sender, on: target.key, id: call.state.makeID(), amount: -amount, payment)
    }
    payment.transactionID = id
    payment.status = .completed
    payment.end = call.now
  }

  private func book(_ party: OtherParty, on key: BankAccountKey, id: String, amount: Int, _ payment: PaymentRequest) {
    let transaction = BankTransaction(
      id: id, amount: amount, balance: 0, completed: call.now, posted: call.now, type: payment.type,
      description: payment.description, party: party)
    call.state.write { contents in
      var added = contents.added[key] ?? []
      let place = added.firstIndex { $0.completed <= transaction.completed } ?? added.endIndex
      added.insert(transaction, at: place)
      contents.added[key] = added
    }
  }
}
