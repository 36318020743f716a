/// An account with all that does not change at run time.
struct BankAccount: Sendable {
  /// Over all banks; the signed-in person's own accounts come first.
  let index: Int
  let id: String
  let bank: Bank
  let label: String
  let number: String
  let iban: String
  /// CURRENT, SAVINGS, …
  let type: String
  let productCode: String
  let currency: BankCurrency
  /// Name of whoever the account belongs to.
  let holder: String
  let ledger: Ledger

  init(index: Int, setting: DoorSetting, isOwn: Bool, holder: String, transactions: Int) {
    var random = setting.random("bank/account", index: index)
    let bank = Bank.holding[index % Bank.holding.count]
    let code = bank.currencies[index / Bank.holding.count % bank.currencies.count]
    let currency = BankCurrency.named(code) ?? BankCurrency.all[0]
    let kind = random.pick(Self.kinds)
    id = random.uuid()
    number = random.text(8, from: "0123456789")
    iban = Self.iban(country: bank.country, body: random.text(4, from: "0123456789") + "000000" + number)
    label = isOwn ? Self.label(index, setting.city) : "\(holder) – \(kind.type.lowercased())"
    self.index = index
    self.bank = bank
    self.currency = currency
    self.holder = holder
    (type, productCode) = kind
    let start = random.number(in: 60_000...900_000)
    ledger = Ledger(
      setting: setting, accountIndex: index, count: transactions, currency: currency, typicalBalance: start,
      hasFutureEntry: index % 5 == 0)
  }

  /// An account that somebody opened at run time: it starts with nothing.
  init(
    index: Int, id: String, bank: Bank, label: String, productCode: String, currency: BankCurrency, holder: String,
    setting: DoorSetting
  ) {
    var random = setting.random("bank/opened", index: index)
    self.index = index
    self.id = id
    self.bank = bank
    self.label = label
    self.productCode = productCode
    self.currency = currency
    self.holder = holder
    number = random.text(8, from: "0123456789")
    iban = Self.iban(country: bank.country, body: random.text(10, from: "0123456789") + number)
    type = Self.kinds.first { $0.productCode == productCode }?.type ?? "CURRENT"
    ledger = Ledger(
      setting: setting, accountIndex: index, count: 0, currency: currency, typicalBalance: 1, hasFutureEntry: false)
  }

  var key: BankAccountKey { BankAccountKey(bank: bank.id, account: id) }

  private static let kinds = [
    (type: "CURRENT", productCode: "CUR1"), (type: "SAVINGS", productCode: "SAV2"),
    (type: "BUSINESS", productCode: "BIZ1"), (type: "CREDIT", productCode: "CRD1"),
  ]

  private static func label(_ index: Int, _ city: City) -> String {
    let known = ["Everyday account", "Holiday savings", "企業口座", "Household", "Deposit – flat", "Rainy days"]
    if index < known.count { return known[index] }
    if index % 3 == 0 { return city.awkwardLabel(index / 3 - 2) }
    let word = city.words(1, "bank/label", index: index)
    return "\(word.prefix(1).uppercased())\(word.dropFirst()) fund \(index)"
  }

  /// An IBAN with true check digits (ISO 13616: the number, rearranged, leaves 1 by 97).
  static func iban(country: String, body: String) -> String {
    var remainder = 0
    for character in (body + country + "00").utf8 {
      if (0x30...0x39).contains(character) {
        remainder = (remainder * 10 + Int(character) - 0x30) % 97
      } else {
        remainder = (remainder * 100 + Int(character) - 0x41 + 10) % 97
      }
    }
    return country + SandboxTime.padded(98 - remainder, 2) + body
  }
}

/// What addresses an account: account ids are unique at their bank only.
struct BankAccountKey: Hashable, Sendable {
  let bank: String
  let account: String
}
