import JSON
import Model
import Wire

/// The kit: what a person with accounts needs, as typed values.
extension OpenBankClient {
  /// Every bank of the server; needs nobody to be signed in.
  public func banks() async throws(ServiceError) -> [Bank] {
    try await banksAnswer().elements("banks").map { Bank($0) }
  }

  public func bank(_ id: String) async throws(ServiceError) -> Bank { Bank(try await bankAnswer(id).root) }

  /// The accounts of the user.
  ///
  /// - Parameter bank: nil for all banks.
  /// - Returns: What the list says, which is neither number nor balance: see `account(_:through:)`.
  public func accounts(at bank: String? = nil) async throws(ServiceError) -> [Account] {
    let answer = try await accountsAnswer(bank: bank, .mine, "load the accounts")
    return try answer.elements("accounts", orBare: true).map { Account($0, bank: bank ?? "") }
  }

  /// Accounts that anybody may look at; empty where the server permits none.
  public func publicAccounts(at bank: String? = nil) async throws(ServiceError) -> [Account] {
    let answer = try await accountsAnswer(bank: bank, .open, "load the public accounts")
    return try answer.elements("accounts", orBare: true).map { Account($0, bank: bank ?? "") }
  }

  /// One account in full.
  ///
  /// - Parameter view: Which view to look through; nil for the owner's or, without it, the first that is held.
  public func account(_ id: AccountID, through view: String? = nil) async throws(ServiceError) -> Account {
    Account(try await accountAnswer(id, through: view, "open the account \(id.account)").answer.root, bank: id.bank)
  }

  /// A page of transactions, ordered by when they were booked.
  ///
  /// The server counts nothing and names no next page: ask for one more than you show.
  public func transactions(
    of account: AccountID, through view: String? = nil, _ page: TransactionPage = TransactionPage()
  ) async throws(ServiceError) -> [Transaction] {
    let operation = "load the transactions of \(account.account)"
    return try await transactionsAnswer(account, through: view, page, operation).answer.elements("transactions")
      .map { Transaction($0) }
  }

  public func transaction(
    _ id: String, of account: AccountID, through view: String? = nil
  ) async throws(ServiceError) -> Transaction {
    Transaction(try await transactionAnswer(account, id, through: view, "open the transaction \(id)").answer.root)
  }

  public func counterparties(
    of account: AccountID, through view: String? = nil
  ) async throws(ServiceError) -> [Counterparty] {
    let operation = "load the counterparties of \(account.account)"
    return try await look(at: account, through: view, operation) { (lens) async throws(ServiceError) in
      try await counterpartiesAnswer(lens, operation).elements("counterparties").map { Counterparty($0) }
    }
  }

  /// Makes a payment, once; above the server's threshold it waits for the answer to its `challenge`.
  public func pay(
    _ payment: Payment, from account: AccountID, through view: String? = nil
  ) async throws(ServiceError) -> PaymentRequest {
    let operation = "pay \(payment.amount)"
    return try await look(at: account, through: view, operation) { (lens) async throws(ServiceError) in
      try await pay(payment, lens, operation)
    }
  }

  /// Answers the challenge of a payment.
  public func answer(
    _ challenge: PaymentRequest.Challenge, of payment: PaymentRequest, from account: AccountID,
    through view: String? = nil, with answer: Secret
  ) async throws(ServiceError) -> PaymentRequest {
    let operation = "confirm the payment \(payment.id)"
    return try await look(at: account, through: view, operation) { (lens) async throws(ServiceError) in
      try await self.answer(challenge, of: payment, type: payment.type ?? "", with: answer, lens, operation)
    }
  }

  public func currentUser() async throws(ServiceError) -> CurrentUser {
    CurrentUser(try await send("/users/current", "ask who you are").root)
  }
}

/// The same with a completion that arrives on the main actor; cancelling the task ends the work.
extension OpenBankClient {
  @discardableResult
  public func banks(_ completion: @escaping Completion<[Bank]>) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.banks() }
  }

  @discardableResult
  public func bank(_ id: String, _ completion: @escaping Completion<Bank>) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.bank(id) }
  }

  @discardableResult
  public func accounts(at bank: String? = nil, _ completion: @escaping Completion<[Account]>) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.accounts(at: bank) }
  }

  @discardableResult
  public func publicAccounts(
    at bank: String? = nil, _ completion: @escaping Completion<[Account]>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.publicAccounts(at: bank) }
  }

  @discardableResult
  public func account(
    _ id: AccountID, through view: String? = nil, _ completion: @escaping Completion<Account>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.account(id, through: view) }
  }

  @discardableResult
  public func transactions(
    of account: AccountID, through view: String? = nil, _ page: TransactionPage = TransactionPage(),
    _ completion: @escaping Completion<[Transaction]>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in
      try await self.transactions(of: account, through: view, page)
    }
  }

  @discardableResult
  public func transaction(
    _ id: String, of account: AccountID, through view: String? = nil, _ completion: @escaping Completion<Transaction>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in
      try await self.transaction(id, of: account, through: view)
    }
  }

  @discardableResult
  public func counterparties(
    of account: AccountID, through view: String? = nil, _ completion: @escaping Completion<[Counterparty]>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in
      try await self.counterparties(of: account, through: view)
    }
  }

  @discardableResult
  public func pay(
    _ payment: Payment, from account: AccountID, through view: String? = nil,
    _ completion: @escaping Completion<PaymentRequest>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in
      try await self.pay(payment, from: account, through: view)
    }
  }

  @discardableResult
  public func currentUser(_ completion: @escaping Completion<CurrentUser>) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.currentUser() }
  }

  @discardableResult
  public func answer(
    _ challenge: PaymentRequest.Challenge, of payment: PaymentRequest, from account: AccountID,
    through view: String? = nil, with answer: Secret, _ completion: @escaping Completion<PaymentRequest>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in
      try await self.answer(challenge, of: payment, from: account, through: view, with: answer)
    }
  }

  @discardableResult
  public func call(
    _ call: RawCall, to sink: any ByteSink, _ completion: @escaping Completion<RawReply>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.call(call, to: sink) }
  }

  @discardableResult
  public func probe(_ completion: @escaping Completion<OpenBankProbe>) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.probe() }
  }
}

extension OpenBankSession {
  /// `validate:` of OBPKit.
  @discardableResult
  public func signIn(
    _ request: SignInRequest = SignInRequest(), _ completion: @escaping Completion<SignInState>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.signIn(request) }
  }

  /// `invalidate` of OBPKit.
  @discardableResult
  public func invalidate(_ completion: @escaping Completion<Void>) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.invalidate() }
  }

  @discardableResult
  public func signOut(_ completion: @escaping Completion<Void>) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.signOut() }
  }
}
