import HTTPServer
import JSON

/// Transactions, listed and one by one; reference obp.md, section 3.7.
extension OBPRoutes {
  mutating func addTransactions() {
    let full = "/banks/BANK_ID/accounts/ACCOUNT_ID/VIEW_ID/transactions"
    let core = "/my/banks/BANK_ID/accounts/ACCOUNT_ID/transactions"
    let get = "Get Transactions for Account"
    add(.v121, "GET", full, .open, "getTransactionsForBankAccount", get) { call throws(OBPError) in
      try call.transactions(.old, try call.theViewedAccount(), try call.queryFromHeaders())
    }
    add(.v200, "GET", core, .user, "getCoreTransactionsForBankAccount", get) { call throws(OBPError) in
      try call.transactions(.oldCore, try call.myAccount(), try call.queryFromHeaders())
    }
    add(.v300, "GET", full, .user, "getTransactionsForBankAccount", get) { call throws(OBPError) in
      try call.transactions(.full, try call.theViewedAccount(), try call.queryFromHeaders())
    }
    add(.v300, "GET", core, .user, "getCoreTransactionsForBankAccount", get) { call throws(OBPError) in
      try call.transactions(.core, try call.myAccount(), try call.queryFromURL())
    }
    add(.v600, "GET", full, .user, "getTransactionsForBankAccount", get) { call throws(OBPError) in
      try call.transactions(.renamed, try call.theViewedAccount(), try call.queryFromHeaders())
    }
    let one = full + "/TRANSACTION_ID"
    add(.v121, "GET", one + "/transaction", .open, "getTransactionById", "Get Transaction") { call throws(OBPError) in
      try call.transaction(.old)
    }
    add(.v310, "GET", one + "/transaction", .user, "getTransactionById", "Get Transaction") { call throws(OBPError) in
      try call.transaction(.full)
    }
    add(.v600, "GET", one + "/transaction", .user, "getTransactionById", "Get Transaction") { call throws(OBPError) in
      try call.transaction(.renamed)
    }
    add(.v121, "GET", one + "/other_account", .user, "getOtherAccountForTransaction", "Get Other Account") {
      call throws(OBPError) in
      let viewed = try call.theViewedAccount()
      let party = try call.theTransaction(viewed).party
      let writer = TransactionWriter(.old, viewed, bank: call.bank, hostname: call.hostname)
      return OBPReply(body: .written { writer.write(party, to: &$0) })
    }
    add(.v200, "GET", "/banks/BANK_ID/transaction-types", .open, "getTransactionTypes", "Get Transaction Types") {
      call throws(OBPError) in .ok(call.transactionTypes(try call.theBank()))
    }
  }
}

extension OBPCall {
  fileprivate func transactions(
    _ shape: TransactionWriter.Shape, _ viewed: ViewedAccount, _ query: TransactionQuery
  ) throws(OBPError) -> OBPReply {
    let page = bank.book(of: viewed.account).page(query)
    let writer = TransactionWriter(shape, viewed, bank: bank, hostname: hostname)
    let body = OBPReply.Body.written { json in
      json.beginObject()
      json.key("transactions")
      json.beginArray()
      for transaction in page { writer.write(transaction, to: &json) }
      json.endArray()
      json.endObject()
    }
    return OBPReply(body: body, range: (query.offset, query.limit))
  }

  /// Any account of the bank, seen through a view whether the asker holds it or not.
  func firehoseTransactions() throws(OBPError) -> OBPReply {
    let account = try theAccount()
    let view = BankView.system.first { $0.id == self["VIEW_ID"] } ?? .auditor
    return try transactions(.full, ViewedAccount(account: account, view: view), try queryFromURL())
  }

  fileprivate func transaction(_ shape: TransactionWriter.Shape) throws(OBPError) -> OBPReply {
    let viewed = try theViewedAccount()
    let transaction = try theTransaction(viewed)
    let writer = TransactionWriter(shape, viewed, bank: bank, hostname: hostname)
    return OBPReply(body: .written { writer.write(transaction, to: &$0) })
  }

  func theTransaction(_ viewed: ViewedAccount) throws(OBPError) -> BankTransaction {
    let id = self["TRANSACTION_ID"]
    guard let transaction = bank.book(of: viewed.account).transaction(id: id) else { throw .noTransaction(id) }
    return transaction
  }

  /// Full lists read request headers only, plain names before prefixed ones.
  fileprivate func queryFromHeaders() throws(OBPError) -> TransactionQuery {
    try transactionQuery { request.header($0) ?? request.header("obp_\($0)") }
  }

  /// Core lists read the URL only, plain names only.
  fileprivate func queryFromURL() throws(OBPError) -> TransactionQuery {
    try transactionQuery { request.query($0) }
  }

  private func transactionQuery(_ value: (String) -> String?) throws(OBPError) -> TransactionQuery {
    var query = TransactionQuery()
    if let direction = value("sort_direction") {
      guard ["ASC", "DESC"].contains(direction.uppercased()) else {
        throw Self.badQuery("OBP-10023: obp_sort_direction parameter can only take two values: DESC or ASC!")
      }
      query.isAscending = direction.uppercased() == "ASC"
    }
    if let limit = value("limit") {
      guard let number = Int(limit), number >= 1 else {
        throw Self.badQuery(
          "OBP-10025: wrong value for obp_limit parameter. Please send a positive integer (=>1)!")
      }
      query.limit = number
    }
    if let offset = value("offset") {
      guard let number = Int(offset), number >= 0 else {
        throw Self.badQuery(
          "OBP-10024: wrong value for obp_offset parameter. Please send a positive integer (=>0)!")
      }
      query.offset = number
    }
    query.from = try date(value("from_date"))
    query.to = try date(value("to_date"))
    return query
  }

  /// Milliseconds are required; without them the server refuses.
  private func date(_ text: String?) throws(OBPError) -> SandboxTime? {
    guard let text else { return nil }
    guard text.utf8.count >= 24, text.contains("."), let time = SandboxTime(iso: text) else {
      throw Self.badQuery(
        "OBP-10026: Failed to parse date string. Please use this format yyyy-MM-dd'T'HH:mm:ss.SSS'Z'!")
    }
    return time
  }

  private static func badQuery(_ text: String) -> OBPError {
    OBPError(400, "OBP-10016: Invalid filter parameters in the request. <- \(text)")
  }

  fileprivate func transactionTypes(_ bank: Bank) -> JSONNode {
    let types = [("SEPA", "Payment within the euro area"), ("SANDBOX_TAN", "Payment within this server")]
    return [
      "transaction_types": .list(types) { code, summary in
        [
          "id": ["value": .string("\(bank.id)-\(code)")], "bank_id": .string(bank.id), "short_code": .string(code),
          "summary": .string(summary), "description": .string(summary),
          "charge": .money(bank.currencies[0], BankCurrency.named(bank.currencies[0])?.text(0)),
        ]
      }
    ]
  }
}
