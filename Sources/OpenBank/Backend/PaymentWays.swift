import JSON
import Model

/// The ways to pay that a form here can describe (reference, section 3.11).
enum PaymentType: String, Sendable, CaseIterable {
  case sandbox = "SANDBOX_TAN"
  case account = "ACCOUNT"
  case accountWithCode = "ACCOUNT_OTP"
  case counterparty = "COUNTERPARTY"
  case sepa = "SEPA"
  case simple = "SIMPLE"
  case freeForm = "FREE_FORM"

  var title: String {
    switch self {
    case .sandbox: "to an account on this server"
    case .account: "to an account (version 4)"
    case .accountWithCode: "to an account, with a code"
    case .counterparty: "to a counterparty"
    case .sepa: "to an IBAN"
    case .simple: "to a name and an IBAN"
    case .freeForm: "free form"
    }
  }

  var since: APIVersion {
    switch self {
    case .sandbox, .freeForm: APIVersion(2, 0, 0)
    case .counterparty, .sepa: APIVersion(2, 1, 0)
    case .account, .accountWithCode, .simple: APIVersion(4, 0, 0)
    }
  }
}

/// The ways to pay that the server offers from an account, each with its charge.
struct PaymentWays: Sendable {
  /// By the server's name, in its order; nil where it was not asked or would not say.
  private let charges: [(name: String, charge: Money?)]?
  /// Why nothing can be paid; nil when it can be tried.
  let reason: String?

  static let unknown = PaymentWays(charges: nil, reason: nil)

  private init(charges: [(name: String, charge: Money?)]?, reason: String?) {
    self.charges = charges
    self.reason = reason
  }

  /// What `GET …/transaction-request-types` answered.
  init(_ elements: JSONValue.Elements) {
    let known = elements.map { (name: $0["value"].string ?? "", charge: $0["charge"]["value"].money) }
    let isUseful = known.contains { PaymentType(rawValue: $0.name) != nil }
    self.init(
      charges: known, reason: isUseful || known.isEmpty ? nil : "this bank offers no way to pay that has a form here")
  }

  /// The server has payments switched off, or the view may not pay.
  init(refused error: ServiceError) { self.init(charges: nil, reason: error.reason) }

  func offered(by version: APIVersion) -> [PaymentType] {
    let possible = PaymentType.allCases.filter { version >= $0.since }
    guard let charges, !charges.isEmpty else { return possible }
    let named = possible.filter { type in charges.contains { $0.name == type.rawValue } }
    return named.isEmpty ? possible : named
  }

  func title(_ type: PaymentType) -> String {
    guard let charge = charges?.first(where: { $0.name == type.rawValue })?.charge, charge.units != 0 else {
      return type.title
    }
    return "\(type.title), charge \(charge)"
  }
}

extension OpenBankBackend {
  /// Asks the server which ways to pay it has; what it cannot say is left open.
  func paymentWays(_ lens: AccountLens) async throws(ServiceError) -> PaymentWays {
    guard noWriting == nil else { return .unknown }
    do {
      let answer = try await client.send("\(lens.path)/transaction-request-types", "ask how one can pay")
      return PaymentWays(answer.root["transaction_request_types"].elements)
    } catch {
      switch error.code {
      case .cancelled, .signInNeeded: throw error
      case .notOffered: return PaymentWays(refused: error)
      default: return .unknown
      }
    }
  }
}

extension AccountLens {
  /// Why an action is off: "the view “auditor” does not permit to pay".
  func lacks(_ what: String) -> String { "the view “\(view)” does not permit to \(what)" }
}
