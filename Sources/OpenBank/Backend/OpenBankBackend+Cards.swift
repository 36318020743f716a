import JSON
import Model

extension OpenBankBackend {
  private static let cardColumns = [
    Column("id", "Id", rank: 4), Column("name", "Name", rank: 0, isPrivate: true),
    Column("number", "Number", rank: 0, isPrivate: true), Column("expires", "Expires", .date, rank: 1),
    Column("technology", "Technology", rank: 3), Column("networks", "Networks", rank: 2),
    Column("enabled", "Enabled", .flag, rank: 1), Column("account", "Account", rank: 2, isPrivate: true),
  ]

  /// My cards, or those of them that belong to one account: the server lists them by bank or person only.
  func cards(_ location: Location, _ query: ListQuery, of account: AccountID?) async throws(ServiceError) -> Listing {
    let (answer, cards) = try await myCards(account)
    // The server is asked for all cards, so it has not said yet whether there is such an account.
    if let account, cards.isEmpty { try await demand(account, through: location.view) }
    return try .whole(
      location, account == nil ? "My cards" : "Cards", OpenBankBackend.cardColumns, cards.map(\.json), query,
      raw: answer.raw
    ) { row(PaymentCard($0), in: location) }
  }

  private func myCards(_ account: AccountID?) async throws(ServiceError) -> (OpenBankAnswer, [PaymentCard]) {
    let answer = try await client.send("/cards", "load the cards")
    let all = try answer.elements("cards").map { PaymentCard($0) }
    return (answer, account.map { account in all.filter { $0.account == account } } ?? all)
  }

  private func row(_ card: PaymentCard, in location: Location) -> Row {
    let place = card.account.map { location.account($0).appending("cards").appending(card.id) }
    return Row(
      place ?? location.appending(card.id), values(card), opening: place == nil ? .nothing : .item)
  }

  private func values(_ card: PaymentCard) -> [Value] {
    [
      .text(card.id), .optional(card.name), .optional(card.number), card.expires, card.json.value("technology"),
      .list(card.json["networks"].elements.map { .text($0.string ?? "") }), card.json["enabled"].flag,
      card.json["account"].value("label"),
    ]
  }

  /// Every card of a bank, which needs a role.
  func bankCards(_ location: Location, _ query: ListQuery, _ bank: String) async throws(ServiceError) -> Listing {
    let operation = "load the cards of \(bank)"
    try demandManagedCards(operation)
    let answer = try await client.send(OpenBankClient.path("management", "banks", bank, "cards"), operation)
    return try .whole(
      location, "All cards of \(bank)", OpenBankBackend.cardColumns, Array(try answer.elements("cards")), query,
      raw: answer.raw
    ) { element in
      let card = PaymentCard(element)
      return Row(location.appending(card.id), values(card))
    }
  }

  func bankCardItem(_ location: Location, _ bank: String, _ id: String) async throws(ServiceError) -> Item {
    let operation = "open the card \(id)"
    try demandManagedCards(operation)
    let answer = try await client.send(OpenBankClient.path("management", "banks", bank, "cards", id), operation)
    let card = PaymentCard(answer.root)
    let account = card.account.map { [Link("Account", location.account($0), opening: .item)] } ?? []
    return cardItem(location, card, id, account, answer)
  }

  private func demandManagedCards(_ operation: String) throws(ServiceError) {
    guard client.version >= APIVersion(3, 1, 0) else {
      throw .notOffered(operation, "this version of the API does not list them")
    }
  }

  func cardItem(_ location: Location, _ account: AccountID, _ id: String) async throws(ServiceError) -> Item {
    let (answer, cards) = try await myCards(account)
    guard let card = cards.first(where: { $0.id == id }) else { throw .notFound(location) }
    return cardItem(location, card, id, [Link("Account", location.account(account), opening: .item)], answer)
  }

  private func cardItem(
    _ location: Location, _ card: PaymentCard, _ id: String, _ related: [Link], _ answer: OpenBankAnswer
  ) -> Item {
    let json = card.json
    let list: (String) -> Value = { key in .list(json[key].elements.map { .text($0.string ?? "") }) }
    return Item(
      location, title: card.name ?? id,
      sections: [
        Item.Section(
          "Card",
          [
            Field("id", "Id", .text(id)), Field("name", "Name on the card", .optional(card.name), isPrivate: true),
            Field("number", "Number", .optional(card.number), isPrivate: true),
            Field("expires", "Expires", card.expires, .date),
            Field("valid_from", "Valid from", PaymentCard.day(json["valid_from_date"]), .date),
            Field("technology", "Technology", json.value("technology")),
            Field("account", "Account", json["account"].value("label"), isPrivate: true),
            Field("networks", "Networks", list("networks")),
            Field("allows", "Allows", list("allows")), Field("issue_number", "Issue", json.value("issue_number")),
            Field("kind", "Kind", json.value("card_type")), Field("customer", "Customer", json.value("customer_id")),
          ].filter { !["kind", "customer"].contains($0.id) || !$0.value.isNull }),
        Item.Section(
          "State",
          [
            Field("enabled", "Enabled", json["enabled"].flag, .flag),
            Field("cancelled", "Cancelled", json["cancelled"].flag, .flag),
            Field("on_hot_list", "On the hot list", json["on_hot_list"].flag, .flag),
            Field("collected", "Collected", json["collected"].time, .time),
            Field("posted", "Posted", json["posted"].time, .time),
            Field("replacement", "Replacement", json["replacement"].value("reason_requested")),
          ]),
        Item.Section("Attributes", OpenBankBackend.attributes(json["card_attributes"])),
      ].filter { !$0.fields.isEmpty }, related: related, raw: answer.raw)
  }
}

/// A payment card (reference, section 3.12). Its full number never leaves this type, its code is never read.
public struct PaymentCard: Sendable {
  let json: JSONValue
  init(_ json: JSONValue) { self.json = json }

  /// The server's id where one is given, which needs a role; else the last digits and the serial number.
  public var id: String {
    if let id = json["card_id"].string { return id }
    return [lastDigits, json.first("serial_number", "issue_number")].compactMap { $0 }.joined(separator: "-")
  }

  private var lastDigits: String? {
    json.first("bank_card_number", "card_number").map { String($0.filter { !$0.isWhitespace }.suffix(4)) }
  }

  public var name: String? { json["name_on_card"].string }

  /// The number with all but its last four digits masked.
  public var number: String? { lastDigits.map { "•••• \($0)" } }

  public var expires: Value { PaymentCard.day(json["expires_date"]) }

  public var account: AccountID? {
    guard let bank = json["account"]["bank_id"].string ?? json["bank_id"].string,
      let account = json["account"]["id"].string
    else { return nil }
    return AccountID(bank: bank, account: account)
  }

  /// A card is good until a day, though the server writes a moment.
  static func day(_ value: JSONValue) -> Value {
    guard let text = value.string else { return .null }
    return Timestamp(rfc3339: text).map { .date($0.dateText) } ?? .text(text)
  }
}
