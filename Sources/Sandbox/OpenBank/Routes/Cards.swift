import JSON

/// Cards; reference obp.md, section 3.12.
extension OBPRoutes {
  mutating func addCards() {
    add(.v130, "GET", "/cards", .user, "getCards", "Get Cards of current User") { call throws(OBPError) in
      let accounts = call.bank.accounts(of: try call.signedIn()).filter { $0.views.contains { $0.id == "owner" } }
      return .ok(["cards": .list(call.cards(on: accounts.map(\.account)), call.card)])
    }
    add(.v130, "GET", "/banks/BANK_ID/cards", .user, "getCardsForBank", "Get Cards at Bank") { call throws(OBPError) in
      let accounts = call.bank.accounts(of: try call.signedIn(), at: try call.theBank())
      let own = accounts.filter { $0.views.contains { $0.id == "owner" } }.map(\.account)
      return .ok(["cards": .list(call.cards(on: own), call.card)])
    }
    let managed = "/management/banks/BANK_ID/cards"
    add(.v310, "GET", managed, .roles(["CanGetCardsForBank"]), "getCardsForBank", "Get Cards for Bank") {
      call throws(OBPError) in
      let bank = try call.theBank()
      let cards = call.cards(on: call.data.accounts.filter { $0.bank.index == bank.index })
      let wanted = call.request.query("account_id")
      return .ok(["cards": .list(cards.filter { wanted == nil || wanted == $0.account.id }, call.managedCard)])
    }
    add(.v310, "GET", managed + "/CARD_ID", .roles(["CanGetCardsForBank"]), "getCardForBank", "Get Card") {
      call throws(OBPError) in
      let bank = try call.theBank()
      let cards = call.cards(on: call.data.accounts.filter { $0.bank.index == bank.index })
      guard let card = cards.first(where: { $0.id == call["CARD_ID"] }) else {
        throw OBPError(404, "OBP-30061: Card not found. Please specify a valid value for CARD_ID.")
      }
      var node = call.managedCard(card)
      node["card_attributes"] = []
      return .ok(node)
    }
  }
}

/// A card of an account; every second account has one, some have two.
private struct BankCard: Sendable {
  let id: String
  let account: BankAccount
  let number: String
  let serial: String
  let network: String
  let isOnHotList: Bool
  let expires: SandboxTime
  let hasHistory: Bool
}

extension OBPCall {
  fileprivate func cards(on accounts: [BankAccount]) -> [BankCard] {
    accounts.flatMap { account -> [BankCard] in
      let count = account.index % 6 == 0 ? 2 : account.index % 2 == 0 ? 1 : 0
      return (0..<count).map { place in
        var random = data.setting.random("bank/card/\(account.index)", index: place)
        return BankCard(
          id: random.uuid(), account: account, number: "400000******\(random.text(4, from: "0123456789"))",
          serial: random.text(8, from: "0123456789"), network: random.pick(["visa", "mastercard", "jcb"]),
          isOnHotList: random.chance(10),
          expires: SandboxTime(year: random.number(in: 2026...2031), month: random.number(in: 1...12), day: 1),
          hasHistory: random.chance(50))
      }
    }
  }

  fileprivate func card(_ card: BankCard) -> JSONNode {
    [
      "bank_id": .string(card.account.bank.id), "bank_card_number": .string(card.number),
      "name_on_card": .string(card.account.holder.uppercased()), "issue_number": "1",
      "serial_number": .string(card.serial), "valid_from_date": .string(card.expires.adding(days: -1_096).iso),
      "expires_date": .string(card.expires.iso), "enabled": .bool(!card.isOnHotList), "cancelled": false,
      "on_hot_list": .bool(card.isOnHotList), "technology": "chip", "networks": [.string(card.network)],
      "allows": ["credit", "debit", "cash_withdrawal"],
      "account": [
        "id": .string(card.account.id), "label": .string(bank.label(of: card.account)), "views_available": [],
        "bank_id": .string(card.account.bank.id),
      ],
      "replacement": card.hasHistory
        ? ["requested_date": .string(DoorSetting.present.adding(days: -40).iso), "reason_requested": "RENEW"] : nil,
      "pin_reset": [], "collected": card.hasHistory ? .string(DoorSetting.present.adding(days: -30).iso) : nil,
      "posted": card.hasHistory ? .string(DoorSetting.present.adding(days: -33).iso) : nil,
    ]
  }

  /// The shape of v3.1.0: with ids, and the number under its new name.
  fileprivate func managedCard(_ card: BankCard) -> JSONNode {
    var node: JSONNode = [
      "card_id": .string(card.id), "card_type": "Debit", "customer_id": .string(card.account.id),
      "card_number": .string(card.number),
    ]
    guard case .object(let members) = self.card(card) else { return node }
    for member in members where member.key != "bank_card_number" { node[member.key] = member.value }
    return node
  }
}
