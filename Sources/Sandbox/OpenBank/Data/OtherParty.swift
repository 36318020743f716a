/// The other side of an account's transactions: a shop, an employer, a neighbour.
struct OtherParty: Sendable {
  let index: Int
  let id: String
  let holder: String
  let number: String
  let iban: String?
  let kind: String
  let bankName: String
  let bankID: String?

  init(id: String, holder: String, number: String, iban: String?, kind: String, bank: Bank?) {
    index = -1
    self.id = id
    self.holder = holder
    self.number = number
    self.iban = iban
    self.kind = kind
    bankName = bank?.fullName ?? ""
    bankID = bank?.id
  }

  init(_ index: Int, of account: BankAccount, setting: DoorSetting) {
    var random = setting.random("bank/party/\(account.index)", index: index)
    let seat = account.index * Ledger.partyCount + index
    self.index = index
    id = random.uuid()
    holder = index % 6 == 5 ? setting.city.person(1_000 + seat).name : setting.city.company(seat)
    number = random.text(6, from: "0123456789")
    let bank = random.pick(Bank.all)
    let body = random.text(18, from: "0123456789")
    iban = random.chance(70) ? BankAccount.iban(country: bank.country, body: body) : nil
    kind = random.chance(50) ? "CURRENT" : ""
    bankName = bank.fullName
    bankID = random.chance(80) ? bank.id : nil
  }
}
