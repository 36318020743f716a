import Model

/// A listing of transactions as statements need it: every row with its amount and its day, in one currency.
struct StatementLines: Sendable {
  struct Line: Sendable {
    let id: String
    let booked: Timestamp
    let amount: Money
    let balance: Money?
    let counterparty: String
    let description: String
  }

  let lines: [Line]
  let currency: String
  /// Bank and account, as the listing's place names them.
  let bank: String
  let account: String

  /// - Throws: `.failed` where the view hides what a statement cannot do without, or the currencies differ.
  init(_ listing: Listing, _ operation: String) throws(ServiceError) {
    var lines: [Line] = []
    var missing = 0
    for row in listing.rows {
      guard case .money(let amount) = listing.value("amount", in: row),
        case .time(let booked) = listing.value("completed", in: row)
      else {
        missing += 1
        continue
      }
      let balance: Money? = if case .money(let money) = listing.value("balance", in: row) { money } else { nil }
      lines.append(
        Line(
          id: listing.value("id", in: row).exactText, booked: booked, amount: amount, balance: balance,
          counterparty: listing.value("counterparty", in: row).exactText,
          description: listing.value("description", in: row).exactText))
    }
    guard missing == 0 else {
      throw ServiceError(
        .failed, operation, detail: "\(missing) of \(listing.rows.count) transactions show no amount or no date",
        remedy: "Look through a view that shows them, or export CSV.")
    }
    let currencies = Set(lines.map(\.amount.currency))
    guard currencies.count < 2 else {
      throw ServiceError(
        .failed, operation,
        detail: "a statement has one currency, and these are \(currencies.sorted().joined(separator: ", "))",
        remedy: "Export CSV.")
    }
    self.lines = lines
    currency = currencies.first ?? ""
    let path = listing.location.path
    bank = path.count > 1 ? path[1] : ""
    account = path.count > 3 ? path[3] : ""
  }
}

extension OpenBankBackend {
  public func exportFormats(of location: Location) -> [ExportFormat] {
    guard case .accountList(_, .transactions) = try? OpenBankPlace(location) else { return [] }
    let clock = surroundings.clock
    return [
      ExportFormat(id: "ofx", title: "OFX 2", suffix: "ofx") { listing throws(ServiceError) in
        OFXStatement(try StatementLines(listing, "export \(listing.location)"), made: clock.now()).bytes
      },
      ExportFormat(id: "qif", title: "QIF", suffix: "qif") { listing throws(ServiceError) in
        QIFStatement.bytes(try StatementLines(listing, "export \(listing.location)"))
      },
    ]
  }
}
