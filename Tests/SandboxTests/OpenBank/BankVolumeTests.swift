import JSON
import Testing

@testable import Sandbox

/// How much the bank holds, all of it made when it is asked for.
@Suite(.bounded) struct BankVolumeTests {
  @Test func `as it comes there are five banks, 300 accounts and 200,000 transactions in many currencies`() throws {
    let data = try BankClient().door.bank.data
    #expect(Set(data.accounts.map(\.bank.id)).count >= 5)
    #expect(data.accounts.count >= 300)
    #expect(data.accounts.reduce(0) { $0 + $1.ledger.count } >= 199_000)
    let currencies = Set(data.accounts.map(\.currency.code))
    #expect(currencies.isSuperset(of: ["EUR", "GBP", "JPY", "KWD"]) && currencies.count >= 8)
    #expect(Set(data.accounts.map(\.id)).count == data.accounts.count)
    #expect(Set(data.accounts.map(\.iban)).count == data.accounts.count)
  }

  @Test func `the middle and the end of a long account are as near as its beginning`() throws {
    let client = try BankClient.signedIn(SandboxOptions(size: .large))
    let accounts = try client.accounts()
    #expect(accounts.count { $0["views"].elements.contains { $0["id"].string == "owner" } } == 300)
    #expect(client.door.bank.data.accounts.reduce(0) { $0 + $1.ledger.count } >= 6_000_000)
    let path = try client.accountPath(0)
    var seen: Set<String> = []
    for offset in [0, 9_990, 19_980] {
      let page = Array(try client.json("/my\(path)/transactions?limit=20&offset=\(offset)")["transactions"].elements)
      #expect(page.count == 20)
      seen.formUnion(page.compactMap { $0["id"].string })
    }
    #expect(seen.count == 60)
  }
}
