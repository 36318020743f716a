import JSON
import Model

/// Pictures of an account's transactions, and of what is on the accounts.
extension OpenBankBackend {
  /// Transactions that a picture is made of, the newest ones, and rows asked for at a time.
  private static let mostDrawn = 1000
  private static let drawnPage = 250

  public func charts(of location: Location) async throws(ServiceError) -> [Chart] {
    let place = try OpenBankPlace(location)
    try await client.settleVersion()
    switch place {
    case .account(let account), .accountList(let account, .transactions):
      return try await charts(location, account)
    case .accounts(let bank, let which), .totals(let bank, let which):
      return try await charts(location, bank: bank, which)
    default: throw .notOffered("draw \(location)", "nothing there can be drawn")
    }
  }

  private func charts(_ location: Location, _ account: AccountID) async throws(ServiceError) -> [Chart] {
    let operation = "draw \(location)"
    let period = try TransactionPeriod(location, ListQuery())
    var bookings: [Transaction] = []
    var notices: [String] = []
    while bookings.count < OpenBankBackend.mostDrawn {
      let page = TransactionPage(
        offset: bookings.count, limit: OpenBankBackend.drawnPage, from: period.from, to: period.to)
      // Tags are in the full shape only.
      let (answer, _) = try await client.transactionsAnswer(
        account, through: location.view, page, isFull: true, operation)
      let found = try answer.elements("transactions").map { Transaction($0) }
      if let first = found.first, !bookings.isEmpty, first.id == bookings[0].id {
        notices.append("This server, or a proxy before it, ignores paging: only its first page is drawn.")
        break
      }
      bookings += found
      if found.count < OpenBankBackend.drawnPage { break }
    }
    if bookings.count >= OpenBankBackend.mostDrawn {
      notices.append("Of the newest \(bookings.count) transactions.")
    }
    let now = surroundings.clock.now()
    let later = bookings.count { $0.completed.map { $0 > now } ?? false }
    if later > 0 { notices.append("\(later) dated later than today \(later == 1 ? "is" : "are") left out.") }
    let charts = TransactionCharts(bookings, notices, now: now).all
    guard !charts.isEmpty else { throw .notOffered(operation, "there are no amounts to draw") }
    return charts
  }

  /// A picture for each currency, as amounts of two cannot be compared.
  private func charts(
    _ location: Location, bank: String?, _ which: OpenBankPlace.Accounts
  ) async throws(ServiceError) -> [Chart] {
    let operation = "draw \(location)"
    let (accounts, _, notices) = try await accountList(bank: bank, which, operation)
    let known = try await amounts(of: accounts, isPublic: which == .open, operation)
    var bars: [String: [(label: String, amount: Money)]] = [:]
    for account in accounts {
      guard let money = known[account.id] ?? nil else { continue }
      bars[money.currency, default: []].append((account.label ?? account.id.account, money))
    }
    guard !bars.isEmpty else { throw .notOffered(operation, "no balance is shown") }
    return bars.sorted { $0.key < $1.key }.map { currency, bars in
      let places = bars.map(\.amount.decimals).max() ?? 2
      let points = bars.compactMap { bar in
        bar.amount.units(with: places).map { Chart.Point(bar.label, $0) }
      }
      return Chart(
        "Balances in \(currency)", .bars, .money(currency: currency, decimals: places),
        [.init("Balance", points)], isPrivate: true, notices: notices)
    }
  }
}
