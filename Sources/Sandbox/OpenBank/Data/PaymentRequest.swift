import JSON

/// A payment that was asked for; OBP calls it a transaction request.
struct PaymentRequest: Sendable {
  /// What must be answered before a larger payment goes out.
  struct Challenge: Sendable {
    let id: String
    let user: String
    var attemptsLeft = 3
    let made: SandboxTime
  }

  enum Status: String, Sendable {
    case initiated = "INITIATED"
    case completed = "COMPLETED"
    case failed = "FAILED"
    case rejected = "REJECTED"
  }

  let id: String
  let type: String
  let view: String
  /// The request's body as it came.
  let details: JSONNode
  /// A refund that the other side is asked for, so that the money comes in.
  var isIncoming = false
  /// In minor units.
  let amount: Int
  let description: String
  let payee: OtherParty
  /// Where the money goes on this server; nil leaves it.
  let target: BankAccountKey?
  var transactionID: String?
  var status: Status
  let start: SandboxTime
  var end: SandboxTime?
  var challenge: Challenge?
}
