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
    let (answer, lens) = try await client.look(at: account, through: location.view, operation) {
      (lens) async throws(ServiceError) in (try await client.counterpartiesAnswer(lens, operation), lens)
    }
    let rights = try await client.rights(lens)
    return try .whole(
      location, "Counterparties", OpenBankBackend.counterpartyColumns, Array(try answer.elements("counterparties")),
      query,
      raw: answer.raw, actions: [createCounterpartyAction(lens, rights)]
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
    let (answer, lens) = try await client.look(at: account, through: location.view, operation) {
      (lens) async throws(ServiceError) in
      (try await client.send(lens.path + OpenBankClient.path("counterparties", id), operation), lens)
    }
    let rights = try await client.rights(lens)
    let ways = try await paymentWays(lens)
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
      actions: counterpartyActions(payee, lens, rights, ways), raw: answer.raw)
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
    let (answer, lens) = try await client.look(at: account, through: location.view, operation) {
      (lens) async throws(ServiceError) in
      (try await client.send(lens.path + OpenBankClient.path("other_accounts", id), operation), lens)
    }
    let rights = try await client.rights(lens)
    let other = OtherAccount(answer.root)
    let notes = answer.root["metadata"].members.map { key, value in
      let place = Transaction.Place(value).map { Value.text("\($0.latitude), \($0.longitude)") }
      return Field("metadata_\(key)", OpenBankBackend.title(of: key), place ?? .optional(value.text))
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
      actions: partyActions(answer.root["metadata"], lens, rights), raw: answer.raw)
  }
}
