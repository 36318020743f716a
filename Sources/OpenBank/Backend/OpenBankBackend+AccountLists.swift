import JSON
import Model

extension OpenBankBackend {
  func accountList(
    _ location: Location, _ query: ListQuery, _ account: AccountID, _ list: OpenBankPlace.AccountList
  ) async throws(ServiceError) -> Listing {
    switch list {
    case .transactions: try await transactions(location, query, account)
    case .counterparties: try await counterparties(location, query, account)
    case .others: try await otherAccounts(location, query, account)
    case .cards: try await cards(location, query, of: account)
    case .requests: try await requests(location, query, account)
    case .views: try await views(location, query, account)
    }
  }

  func accountThing(
    _ location: Location, _ account: AccountID, _ list: OpenBankPlace.AccountList, _ id: String
  ) async throws(ServiceError) -> Item {
    switch list {
    case .transactions: try await transactionItem(location, account, id)
    case .counterparties: try await counterpartyItem(location, account, id)
    case .others: try await otherAccountItem(location, account, id)
    case .cards: try await cardItem(location, account, id)
    case .requests: try await requestItem(location, account, id)
    case .views: try await viewItem(location, account, id)
    }
  }

  /// A list as a thing: what can be done with it as a whole.
  func listItem(
    _ location: Location, _ account: AccountID, _ list: OpenBankPlace.AccountList
  ) async throws(ServiceError) -> Item {
    var item = try await containerItem(location)
    item.related.append(Link("Account", location.account(account), opening: .item))
    return item
  }

  // MARK: Counterparties

  private static let counterpartyColumns = [
    Column("id", "Id", rank: 4), Column("name", "Name", rank: 0, isPrivate: true),
    Column("iban", "IBAN", rank: 1, isPrivate: true), Column("currency", "Currency", .currency, rank: 2),
    Column("beneficiary", "May be paid", .flag, rank: 2), Column("description", "Description", rank: 3),
  ]

  private func counterparties(
    _ location: Location, _ query: ListQuery, _ account: AccountID
  ) async throws(ServiceError) -> Listing {
    let operation = "load the counterparties of \(account.account)"
    // Explicit payees came with version 2.2.0; before, there are only the other sides of transactions.
    guard client.version >= APIVersion(2, 2, 0) else { return try await otherAccounts(location, query, account) }
    let answer = try await client.look(at: account, through: location.view, operation) {
      (lens) async throws(ServiceError) in try await client.counterpartiesAnswer(lens, operation)
    }
    return try .whole(
      location, "Counterparties", OpenBankBackend.counterpartyColumns, Array(try answer.elements("counterparties")),
      query,
      raw: answer.raw, actions: [createCounterpartyAction]
    ) { element in
      let payee = Counterparty(element)
      return Row(
        location.below(payee.id),
        [
          .text(payee.id), .optional(payee.name), .optional(payee.iban), .optional(payee.currency),
          .optional(payee.isBeneficiary), .optional(payee.description),
        ])
    }
  }

  private func counterpartyItem(
    _ location: Location, _ account: AccountID, _ id: String
  ) async throws(ServiceError) -> Item {
    guard client.version >= APIVersion(2, 2, 0) else { return try await otherAccountItem(location, account, id) }
    let operation = "open the counterparty \(id)"
    let answer = try await client.look(at: account, through: location.view, operation) {
      (lens) async throws(ServiceError) in
      try await client.send(lens.path + OpenBankClient.path("counterparties", id), operation)
    }
    let payee = Counterparty(answer.root)
    let routings = ["other_bank", "other_branch", "other_account", "other_account_secondary"].map { kind in
      let text = [answer.root["\(kind)_routing_scheme"].string, answer.root["\(kind)_routing_address"].string]
      let shown = text.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " ")
      return Field("\(kind)_routing", OpenBankBackend.title(of: kind), shown.isEmpty ? .null : .text(shown))
    }
    let bespoke = answer.root["bespoke"].elements.map {
      Field("bespoke_\($0["key"].string ?? "")", $0["key"].string ?? "", $0.value("value"))
    }
    let metadata = answer.root["metadata"].members.filter { $0.value.text != nil }.map {
      Field("metadata_\($0.key)", OpenBankBackend.title(of: $0.key), .optional($0.value.text))
    }
    let sections = [
      Item.Section(
        "Counterparty",
        [
          Field("id", "Id", .text(id)), Field("name", "Name", .optional(payee.name), isPrivate: true),
          Field("iban", "IBAN", .optional(payee.iban), isPrivate: true),
          Field("currency", "Currency", .optional(payee.currency), .currency),
          Field("beneficiary", "May be paid", .optional(payee.isBeneficiary), .flag),
          Field("description", "Description", .optional(payee.description)),
        ]), Item.Section("Routing", routings), Item.Section("More", bespoke.withUniqueIDs),
      Item.Section("Notes", metadata),
    ].filter { !$0.fields.isEmpty }
    return Item(
      location, title: payee.name ?? id, sections: sections,
      related: [Link("Account", location.account(account), opening: .item)],
      actions: counterpartyActions(payee), raw: answer.raw)
  }

  /// `other_account_secondary` as a person reads it.
  static func title(of key: String) -> String {
    let words = key.split(separator: "_").joined(separator: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }

  // MARK: Other sides of transactions

  private static let otherColumns = [
    Column("id", "Id", rank: 4), Column("name", "Name", rank: 0, isPrivate: true),
    Column("iban", "IBAN", rank: 1, isPrivate: true), Column("number", "Number", rank: 2, isPrivate: true),
    Column("bank", "Bank", rank: 2), Column("alias", "Is an alias", .flag, rank: 3),
  ]

  private func otherAccounts(
    _ location: Location, _ query: ListQuery, _ account: AccountID
  ) async throws(ServiceError) -> Listing {
    let operation = "load the other accounts of \(account.account)"
    let answer = try await client.look(at: account, through: location.view, operation) {
      (lens) async throws(ServiceError) in try await client.send("\(lens.path)/other_accounts", operation)
    }
    return try .whole(
      location, "Other accounts", OpenBankBackend.otherColumns, Array(try answer.elements("other_accounts")), query,
      raw: answer.raw
    ) { element in
      let other = OtherAccount(element)
      return Row(
        location.below(other.id ?? ""),
        [
          .optional(other.id), .optional(other.name), .optional(other.iban), .optional(other.number),
          .optional(other.bankName), .optional(other.isAlias),
        ])
    }
  }

  private func otherAccountItem(
    _ location: Location, _ account: AccountID, _ id: String
  ) async throws(ServiceError) -> Item {
    let operation = "open the other account \(id)"
    let answer = try await client.look(at: account, through: location.view, operation) {
      (lens) async throws(ServiceError) in
      try await client.send(lens.path + OpenBankClient.path("other_accounts", id), operation)
    }
    let other = OtherAccount(answer.root)
    let notes = answer.root["metadata"].members.filter { $0.value.text != nil || $0.value.isNull }.map {
      Field("metadata_\($0.key)", OpenBankBackend.title(of: $0.key), .optional($0.value.text))
    }
    return Item(
      location, title: other.name ?? id,
      sections: [
        Item.Section(
          "Other account",
          [
            Field("id", "Id", .text(id)), Field("name", "Name", .optional(other.name), isPrivate: true),
            Field("alias", "Is an alias", .optional(other.isAlias), .flag),
            Field("iban", "IBAN", .optional(other.iban), isPrivate: true),
            Field("number", "Number", .optional(other.number), isPrivate: true),
            Field("bank", "Bank", .optional(other.bankName)),
          ]), Item.Section("Notes", notes),
      ].filter { !$0.fields.isEmpty }, related: [Link("Account", location.account(account), opening: .item)],
      actions: aliasActions(answer.root["metadata"]), raw: answer.raw)
  }

  // MARK: Views

  private static let viewColumns = [
    Column("id", "Id", rank: 0), Column("name", "Name", rank: 1), Column("public", "Public", .flag, rank: 1),
    Column("alias", "Names shown", rank: 3), Column("description", "Description", rank: 2),
  ]

  private func views(
    _ location: Location, _ query: ListQuery, _ account: AccountID
  ) async throws(ServiceError) -> Listing {
    let base = OpenBankClient.path("banks", account.bank, "accounts", account.account)
    do {
      let answer = try await client.send("\(base)/views", "load the views of \(account.account)")
      return try .whole(
        location, "Views", OpenBankBackend.viewColumns, Array(try answer.elements("views")), query, raw: answer.raw
      ) { viewRow($0, in: location) }
    } catch {
      // Only the owner may list them all; others know those that the account lists name (reference, trap 36).
      let known = client.knownViews(of: account)
      guard error.code == .forbidden, !known.isEmpty else { throw error }
      let rows = known.map { view in
        Row(location.below(view.id), [.text(view.id), .text(view.name), .flag(view.isPublic), .null, .null])
      }
      return Listing(
        location, title: "Views", columns: OpenBankBackend.viewColumns, rows: rows, total: .exact(rows.count),
        notices: ["Only the views that you hold yourself: \(error.reason)."])
    }
  }

  private func viewRow(_ view: JSONValue, in location: Location) -> Row {
    let id = view["id"].string ?? ""
    return Row(
      location.below(id),
      [.text(id), view.value("short_name"), view["is_public"].flag, view.value("alias"), view.value("description")])
  }

  private func viewItem(_ location: Location, _ account: AccountID, _ id: String) async throws(ServiceError) -> Item {
    let base = OpenBankClient.path("banks", account.bank, "accounts", account.account)
    let answer = try await client.send("\(base)/views", "open the view \(id)")
    guard let view = try answer.elements("views").first(where: { $0["id"].string == id }) else {
      throw .notFound(location)
    }
    let rights = view.members.filter { $0.key.hasPrefix("can_") && $0.value.bool != nil }.map {
      Field($0.key, OpenBankBackend.title(of: String($0.key.dropFirst(4))), $0.value.flag, .flag)
    }
    return Item(
      location, title: view["short_name"].string ?? id,
      sections: [
        Item.Section(
          "View",
          [
            Field("id", "Id", .text(id)), Field("name", "Name", view.value("short_name")),
            Field("description", "Description", view.value("description")),
            Field("public", "Public", view["is_public"].flag, .flag),
            Field("alias", "Names shown", view.value("alias")),
          ]), Item.Section("It permits to", rights),
      ].filter { !$0.fields.isEmpty },
      related: [
        Link("Account through this view", location.account(account).seen(through: id), opening: .item),
        Link(
          "Transactions through this view", location.account(account).appending("transactions").seen(through: id)),
      ], raw: answer.raw)
  }
}
