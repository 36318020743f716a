import JSON
import Model
import Wire

extension OpenBankBackend {
  private static let transactionColumns = [
    Column("id", "Id", rank: 6), Column("completed", "Booked", .time, rank: 0, isSortable: true),
    Column("description", "Description", rank: 1), Column("counterparty", "Counterparty", rank: 1, isPrivate: true),
    Column("amount", "Amount", .amount, rank: 0, isPrivate: true), Column("currency", "Currency", .currency, rank: 2),
    Column("balance", "Balance", .amount, rank: 3, isPrivate: true), Column("type", "Type", rank: 4),
  ]
  private static let transactionPage = 50

  /// Transactions of the account, newest first; the server narrows by period and order, the rest is done here.
  func transactions(
    _ location: Location, _ query: ListQuery, _ account: AccountID
  ) async throws(ServiceError) -> Listing {
    let filter = try TransactionFilter(location)
    var listing =
      filter.isEmpty
      ? try await page(location, query, account).listing
      : try await narrowed(location, query, account, filter)
    listing.actions = [filter.action(at: location)]
    return listing
  }

  /// Looks through pages of the server until enough rows fit, or it has looked far enough for one answer.
  private func narrowed(
    _ location: Location, _ query: ListQuery, _ account: AccountID, _ filter: TransactionFilter
  ) async throws(ServiceError) -> Listing {
    let wanted = max(query.limit ?? OpenBankBackend.transactionPage, 1)
    var query = query
    query.limit = max(wanted, TransactionFilter.pageSize)
    var result: Listing?
    var seen = 0
    for _ in 0..<TransactionFilter.mostPages {
      let offset = try LocalPages.offset(of: query)
      let (page, dropped) = try await page(location, query, account)
      seen += page.rows.count
      var listing = result ?? page
      if result == nil { listing.rows = [] }
      listing.next = page.next
      for (index, row) in page.rows.enumerated() where filter.accepts(page.value("amount", in: row)) {
        listing.rows.append(row)
        guard listing.rows.count == wanted, index + 1 < page.rows.count || page.next != nil else { continue }
        listing.next = PageCursor.text(
          next: offset + dropped + index + 1, first: page.rows[0].values[0], last: row.values[0])
        listing.total = .unknown
        return listing
      }
      result = listing
      guard let next = page.next else { return listing }
      query.cursor = next
    }
    guard var listing = result else { throw .notFound(location) }
    listing.notices.append("Looked through \(seen) transactions; the next page looks further.")
    return listing
  }

  /// One page as the server has it, and how many of its rows the page before had shown.
  private func page(
    _ location: Location, _ query: ListQuery, _ account: AccountID
  ) async throws(ServiceError) -> (listing: Listing, dropped: Int) {
    let limit = max(query.limit ?? OpenBankBackend.transactionPage, 1)
    let offset = try LocalPages.offset(of: query)
    let isAscending = query.sort.map { $0.column == "completed" && !$0.isDescending } ?? false
    let period = try TransactionPeriod(location, query)
    let isFull = location.queryValue("shape") == "full"
    // One more than is shown tells whether there is a next page; the server counts nothing.
    let page = TransactionPage(
      offset: offset, limit: limit + 1, isAscending: isAscending, from: period.from, to: period.to)
    let operation = "load the transactions of \(account.account)"
    let (answer, _) = try await client.transactionsAnswer(
      account, through: location.view, page, isFull: isFull, operation)
    let elements = try answer.elements("transactions")
    // A server that ignores the limit sends more than one too many: then all of it is shown.
    let shown = elements.count == limit + 1 ? limit : elements.count
    let columns = OpenBankBackend.transactionColumns + (isFull ? OpenBankBackend.noteColumns : [])
    var listing = Listing(location, title: "Transactions", columns: columns, rows: [], raw: answer.raw)
    listing.rows.reserveCapacity(shown)
    let place = PlacesBelow(location)
    for element in elements.prefix(shown) {
      listing.rows.append(OpenBankBackend.row(Transaction(element), place, isFull: isFull))
    }
    let dropped = PageCursor(query).join(&listing, to: elements.count > limit ? offset + shown : nil)
    if query.sort?.column == "completed" { listing.sortedBy = query.sort }
    listing.filteredBy = period.filteredBy
    return (listing, dropped)
  }

  /// What only the full shape has: `?shape=full`.
  private static let noteColumns = [
    Column("narrative", "Narrative", rank: 2), Column("tags", "Tags", rank: 2), Column("comments", "Comments", rank: 3),
    Column("images", "Images", .integer, rank: 4),
  ]

  private static func row(_ transaction: Transaction, _ place: PlacesBelow, isFull: Bool) -> Row {
    let details = transaction.json["details"]
    let amount = details["value"]
    let id = transaction.id
    var values: [Value] = [
      .text(id), details["completed"].time, details.value("description"), .optional(transaction.otherSide.name),
      .optional(amount.money), amount.value("currency"), .optional(details["new_balance"].money),
      details.value("type"),
    ]
    if isFull {
      values += [
        .optional(transaction.narrative), texts(transaction.tags), texts(transaction.comments),
        .optional(transaction.images?.count),
      ]
    }
    return Row(place(id), values)
  }

  /// What people wrote; null where the view hides it.
  private static func texts(_ remarks: [Transaction.Remark]?) -> Value {
    remarks.map { .list($0.map { .text($0.text) }) } ?? .null
  }

  func transactionItem(_ location: Location, _ account: AccountID, _ id: String) async throws(ServiceError) -> Item {
    let (answer, lens) = try await client.transactionAnswer(
      account, id, through: location.view, "open the transaction \(id)")
    let transaction = Transaction(answer.root)
    let rights = try await client.rights(lens)
    let sections = [
      Item.Section("Transaction", transactionFields(transaction, id)),
      Item.Section("Other side", otherSideFields(transaction.otherSide)),
      Item.Section("Notes", noteFields(transaction)),
      Item.Section("Attributes", OpenBankBackend.attributes(answer.root["transaction_attributes"])),
    ].filter { !$0.fields.isEmpty }
    return Item(
      location, title: transaction.description ?? transaction.otherSide.name ?? id, sections: sections,
      related: [Link("Account", location.account(account), opening: .item)],
      actions: noteActions(transaction, lens, rights) + [refundAction(transaction, lens, rights)], raw: answer.raw,
      notices: HiddenFields.notices(in: answer.root, HiddenFields.transaction, view: lens.view))
  }

  private func transactionFields(_ transaction: Transaction, _ id: String) -> [Field] {
    let details = transaction.json["details"]
    return [
      Field("id", "Id", .text(id)), Field("type", "Type", .optional(transaction.type)),
      Field("description", "Description", .optional(transaction.description)),
      Field("completed", "Booked", details["completed"].time, .time),
      Field("posted", "Posted", details["posted"].time, .time),
      Field("amount", "Amount", .optional(transaction.amount), .amount, isPrivate: true),
      Field("currency", "Currency", details["value"].value("currency"), .currency),
      Field("balance", "Balance after", .optional(transaction.balance), .amount, isPrivate: true),
    ]
  }

  private func otherSideFields(_ other: OtherAccount) -> [Field] {
    let metadata = other.json["metadata"]
    var fields = [
      Field("counterparty", "Name", .optional(other.name), isPrivate: true),
      Field("counterparty_is_alias", "Is an alias", .optional(other.isAlias), .flag),
      Field("counterparty_id", "Id", .optional(other.id)),
      Field("counterparty_iban", "IBAN", .optional(other.iban), isPrivate: true),
      Field("counterparty_number", "Number", .optional(other.number), isPrivate: true),
      Field("counterparty_bank", "Bank", .optional(other.bankName)),
    ]
    let extras = [
      ("public_alias", "Public alias"), ("private_alias", "Private alias"), ("more_info", "More"),
      ("URL", "Page"), ("image_URL", "Image"), ("open_corporates_URL", "Open Corporates"),
    ]
    for (key, title) in extras where metadata[key].exists {
      fields.append(Field("counterparty_\(key)", title, metadata.value(key)))
    }
    return fields
  }

  private func noteFields(_ transaction: Transaction) -> [Field] {
    guard transaction.json["metadata"].exists else { return [] }
    let images = transaction.images.map { Value.list($0.map { .text("\($0.text) \($0.url ?? "")") }) } ?? .null
    let place = transaction.place.map { Value.text("\($0.latitude), \($0.longitude)") } ?? .null
    return [
      Field("narrative", "Narrative", .optional(transaction.narrative)),
      Field("comments", "Comments", OpenBankBackend.texts(transaction.comments)),
      Field("tags", "Tags", OpenBankBackend.texts(transaction.tags)),
      Field("images", "Images", images), Field("where", "Where", place),
    ]
  }

  static func attributes(_ list: JSONValue) -> [Field] {
    list.elements.map { element in
      let name = element["name"].string ?? ""
      return Field("attribute_\(name)", name, element.value("value"))
    }.withUniqueIDs
  }
}

/// The period a list of transactions is asked for: `?from=2026-01-01&to=2026-01-31` in the location, or a month or day
/// that the column `completed` should contain.
struct TransactionPeriod: Sendable {
  private(set) var from: Timestamp?
  private(set) var to: Timestamp?
  /// Columns whose filter the server does.
  private(set) var filteredBy: Set<String> = []

  init(_ location: Location, _ query: ListQuery) throws(ServiceError) {
    from = try TransactionPeriod.bound(location, "from", isEnd: false)
    to = try TransactionPeriod.bound(location, "to", isEnd: true)
    let days = query.filters.filter { $0.column == "completed" }.map(\.text)
    guard days.count == 1, let span = TransactionPeriod.span(of: days[0]) else { return }
    from = from.map { max($0, span.from) } ?? span.from
    to = to.map { min($0, span.to) } ?? span.to
    filteredBy = ["completed"]
  }

  private static func bound(_ location: Location, _ name: String, isEnd: Bool) throws(ServiceError) -> Timestamp? {
    guard let text = location.queryValue(name), !text.isEmpty else { return nil }
    if let span = span(of: text) { return isEnd ? span.to : span.from }
    guard let time = Timestamp(rfc3339: text) else {
      throw ServiceError(
        .usage, "list \(location)", detail: "“\(text)” is no date", remedy: "Write \(name)=2026-01-31.")
    }
    return time
  }

  /// `2026-01` or `2026-01-31`: all the moments whose text begins so. Nothing else of such a text can contain it.
  private static func span(of text: String) -> (from: Timestamp, to: Timestamp)? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), parts[0].utf8.count == 4, parts.dropFirst().allSatisfy({ $0.utf8.count == 2 }),
      let year = Int(parts[0]), let month = Int(parts[1]), (1...12).contains(month)
    else { return nil }
    let first = parts.count == 3 ? Int(parts[2]) : 1
    guard let first, (1...31).contains(first) else { return nil }
    let start = Timestamp.days(year: year, month: month, day: first)
    // 31 February is in no text.
    if parts.count == 3, Timestamp(milliseconds: start * 86_400_000).dateText != text { return nil }
    let next =
      parts.count == 3
      ? start + 1 : Timestamp.days(year: month == 12 ? year + 1 : year, month: month % 12 + 1, day: 1)
    return (
      Timestamp(milliseconds: start * 86_400_000), Timestamp(milliseconds: next * 86_400_000 - 1)
    )
  }
}
