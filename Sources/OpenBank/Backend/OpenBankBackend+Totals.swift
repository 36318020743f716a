import JSON
import Model
import Wire

/// What accounts hold together: sums by currency, exact, and never across currencies.
extension OpenBankBackend {
  private static let banksAtOnce = 6

  /// The accounts of a list, and the bytes it came in where it was one answer.
  ///
  /// Accounts held are told by bank only: without one, all banks are asked.
  func accountList(
    bank: String?, _ which: OpenBankPlace.Accounts, _ operation: String
  ) async throws(ServiceError) -> (accounts: [Account], raw: RawAnswer?, notices: [String]) {
    guard bank == nil, which == .held else {
      let answer = try await client.accountsAnswer(bank: bank, which, operation)
      return (try answer.elements("accounts", orBare: true).map { Account($0, bank: bank ?? "") }, answer.raw, [])
    }
    let banks = try await client.banksAnswer().elements("banks").map { Bank($0).id }
    let client = client
    let answers = await gather(banks, atMost: OpenBankBackend.banksAtOnce) {
      bank -> Result<[Account], ServiceError> in
      do throws(ServiceError) {
        let answer = try await client.accountsAnswer(bank: bank, .held, operation)
        return .success(try answer.elements("accounts", orBare: true).map { Account($0, bank: bank) })
      } catch { return .failure(error) }
    }
    let failures = answers.compactMap { if case .failure(let error) = $0 { error } else { nil } }
    if let error = failures.first(where: { $0.code == .signInNeeded || $0.code == .cancelled }) { throw error }
    if failures.count == banks.count, let error = failures.first { throw error }
    let notices = failures.first.map { ["\(failures.count) banks did not say: \($0.reason)."] } ?? []
    return (answers.flatMap { (try? $0.get()) ?? [] }, nil, notices)
  }

  private static let totalColumns = [
    Column("currency", "Currency", .currency, rank: 0), Column("accounts", "Accounts", .integer, rank: 1),
    Column("total", "Total", .amount, rank: 0, isPrivate: true),
  ]

  func totals(
    _ location: Location, _ query: ListQuery, bank: String?, _ which: OpenBankPlace.Accounts
  ) async throws(ServiceError) -> Listing {
    let operation = "add up the accounts" + (bank.map { " at \($0)" } ?? "")
    let (accounts, _, notices) = try await accountList(bank: bank, which, operation)
    let known = try await amounts(of: accounts, isPublic: which == .open, operation)
    let sums = try CurrencySums(accounts.map { known[$0.id] ?? nil }, operation)
    let page = try LocalPages(sums.rows.count, query)
    var listing = Listing(
      location, title: "Totals by currency", columns: OpenBankBackend.totalColumns,
      rows: sums.rows[page.range].map { sum in
        Row(
          location,
          [.text(sum.total.currency), .integer(Int64(sum.count)), .money(sum.total)], opening: .nothing)
      }, next: page.next, total: .exact(sums.rows.count), notices: notices)
    if sums.hidden > 0 {
      listing.notices.append(
        "\(sums.hidden) of \(accounts.count) accounts are left out: the view that is held hides their balance.")
    }
    return listing
  }

  /// Balances by account; nil for what is hidden. One call a bank where the version has it, else one an account.
  func amounts(
    of accounts: [Account], isPublic: Bool, _ operation: String
  ) async throws(ServiceError) -> [AccountID: Money?] {
    if client.version >= APIVersion(3, 1, 0), !isPublic, !isAnonymous {
      let banks = Array(Set(accounts.map(\.bank))).sorted()
      let client = client
      let answers = await gather(banks, atMost: OpenBankBackend.banksAtOnce) {
        bank -> Result<[AccountID: Money?], ServiceError> in
        do throws(ServiceError) {
          let answer = try await client.balancesAnswer(bank, operation)
          let pairs = try answer.elements("accounts").map { (BalanceShape.id($0, bank), BalanceShape.amount($0)) }
          return .success(Dictionary(pairs) { first, _ in first })
        } catch { return .failure(error) }
      }
      var all: [AccountID: Money?] = [:]
      for answer in answers { all.merge(try answer.get()) { first, _ in first } }
      return all
    }
    let details = await gather(accounts, atMost: OpenBankBackend.banksAtOnce) { account in
      await detail(of: account, isPublic: isPublic && isAnonymous)
    }
    var all: [AccountID: Money?] = [:]
    for (account, detail) in zip(accounts, details) {
      switch detail {
      case .success(let found): all[account.id] = found.balance
      case .failure(let error) where error.code == .signInNeeded || error.code == .cancelled: throw error
      case .failure: all[account.id] = .some(nil)
      }
    }
    return all
  }

  // MARK: Balances of a bank

  private static let balanceColumns = [
    Column("id", "Account", rank: 3, isPrivate: true), Column("label", "Label", rank: 0, isPrivate: true),
    Column("type", "Kind", rank: 2), Column("balance", "Balance", .amount, rank: 0, isPrivate: true),
    Column("currency", "Currency", .currency, rank: 1), Column("iban", "IBAN", rank: 3, isPrivate: true),
  ]

  func balances(_ location: Location, _ query: ListQuery, _ bank: String) async throws(ServiceError) -> Listing {
    let operation = "load the balances at \(bank)"
    guard client.version >= APIVersion(3, 1, 0) else {
      throw .notOffered(operation, "this version of the API has no list of them: see the accounts")
    }
    let answer = try await client.balancesAnswer(bank, operation)
    var listing = try Listing.whole(
      location, "Balances at \(bank)", OpenBankBackend.balanceColumns, Array(try answer.elements("accounts")), query,
      raw: answer.raw
    ) { element in
      let id = BalanceShape.id(element, bank)
      let money = BalanceShape.amount(element)
      return Row(
        Location(connection: location.connection, path: ["banks", id.bank, "accounts", id.account]),
        [
          .text(id.account), element.value("label"), element["balances"][0].value("type"), .optional(money),
          .optional(money?.currency), .optional(Account(element).iban),
        ])
    }
    if let all = answer.root["overall_balance"].money {
      listing.notices.append("All together about \(all), converted by the bank.")
    }
    return listing
  }
}

extension OpenBankClient {
  func balancesAnswer(_ bank: String, _ operation: String) async throws(ServiceError) -> OpenBankAnswer {
    try await send(OpenBankClient.path("banks", bank) + "/balances", operation)
  }
}

/// One account in a list of balances: a single one in version 3.1, a list of them from version 4 on.
enum BalanceShape {
  static func id(_ json: JSONValue, _ bank: String) -> AccountID {
    AccountID(bank: json["bank_id"].string ?? bank, account: json.first("account_id", "id") ?? "")
  }

  static func amount(_ json: JSONValue) -> Money? {
    json["balances"][0].exists ? json["balances"][0].money : json["balance"].money
  }
}

/// Sums of amounts, one for each currency.
struct CurrencySums: Sendable {
  struct Sum: Sendable, Hashable {
    var total: Money
    var count: Int
  }

  /// By currency, in the order of their codes.
  let rows: [Sum]
  /// Amounts that are not known.
  let hidden: Int

  /// - Throws: `.failed` where a sum does not fit 64 bits.
  init(_ amounts: [Money?], _ operation: String) throws(ServiceError) {
    var sums: [String: Sum] = [:]
    for money in amounts {
      guard let money else { continue }
      let known = sums[money.currency] ?? Sum(total: Money(units: 0, decimals: 0, currency: money.currency), count: 0)
      guard let total = known.total.adding(money) else {
        throw ServiceError(.failed, operation, detail: "the sum of \(money.currency) is too large to be exact")
      }
      sums[money.currency] = Sum(total: total, count: known.count + 1)
    }
    rows = sums.values.sorted { $0.total.currency < $1.total.currency }
    hidden = amounts.count { $0 == nil }
  }
}

extension Money {
  /// The exact sum; nil where it does not fit, or the currencies differ.
  func adding(_ other: Money) -> Money? {
    guard currency == other.currency else { return nil }
    let places = max(decimals, other.decimals)
    guard let mine = units(with: places), let theirs = other.units(with: places) else { return nil }
    let (sum, isTooLarge) = mine.addingReportingOverflow(theirs)
    return isTooLarge ? nil : Money(units: sum, decimals: places, currency: currency)
  }

  /// The amount counted in units with more decimals; nil where that does not fit 64 bits.
  func units(with places: Int) -> Int64? {
    var all = units
    for _ in decimals..<max(decimals, places) {
      let (more, isTooLarge) = all.multipliedReportingOverflow(by: 10)
      if isTooLarge { return nil }
      all = more
    }
    return all
  }
}
