import JSON
import Model

/// Carrying out a payment: the form checked, the request sent once, its challenge asked for, its state followed.
extension OpenBankBackend {
  /// How often the state of a payment that is under way is asked for before it is left to itself.
  private static let looks = 4

  func pay(_ location: Location, _ account: AccountID, _ form: ActionForm) async throws(ServiceError) -> ActionOutcome {
    let operation = form.operation
    let (answer, lens) = try await client.accountAnswer(account, through: location.view, operation)
    let payment = try payment(form, currency: Account(answer.root).currency ?? "")
    return try await carryOut(payment, at: location, lens, operation)
  }

  /// Sends a payment, asks for the answer to its challenge, and follows it to its end.
  func carryOut(
    _ payment: Payment, at location: Location, _ lens: AccountLens, _ operation: String
  ) async throws(ServiceError) -> ActionOutcome {
    var request = try await client.pay(payment, lens, operation)
    let place = location.account(lens.account).below("requests").below(request.id)
    if let challenge = request.challenge, !request.isFinal {
      do {
        request = try await answered(challenge, request, payment, lens, operation)
      } catch {
        // Nobody to ask, or nobody who wants to answer now: the payment waits, and that is not lost.
        guard error.code == .cancelled || error.code == .signInNeeded, error.status == nil else { throw error }
        return ActionOutcome(
          "The payment of \(payment.amount) waits for its challenge: answer-challenge at \(place).", location: place)
      }
    }
    request = await followed(request, lens, operation)
    return ActionOutcome(OpenBankBackend.outcome(request, payment.amount), location: place)
  }

  static func outcome(_ request: PaymentRequest, _ amount: Money?) -> String {
    let what = amount.map { "The payment of \($0)" } ?? "The payment"
    let charge = request.charge.flatMap { $0.units == 0 ? nil : " Charge: \($0)." } ?? ""
    switch request.status {
    case "COMPLETED": return "\(what) is done.\(charge)"
    case let status?: return "\(what) is \(status)\(request.isFinal ? "" : " and goes on without us").\(charge)"
    case nil: return "\(what) was taken.\(charge)"
    }
  }

  private func payment(_ form: ActionForm, currency: String) throws(ServiceError) -> Payment {
    let type = try form.text("type")
    guard let known = PaymentType(rawValue: type) else {
      throw ServiceError(
        .usage, form.operation, detail: "“\(type)” is no way to pay",
        remedy: "Give type as one of \(PaymentType.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    let recipient: Payment.Recipient
    switch known {
    case .sandbox, .account, .accountWithCode:
      recipient = .account(AccountID(bank: try form.text("to_bank"), account: try form.text("to_account")))
    case .counterparty: recipient = .counterparty(id: try form.text("counterparty"))
    case .sepa: recipient = .iban(try form.text("iban").filter { !$0.isWhitespace })
    case .simple:
      recipient = .person(name: try form.text("name"), iban: try form.text("iban").filter { !$0.isWhitespace })
    case .freeForm: recipient = .nobody
    }
    return Payment(
      type: type, to: recipient, amount: try form.amount("amount", in: currency),
      description: form.optional("description") ?? "", chargePolicy: form.optional("charge_policy") ?? "SHARED",
      on: try day(known, form))
  }

  /// The day to pay on, which must be one to come.
  private func day(_ type: PaymentType, _ form: ActionForm) throws(ServiceError) -> String? {
    guard let day = try form.day("future_date") else { return nil }
    guard type == .counterparty else {
      throw ServiceError(
        .usage, form.operation, detail: "\(type.rawValue) is always paid at once",
        remedy: "Leave future_date away, or pay a COUNTERPARTY.")
    }
    guard day > surroundings.clock.now().dateText else {
      throw ServiceError(.usage, form.operation, detail: "“\(day)” is no day to come")
    }
    return day
  }

  private static let wrongAnswers: Set<String> = ["OBP-40010", "OBP-40016", "OBP-40021", "OBP-40022"]

  private func answered(
    _ challenge: PaymentRequest.Challenge, _ request: PaymentRequest, _ payment: Payment, _ lens: AccountLens,
    _ operation: String
  ) async throws(ServiceError) -> PaymentRequest {
    var left = challenge.attempts ?? 3
    var refusal: ServiceError?
    while true {
      let field = FormField("answer", "Answer", .secret, hint: "the code that the bank sent you")
      let reply = try await surroundings.asker.ask(
        Question(
          connection: connection.name, title: "Confirm the payment",
          message: "\(payment.amount): the bank asks you to confirm this payment.",
          kind: .form([field], submit: "Confirm"), attemptsLeft: left, failure: refusal?.reason))
      guard case .fields(let fields) = reply, let answer = fields["answer"] else { throw .cancelled(operation) }
      do {
        return try await client.answer(challenge, of: request, type: payment.type, with: answer, lens, operation)
      } catch {
        left -= 1
        guard left > 0, error.serverCode.map(OpenBankBackend.wrongAnswers.contains) ?? false else { throw error }
        refusal = error
      }
    }
  }

  /// Asks a few times, ever more rarely, until the payment is at its end; a failed look changes nothing.
  private func followed(_ request: PaymentRequest, _ lens: AccountLens, _ operation: String) async -> PaymentRequest {
    var request = request
    for look in 0..<OpenBankBackend.looks {
      guard !request.isFinal, request.status != "INITIATED", request.status != "NEXT_CHALLENGE_PENDING" else { break }
      do {
        try await Task.sleep(for: .milliseconds(250 << look))
        request = try await client.payment(request.id, lens, operation).request ?? request
      } catch {
        break
      }
    }
    return request
  }

  func answerChallenge(
    _ location: Location, _ account: AccountID, _ id: String, _ form: ActionForm
  ) async throws(ServiceError) -> ActionOutcome {
    let operation = form.operation
    let answer = Secret(try form.text("answer"))
    return try await client.look(at: account, through: location.view, operation) {
      (lens) async throws(ServiceError) in
      guard let request = try await client.payment(id, lens, operation).request else { throw .notFound(location) }
      guard let challenge = request.challenge, let type = request.type, !request.isFinal else {
        throw ServiceError(.failed, operation, detail: "this payment does not wait for an answer")
      }
      var done = try await client.answer(challenge, of: request, type: type, with: answer, lens, operation)
      done = await followed(done, lens, operation)
      return ActionOutcome(OpenBankBackend.outcome(done, request.amount), location: location)
    }
  }
}
