import JSON
import Model

/// The lists of places that are known without asking the server.
extension OpenBankBackend {
  typealias Entry = (name: String, title: String, what: String)

  static let entryColumns = [
    Column("name", "Name", rank: 0), Column("title", "Title", rank: 1), Column("description", "Description", rank: 2),
  ]

  func entries(_ location: Location, _ title: String, _ entries: [Entry]) -> Listing {
    let rows = entries.map { entry in
      Row(
        place(of: entry, in: location), [.text(entry.name), .text(entry.title), .text(entry.what)],
        opening: entry.name == "me" ? .item : .listing)
    }
    return Listing(
      location, title: title, columns: OpenBankBackend.entryColumns, rows: rows, total: .exact(rows.count))
  }

  func links(_ location: Location, _ entries: [Entry]) -> [Link] {
    entries.map { Link($0.title, place(of: $0, in: location)) }
  }

  /// Where an entry leads; nobody who is not signed in has accounts of his own.
  private func place(of entry: Entry, in location: Location) -> Location {
    switch entry.name {
    case "accounts" where isAnonymous: return location.appending("accounts").facet(OpenBankPlace.publicAccounts)
    case "held", "private", "public", "totals": return location.appending("accounts").facet(entry.name)
    case "all-customers": return location.appending("customers").facet(OpenBankPlace.allCustomers)
    default: return location.below(entry.name)
    }
  }

  /// The places below a bank, which must exist to have any.
  func bankContents(_ location: Location, _ bank: String) async throws(ServiceError) -> Listing {
    _ = try await client.bankAnswer(bank)
    return entries(location, bank, bankEntries)
  }

  /// The places below an account, which must exist to have any.
  func accountContents(_ location: Location, _ account: AccountID) async throws(ServiceError) -> Listing {
    try await demand(account, through: location.view)
    return entries(location, account.account, accountEntries)
  }

  /// - Throws: `.notFound` where there is no such account, as far as this user may know.
  func demand(_ account: AccountID, through view: String?) async throws(ServiceError) {
    _ = try await client.accountAnswer(account, through: view, "open the account \(account.account)")
  }

  var rootEntries: [Entry] {
    let banks: Entry = ("banks", "Banks", "every bank of this server")
    let api: Entry = ("api", "API", "the server itself: its calls to search and try, its glossary, its limits")
    if isAnonymous { return [banks, ("accounts", "Public accounts", "accounts that anybody may look at"), api] }
    return [
      banks, ("accounts", "My accounts", "your accounts at all banks"),
      ("held", "Accounts held", "accounts that are in your name, whoever may look at them"),
      ("private", "Private accounts", "accounts that you may look at and not everybody"),
      ("public", "Public accounts", "accounts that anybody may look at"),
      ("totals", "Totals", "what is on your accounts together, by currency"),
      ("cards", "My cards", "your payment cards"),
      ("me", "Me", "who you are to this server"),
      ("users", "Users", "everybody who can sign in here, for those whose role it is"), api,
    ]
  }

  var meEntries: [Entry] {
    [
      ("entitlements", "Roles", "what you may do beyond your own accounts"),
      ("requests", "Roles asked for", "what you asked for and nobody has granted yet"),
      ("consents", "Consents", "what you let others do at your banks"),
      ("consumers", "Apps", "apps that you registered with this server"),
    ]
  }

  var bankEntries: [Entry] {
    let open: [Entry] = [
      ("accounts", "Accounts", isAnonymous ? "accounts that anybody may look at" : "accounts that you may look at"),
      ("branches", "Branches", "where the bank is"), ("atms", "ATMs", "where it gives out cash"),
      ("products", "Products", "what it offers"), ("fx", "Exchange rates", "what a currency is worth in others"),
    ]
    return open + [
      ("customers", "Customers", "your records as a customer"),
      ("messages", "Messages", "what the bank wrote to you"),
      ("balances", "Balances", "what is on your accounts there"),
      ("totals", "Totals", "the same added up, by currency"),
      ("all-customers", "All customers", "everybody who is one, for those whose role it is"),
      ("cards", "All cards", "every card of the bank, for those whose role it is"),
    ]
  }

  var accountEntries: [Entry] {
    [
      ("transactions", "Transactions", "what was booked, newest first"),
      ("counterparties", "Counterparties", "payees that were entered"),
      ("other_accounts", "Other accounts", "the other sides of transactions, with aliases"),
      ("requests", "Payments", "payments and their state"), ("cards", "Cards", "cards of this account"),
      ("views", "Views", "who may see what"),
    ]
  }
}

/// Cuts a list that the server gives as a whole into pages; the cursor is the number of the next row.
struct LocalPages {
  let range: Range<Int>
  let next: String?

  init(_ count: Int, _ query: ListQuery, usual: Int? = nil) throws(ServiceError) {
    let start = try LocalPages.offset(of: query)
    let limit = query.limit ?? usual ?? count
    let end = min(count, start + max(limit, 0))
    range = min(start, count)..<max(min(start, count), end)
    next = range.upperBound < count ? String(range.upperBound) : nil
  }

  static func offset(of query: ListQuery) throws(ServiceError) -> Int {
    guard let cursor = query.cursor else { return 0 }
    let digits = cursor.prefix { $0 != ":" }
    guard let offset = Int(digits), offset >= 0 else {
      throw ServiceError(.usage, "go to the next page", detail: "“\(cursor)” is no cursor of this list")
    }
    return offset
  }
}

extension Listing {
  /// A listing whose rows all came in one answer, cut to the page that was asked for.
  static func whole(
    _ location: Location, _ title: String, _ columns: [Column], _ elements: [JSONValue], _ query: ListQuery,
    raw: RawAnswer?, actions: [Action] = [], row: (JSONValue) -> Row
  ) throws(ServiceError) -> Listing {
    let page = try LocalPages(elements.count, query)
    return Listing(
      location, title: title, columns: columns, rows: elements[page.range].map(row), next: page.next,
      total: .exact(elements.count), actions: actions, raw: raw)
  }
}
