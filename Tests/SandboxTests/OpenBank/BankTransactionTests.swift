import HTTPServer
import JSON
import Testing

@testable import Sandbox

@Suite struct BankTransactionTests {
  private static let options = SandboxOptions(accounts: 8, transactions: 437)

  /// All ids through pages, by header or by query.
  private func collect(_ client: BankClient, _ path: String, byHeader: Bool, extra: String = "") throws -> [String] {
    var ids: [String] = []
    for page in 0..<100 {
      let fields = [("limit", "50"), ("offset", "\(page * 50)")]
      let rows =
        byHeader
        ? try client.json(path, headers: fields.map { ("obp_\($0.0)", $0.1) })
        : try client.json("\(path)?limit=50&offset=\(page * 50)\(extra)")
      let found = rows["transactions"].elements.compactMap { $0["id"].string }
      ids += found
      if found.count < 50 { return ids }
    }
    return ids
  }

  @Test func `paging covers everything exactly once in both forms`() throws {
    let client = try BankClient.signedIn(Self.options)
    let path = try client.accountPath(0)
    let core = try collect(client, "/my\(path)/transactions", byHeader: false)
    let full = try collect(client, "\(path)/owner/transactions", byHeader: true)
    #expect(core.count == 437)
    #expect(Set(core).count == 437)
    #expect(core == full)
    let ascending = try collect(client, "/my\(path)/transactions", byHeader: false, extra: "&sort_direction=asc")
    #expect(ascending == core.reversed())
  }

  @Test func `each list reads its own form only`() throws {
    let client = try BankClient.signedIn(Self.options)
    let path = try client.accountPath(1)
    #expect(try client.json("\(path)/owner/transactions?limit=3")["transactions"].count == 50)
    #expect(
      try client.json("\(path)/owner/transactions", headers: [("limit", "3"), ("obp_limit", "4")])["transactions"].count
        == 3)
    #expect(try client.json("/my\(path)/transactions", headers: [("obp_limit", "3")])["transactions"].count == 50)
    #expect(try client.json("/my\(path)/transactions?obp_limit=3")["transactions"].count == 50)
  }

  @Test func `a period is inclusive at both ends`() throws {
    let client = try BankClient.signedIn(Self.options)
    let path = "/my\(try client.accountPath(1))/transactions"
    let all = Array(try client.json("\(path)?limit=437")["transactions"].elements)
    let (newer, older) = (
      try #require(all[20]["details"]["completed"].string), try #require(all[60]["details"]["completed"].string)
    )
    let range = "from_date=\(older.dropLast()).000Z&to_date=\(newer.dropLast()).000Z"
    let rows = try client.json("\(path)?limit=500&\(range)")["transactions"]
    #expect(rows.elements.compactMap { $0["id"].string } == all[20...60].compactMap { $0["id"].string })
  }

  @Test(arguments: [
    ("limit=0", "OBP-10025"), ("limit=x", "OBP-10025"), ("offset=-1", "OBP-10024"), ("sort_direction=UP", "OBP-10023"),
    ("from_date=2026-01-31T00:00:00Z", "OBP-10026"), ("to_date=soon", "OBP-10026"),
  ])
  func `bad paging is refused by code`(query: String, code: String) throws {
    let client = try BankClient.signedIn(Self.options)
    let response = client.call("GET", "/my\(try client.accountPath(0))/transactions?\(query)")
    #expect(response.status == 400)
    #expect(response.bodyText.contains(" <- \(code):"))
  }

  @Test func `a page echoes offset and limit`() throws {
    let client = try BankClient.signedIn(Self.options)
    let response = client.call("GET", "/my\(try client.accountPath(0))/transactions?limit=7&offset=14")
    #expect(response.header("Range") == "items=14-7")
    #expect(response.header("ETag")?.count == 64)
    let again = client.call(
      "GET", "/my\(try client.accountPath(0))/transactions?limit=7&offset=14",
      headers: [("If-None-Match", try #require(response.header("ETag")))])
    #expect(again.status == 304)
  }

  @Test func `equal seeds give equal bytes`() throws {
    let first = try BankClient.signedIn(Self.options)
    let second = try BankClient.signedIn(Self.options)
    let path = "\(try first.accountPath(2))/owner/transactions"
    #expect(first.call("GET", path).bodyBytes == second.call("GET", path).bodyBytes)
    var other = Self.options
    other.seed = 7
    #expect(try first.accountPath(2) != BankClient.signedIn(other).accountPath(2))
  }

  @Test func `every listed transaction is found again by its id`() throws {
    let client = try BankClient.signedIn(Self.options)
    let path = "\(try client.accountPath(0))/owner/transactions"
    for row in try client.json(path)["transactions"].elements {
      let one = try client.json("\(path)/\(row["id"].string ?? "")/transaction")
      #expect(one.node() == row.node())
    }
    #expect(client.call("GET", "\(path)/nope/transaction").bodyText.contains("OBP-60009"))
  }

  @Test func `the balance of the account is that after its newest transaction`() throws {
    let client = try BankClient.signedIn(Self.options)
    for index in 0..<6 {
      let path = try client.accountPath(index)
      let newest = try client.json("\(path)/owner/transactions", headers: [("limit", "1")])["transactions"][0]
      let account = try client.json("\(path)/views/owner")
      #expect(newest["details"]["new_balance"]["amount"].string == account["balance"]["amount"].string)
    }
  }

  @Test func `what the view hides is null`() throws {
    var client = try BankClient(Self.options)
    try client.signIn(as: 1)
    let path = try client.accountPath(0)
    let row = try client.json("\(path)/auditor/transactions")["transactions"][0]
    #expect(row["details"]["new_balance"]["amount"].isNull)
    #expect(row["this_account"]["holders"].isNull)
    #expect(row["metadata"]["images"].isNull)
    #expect(row["details"]["value"]["amount"].string != nil)
    #expect(try client.json("\(path)/views/auditor")["balance"]["amount"].isNull)
    #expect(client.call("GET", "/my\(path)/transactions").bodyText.contains("OBP-20019"))
    #expect(client.call("GET", "\(path)/owner/transactions").status == 403)
    #expect(client.call("GET", "\(path)/views").bodyText.contains("OBP-20022"))
  }

  @Test(arguments: [
    ("v1.2.1", "this_account", "IBAN"), ("v2.0.0", "this_account", "IBAN"),
    ("v3.0.0", "this_account", "account_routings"),
    ("v4.0.0", "this_account", "account_routings"), ("v5.1.0", "this_account", "account_routings"),
  ])
  func `the shape follows the version`(version: String, side: String, key: String) throws {
    var client = try BankClient.signedIn(Self.options)
    let path = try client.accountPath(0)
    client.version = version
    let row = try client.json("\(path)/owner/transactions")["transactions"][0]
    #expect(row[side][key].exists)
  }

  @Test func `amounts have the digits of their currency`() throws {
    let client = try BankClient.signedIn(Self.options)
    for account in try client.accounts() {
      let path = "/banks/\(account["bank_id"].string ?? "")/accounts/\(account["id"].string ?? "")/owner/transactions"
      guard case let rows = client.call("GET", path), rows.status == 200 else { continue }
      for row in try JSONDocument(rows.bodyBytes).root["transactions"].elements {
        let value = row["details"]["value"]
        let digits = BankCurrency.named(value["currency"].string ?? "")?.digits ?? -1
        let fraction = value["amount"].string?.split(separator: ".").dropFirst().first.map(\.count) ?? 0
        #expect(fraction == digits)
      }
    }
  }

  @Test func `notes are added, read back and removed`() throws {
    let client = try BankClient.signedIn(Self.options)
    let list = "\(try client.accountPath(1))/owner/transactions"
    let id = try #require(try client.json(list)["transactions"][0]["id"].string)
    let base = "\(list)/\(id)/metadata"
    let before = try client.json("\(base)/comments")["comments"].count
    let made = client.call("POST", "\(base)/comments", body: #"{"value":"zu viel"}"#)
    #expect(made.status == 201)
    let comment = try #require(try JSONDocument(made.bodyBytes).root["id"].string)
    #expect(try client.json("\(base)/comments")["comments"].count == before + 1)
    #expect(client.call("DELETE", "\(base)/comments/\(comment)").status == 204)
    #expect(try client.json("\(base)/comments")["comments"].count == before)
    #expect(
      client.call("POST", "\(base)/narrative", body: #"{"narrative":"lunch"}"#).bodyText
        == #"{"success":"narrative added"}"#)
    #expect(try client.json("\(base)/narrative")["narrative"].string == "lunch")
    #expect(
      client.call("POST", "\(base)/images", body: #"{"label":"x","URL":"ftp://x"}"#).bodyText.contains("OBP-10017"))
    #expect(
      client.call("POST", "\(base)/where", body: #"{"where":{"latitude":60.17,"longitude":24.94}}"#).status == 201)
    #expect(try client.json("\(base)/where")["where"]["latitude"].double == 60.17)
  }
}
