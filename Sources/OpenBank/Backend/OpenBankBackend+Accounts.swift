import JSON
import Model

extension OpenBankBackend {
  private static let accountColumns = [
    Column("id", "Id", rank: 5, isPrivate: true), Column("bank", "Bank", rank: 2),
    Column("label", "Label", rank: 0, isPrivate: true),
    Column("number", "Number", rank: 2, isPrivate: true), Column("iban", "IBAN", rank: 4, isPrivate: true),
    Column("type", "Type", rank: 3), Column("currency", "Currency", .currency, rank: 1),
    Column("balance", "Balance", .amount, rank: 0, isPrivate: true),
  ]
  /// Rows a page: each row needs a call of its own, as lists carry neither number nor balance (reference, trap 37).
  private static let accountPage = 50
  private static let accountsAtOnce = 6

  func accounts(
    _ location: Location, _ query: ListQuery, bank: String?, _ which: OpenBankPlace.Accounts
  ) async throws(ServiceError) -> Listing {
    let operation = "load the accounts" + (bank.map { " of \($0)" } ?? "")
    let (all, raw, notices) = try await accountList(bank: bank, which, operation)
    let page = try LocalPages(all.count, query, usual: OpenBankBackend.accountPage)
    let shown = Array(all[page.range])
    let details = await gather(shown, atMost: OpenBankBackend.accountsAtOnce) { account in
      await detail(of: account, isPublic: which == .open && isAnonymous)
    }
    let failures = details.compactMap { detail in if case .failure(let error) = detail { error } else { nil } }
    if let failure = failures.first(where: { $0.code == .signInNeeded || $0.code == .cancelled }) { throw failure }
    let rows = zip(shown, details).map { account, detail in
      row(account, try? detail.get(), at: location)
    }
    var listing = Listing(
      location, title: OpenBankBackend.title(which, bank), columns: OpenBankBackend.accountColumns, rows: rows,
      next: page.next, total: .exact(all.count), notices: notices, raw: raw)
    if which == .mine, bank != nil { listing.actions = [openAccountAction] }
    if which == .open { listing.notices.append("These are the accounts that anybody may look at.") }
    if let first = failures.first {
      listing.notices.append(
        "\(failures.count) of \(shown.count) accounts show no more than this list: \(first.reason)")
    }
    return listing
  }

  private static func title(_ which: OpenBankPlace.Accounts, _ bank: String?) -> String {
    let name =
      switch which {
      case .mine: bank == nil ? "My accounts" : "Accounts"
      case .closed: "Private accounts"
      case .open: "Public accounts"
      case .held: "Accounts held"
      }
    return bank.map { "\(name) at \($0)" } ?? name
  }

  func detail(of account: Account, isPublic: Bool) async -> Result<Account, ServiceError> {
    do throws(ServiceError) {
      let view = account.views.first { $0.isPublic }.flatMap { isPublic ? $0.id : nil }
      let found = try await client.accountAnswer(account.id, through: view, "open the account \(account.id.account)")
      return .success(Account(found.answer.root, bank: account.bank))
    } catch {
      return .failure(error)
    }
  }

  /// What the account itself says through the view that `show` looks through, too; where that failed, what the list says.
  private func row(_ account: Account, _ detail: Account?, at location: Location) -> Row {
    let id = account.id
    let account = detail ?? account
    return Row(
      Location(connection: location.connection, path: ["banks", id.bank, "accounts", id.account]),
      [
        .text(id.account), .text(id.bank), .optional(account.label), .optional(account.number),
        .optional(account.iban), .optional(account.type), .optional(account.currency), .optional(account.balance),
      ])
  }

  func accountItem(_ location: Location, _ id: AccountID) async throws(ServiceError) -> Item {
    let operation = "open the account \(id.account)"
    let (answer, lens) = try await client.accountAnswer(id, through: location.view, operation)
    let account = Account(answer.root, bank: id.bank)
    client.remember(account.views, of: id)
    let rights = try await client.rights(lens, from: answer.root)
    let ways = rights.map(OpenBankBackend.paysNothing) ?? false ? PaymentWays.unknown : try await paymentWays(lens)
    var sections = [Item.Section("Account", accountFields(account, lens))]
    let tags = try await accountTags(answer.root, lens)
    sections += OpenBankBackend.extraSections(answer.root, tags ?? [])
    let hidden = HiddenFields.notices(in: answer.root, HiddenFields.account, view: lens.view)
    return Item(
      location, title: account.label ?? account.number ?? id.account, sections: sections,
      related: links(location, accountEntries),
      actions: accountActions(account, lens, rights, ways) + tagActions(tags, lens, rights), raw: answer.raw,
      notices: hidden)
  }

  private func accountFields(_ account: Account, _ lens: AccountLens) -> [Field] {
    let owners = account.owners.map { Value.list($0.map(Value.text)) } ?? .null
    let views = client.knownViews(of: lens.account).map { Value.text($0.id) }
    let root = account.json
    let fields = [
      Field("id", "Id", .text(lens.account.account), isPrivate: true), Field("bank", "Bank", .text(lens.account.bank)),
      Field("label", "Label", .optional(account.label), isPrivate: true),
      Field("number", "Number", .optional(account.number), isPrivate: true),
      Field("iban", "IBAN", .optional(account.iban), isPrivate: true),
      Field("bic", "BIC", .optional(account.bic)), Field("type", "Type", .optional(account.type)),
      Field("currency", "Currency", .optional(account.currency), .currency),
      Field("balance", "Balance", .optional(account.balance), .amount, isPrivate: true),
      Field("owners", "Owners", owners, isPrivate: true), Field("view", "Seen through", .text(lens.view)),
      Field("views", "Views", views.isEmpty ? .null : .list(views)),
    ]
    // What this version does not have at all is left out; what a view hides stays, as null (reference, trap 22).
    let optional = ["owners": root["owners"].exists, "bic": root["swift_bic"].exists || account.bic != nil]
    return fields.filter { optional[$0.id] ?? true }
  }

  /// Routings, attributes and tags, where this version has them.
  private static func extraSections(_ root: JSONValue, _ tags: [Transaction.Remark]) -> [Item.Section] {
    let routings = root["account_routings"].elements.filter { $0["scheme"].string != "IBAN" }.map {
      Field("routing_\($0["scheme"].string ?? "")", $0["scheme"].string ?? "", $0.value("address"), isPrivate: true)
    }
    let attributes = root["account_attributes"].elements.map {
      Field("attribute_\($0["name"].string ?? "")", $0["name"].string ?? "", $0.value("value"))
    }
    let tags = tags.map { Value.text($0.text) }
    return [
      Item.Section("Routing", routings.withUniqueIDs), Item.Section("Attributes", attributes.withUniqueIDs),
      Item.Section("Tags", tags.isEmpty ? [] : [Field("tags", "Tags", .list(tags))]),
    ].filter { !$0.fields.isEmpty }
  }
}
