import JSON
import Model

/// A payment to be made.
public struct Payment: Sendable {
  /// Where the money goes.
  public enum Recipient: Sendable, Hashable {
    case account(AccountID)
    case counterparty(id: String)
    case iban(String)
    /// Somebody without an account or an entry here (`SIMPLE`).
    case person(name: String, iban: String)
    /// Somebody who is asked to give money back: the other way round (`REFUND`).
    case payer(counterparty: String)
    case nobody
  }
  /// What is given back (`REFUND`).
  public struct Refund: Sendable, Hashable {
    /// The id of the transaction.
    public var transaction: String
    /// Why, in the bank's codes.
    public var reason: String

    public init(transaction: String, reason: String) {
      self.transaction = transaction
      self.reason = reason
    }
  }
  /// As the server names it: `SANDBOX_TAN`, `ACCOUNT`, `ACCOUNT_OTP`, `COUNTERPARTY`, `SEPA`, `SIMPLE`, `REFUND`,
  /// `FREE_FORM`.
  public var type: String
  public var recipient: Recipient
  public var amount: Money
  public var description: String
  /// `SHARED`, `SENDER` or `RECEIVER`.
  public var chargePolicy: String
  /// A day to come, `2027-01-31`; nil for at once. Of the types only `COUNTERPARTY` takes one.
  public var day: String?
  /// For `REFUND` alone.
  public var refund: Refund?

  public init(
    type: String, to recipient: Recipient, amount: Money, description: String, chargePolicy: String = "SHARED",
    on day: String? = nil, refund: Refund? = nil
  ) {
    self.day = day
    self.refund = refund
    self.type = type
    self.recipient = recipient
    self.amount = amount
    self.description = description
    self.chargePolicy = chargePolicy
  }

  var body: JSONNode {
    var node: JSONNode = [:]
    switch recipient {
    case .account(let id): node["to"] = ["bank_id": .string(id.bank), "account_id": .string(id.account)]
    case .counterparty(let id): node["to"] = ["counterparty_id": .string(id)]
    case .iban(let iban): node["to"] = ["iban": .string(iban)]
    case .person(let name, let iban):
      node["to"] = [
        "name": .string(name), "description": .string(name), "other_account_routing_scheme": "IBAN",
        "other_account_routing_address": .string(iban), "other_account_secondary_routing_scheme": "",
        "other_account_secondary_routing_address": "", "other_bank_routing_scheme": "",
        "other_bank_routing_address": "", "other_branch_routing_scheme": "", "other_branch_routing_address": "",
      ]
    case .payer(let id): node["from"] = ["counterparty_id": .string(id)]
    case .nobody: break
    }
    node["value"] = ["currency": .string(amount.currency), "amount": .string(amount.decimalText)]
    node["description"] = .string(description)
    if let day { node["future_date"] = .string(day.filter { $0 != "-" }) }
    if let refund {
      node["refund"] = ["transaction_id": .string(refund.transaction), "reason_code": .string(refund.reason)]
    }
    if ["COUNTERPARTY", "SEPA", "SIMPLE"].contains(type) { node["charge_policy"] = .string(chargePolicy) }
    return node
  }
}

extension OpenBankClient {
  /// Makes a payment. Sent once: when the answer is lost, nobody knows whether it was made, and the error says so.
  func pay(_ payment: Payment, _ lens: AccountLens, _ operation: String) async throws(ServiceError) -> PaymentRequest {
    let path = "\(lens.path)/transaction-request-types\(OpenBankClient.path(payment.type))/transaction-requests"
    do {
      return PaymentRequest(try await send(path, method: "POST", body: payment.body, operation).root)
    } catch {
      guard [.brokenOff, .timedOut, .unreadable, .serverFault, .cancelled].contains(error.code) else { throw error }
      throw ServiceError(
        error.code, operation, detail: error.detail,
        remedy: "The payment may have been made all the same: look at the account's payments before paying again.",
        status: error.status, serverCode: error.serverCode, cause: error)
    }
  }

  /// Answers the challenge of a payment, once.
  ///
  /// - Parameter reason: A code to go with the answer, from version 4.0.0 on.
  /// - Returns: The payment as it stands then. Versions before 2.1.0 send a stored form of it, so it is read again.
  func answer(
    _ challenge: PaymentRequest.Challenge, of request: PaymentRequest, type: String, with answer: Secret,
    reason: String? = nil, _ lens: AccountLens, _ operation: String
  ) async throws(ServiceError) -> PaymentRequest {
    let path =
      "\(lens.path)/transaction-request-types\(OpenBankClient.path(type))/transaction-requests"
      + OpenBankClient.path(request.id, "challenge")
    var body: JSONNode = ["id": .string(challenge.id), "answer": .string(answer.reveal())]
    if let reason { body["reason_code"] = .string(reason) }
    let reply = try await send(path, method: "POST", body: body, operation)
    let answered = PaymentRequest(reply.root)
    if version >= APIVersion(2, 1, 0), answered.status != nil { return answered }
    return try await payment(request.id, lens, operation).request ?? answered
  }

  /// One payment with the answer that holds it: a call of its own from version 4 on, before out of the list.
  func payment(
    _ id: String, _ lens: AccountLens, _ operation: String
  ) async throws(ServiceError) -> (answer: OpenBankAnswer, request: PaymentRequest?) {
    if version >= APIVersion(4, 0, 0) {
      let answer = try await send("\(lens.path)/transaction-requests\(OpenBankClient.path(id))", operation)
      return (answer, PaymentRequest(answer.root))
    }
    let answer = try await send("\(lens.path)/transaction-requests", operation)
    let all = try answer.elements("transaction_requests_with_charges", "transaction_requests")
    return (answer, all.map { PaymentRequest($0) }.first { $0.id == id })
  }
}
