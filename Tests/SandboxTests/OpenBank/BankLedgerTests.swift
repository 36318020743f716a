import Testing

@testable import Sandbox

@Suite struct BankLedgerTests {
  private let setting = DoorSetting(options: SandboxOptions(), clock: .fixed(DoorSetting.present))

  private func account(_ index: Int, transactions: Int) -> BankAccount {
    BankAccount(index: index, setting: setting, isOwn: true, holder: "Susan", transactions: transactions)
  }

  @Test func `balances add up from nothing`() {
    for index in 0..<12 {
      let entries = account(index, transactions: 1_000).ledger.entries(0..<1_000)
      var balance = 0
      for entry in entries.reversed() {
        balance += entry.amount
        #expect(entry.balance == balance)
      }
    }
  }

  @Test func `newest first, and times never rise`() {
    for (index, count) in [(0, 2_000), (1, 2_000), (2, 100_000)] {
      let entries = account(index, transactions: count).ledger.entries(0..<count)
      #expect(zip(entries, entries.dropFirst()).allSatisfy { $0.completed > $1.completed })
      #expect(entries.last?.completed.parts.year ?? 0 > 1980)
    }
  }

  @Test func `any part is the same as that part of the whole`() {
    let ledger = account(3, transactions: 500).ledger
    let whole = ledger.entries(0..<500)
    for start in stride(from: 0, to: 500, by: 37) {
      let end = min(500, start + 41)
      #expect(ledger.entries(start..<end) == Array(whole[start..<end]))
    }
  }

  @Test func `ids lead back and foreign ids do not`() {
    let ledger = account(4, transactions: 300).ledger
    let ids = (0..<300).map(ledger.id)
    #expect(Set(ids).count == 300)
    #expect(ids.map { ledger.index(id: $0) } == (0..<300).map { $0 })
    let other = account(5, transactions: 300).ledger
    #expect(ids.allSatisfy { other.index(id: $0) == nil })
    #expect(ledger.index(id: "nonsense") == nil)
  }

  @Test(arguments: [
    ("EUR", "-19.90", -1_990), ("JPY", "92100", 92_100), ("KWD", "0.250", 250), ("EUR", "10", 1_000),
    ("EUR", "0.5", 50), ("JPY", "12.0", 12),
  ])
  func `amounts are read exactly`(code: String, text: String, minor: Int) throws {
    #expect(try #require(BankCurrency.named(code)).minor(text) == minor)
  }

  @Test(arguments: [("EUR", "0.005"), ("JPY", "1.5"), ("EUR", ""), ("EUR", "1e3"), ("EUR", "--1"), ("EUR", "1.")])
  func `what is no amount is refused`(code: String, text: String) throws {
    #expect(try #require(BankCurrency.named(code)).minor(text) == nil)
  }

  @Test(arguments: [("EUR", -5, "-0.05"), ("EUR", 0, "0.00"), ("JPY", -3, "-3"), ("KWD", 1_234_567, "1234.567")])
  func `amounts are written with the currency's digits`(code: String, minor: Int, text: String) throws {
    #expect(try #require(BankCurrency.named(code)).text(minor) == text)
  }

  @Test func `IBANs have true check digits`() {
    #expect(BankAccount.iban(country: "GB", body: "WEST12345698765432") == "GB82WEST12345698765432")
    #expect(BankAccount.iban(country: "DE", body: "370400440532013000") == "DE89370400440532013000")
  }
}
