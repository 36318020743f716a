import JSON
import Model
import Wire

/// The calls behind both the kit and the browser, with the answers as they came.
extension OpenBankClient {
  func banksAnswer() async throws(ServiceError) -> OpenBankAnswer {
    try await send("/banks", for: .anybodyKnownOrNot, "load the banks")
  }

  func bankAnswer(_ bank: String) async throws(ServiceError) -> OpenBankAnswer {
    try await send(OpenBankClient.path("banks", bank), for: .anybodyKnownOrNot, "open the bank \(bank)")
  }

  /// A list of accounts; remembers the views it names.
  ///
  /// - Parameter bank: nil for all banks.
  func accountsAnswer(
    bank: String?, _ which: OpenBankPlace.Accounts, _ operation: String
  ) async throws(ServiceError) -> OpenBankAnswer {
    let base = bank.map { OpenBankClient.path("banks", $0) } ?? ""
    let answer: OpenBankAnswer
    switch which {
    case .open:
      answer = try await send("\(base)/accounts/public", for: .anybodyKnownOrNot, operation)
    case .held:
      answer = try await send("\(base)/accounts-held", operation)
    case .closed where bank == nil:
      // Of version 1.2.1, and served again by every later one.
      answer = try await send("/accounts/private", operation)
    case .mine where bank == nil:
      answer = try await send("/my/accounts", operation)
    case .mine, .closed:
      answer = try await privateAccounts(base, operation)
    }
    for element in try answer.elements("accounts", orBare: true) {
      let account = Account(element, bank: bank ?? "")
      remember(account.views, of: account.id)
    }
    return answer
  }

  /// The oldest servers know the list without its second word only.
  private func privateAccounts(_ base: String, _ operation: String) async throws(ServiceError) -> OpenBankAnswer {
    do {
      return try await send("\(base)/accounts/private", operation)
    } catch {
      guard error.serverCode == "OBP-10404" else { throw error }
      return try await send("\(base)/accounts", operation)
    }
  }

  /// - Returns: The account in the shape of the lens's call, and the lens.
  func accountAnswer(
    _ account: AccountID, through view: String?, _ operation: String
  ) async throws(ServiceError) -> (answer: OpenBankAnswer, lens: AccountLens) {
    try await look(at: account, through: view, operation) { (lens) async throws(ServiceError) in
      let isModern = version >= APIVersion(3, 0, 0)
      let path = lens.isOwner ? lens.ownPath : lens.isPublic && isModern ? lens.publicPath : lens.path
      return (try await send(path + "/account", for: lens.audience, operation), lens)
    }
  }

  func transactionAnswer(
    _ account: AccountID, _ id: String, through view: String?, _ operation: String
  ) async throws(ServiceError) -> (answer: OpenBankAnswer, lens: AccountLens) {
    try await look(at: account, through: view, operation) { (lens) async throws(ServiceError) in
      let path = lens.path + OpenBankClient.path("transactions", id, "transaction")
      return (
        try await send(path, for: lens.audience, version: lens.isPublic ? .lastWithPublicBookings : nil, operation),
        lens
      )
    }
  }

  func counterpartiesAnswer(
    _ lens: AccountLens, _ operation: String
  ) async throws(ServiceError) -> OpenBankAnswer {
    try await send("\(lens.path)/counterparties", operation)
  }
}

extension APIVersion {
  /// Later versions show the transactions of a public view to signed-in users only (reference, section 3.7).
  static let lastWithPublicBookings = APIVersion(2, 0, 0)
}

/// Which part of an account's transactions to ask for.
public struct TransactionPage: Sendable, Hashable {
  public var offset: Int
  public var limit: Int
  public var isAscending: Bool
  /// Booked at this moment or later; nil for all.
  public var from: Timestamp?
  /// Booked at this moment or before; nil for all.
  public var to: Timestamp?

  public init(
    offset: Int = 0, limit: Int = 50, isAscending: Bool = false, from: Timestamp? = nil, to: Timestamp? = nil
  ) {
    self.offset = offset
    self.limit = limit
    self.isAscending = isAscending
    self.from = from
    self.to = to
  }

  /// The parameters by their bare names.
  var parameters: [(name: String, value: String)] {
    var list = [(name: "limit", value: String(limit)), (name: "offset", value: String(offset))]
    list.append((name: "sort_direction", value: isAscending ? "ASC" : "DESC"))
    if let from { list.append((name: "from_date", value: TransactionPage.filterDate(from))) }
    if let to { list.append((name: "to_date", value: TransactionPage.filterDate(to))) }
    return list
  }

  /// Filters must have milliseconds, even when they are zero (reference, section 5).
  static func filterDate(_ time: Timestamp) -> String {
    let text = time.rfc3339
    return text.contains(".") ? text : text.dropLast() + ".000Z"
  }
}

extension OpenBankClient {
  /// Transactions, newest first unless told otherwise.
  ///
  /// The parameters go out twice, in the query and as headers: core lists read only the one, full lists only the other.
  ///
  /// - Parameter isFull: Whether notes are wanted too, which the owner's own shorter list leaves out.
  func transactionsAnswer(
    _ account: AccountID, through view: String?, _ page: TransactionPage, isFull: Bool = false, _ operation: String
  ) async throws(ServiceError) -> (answer: OpenBankAnswer, lens: AccountLens) {
    let headers = page.parameters.map { (name: "obp_\($0.name)", value: $0.value) }
    return try await look(at: account, through: view, operation) { (lens) async throws(ServiceError) in
      let answer = try await send(
        (lens.isOwner && !isFull ? lens.ownPath : lens.path) + "/transactions", query: page.parameters,
        headers: headers,
        for: lens.audience, version: lens.isPublic ? .lastWithPublicBookings : nil, operation)
      return (answer, lens)
    }
  }
}
