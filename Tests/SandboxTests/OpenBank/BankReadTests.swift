import HTTPServer
import JSON
import Testing

@testable import Sandbox

/// Every list and detail that a browser reads, by version.
@Suite struct BankReadTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let version: String, path: String, member: String
    var testDescription: String { "\(version)\(path)" }
    init(_ version: String, _ path: String, _ member: String) {
      (self.version, self.path, self.member) = (version, path, member)
    }
  }

  @Test(arguments: [
    Case("v1.2.1", "/root", "version"), Case("v5.1.0", "/root", "stage"), Case("v5.1.0", "", "hostname"),
    Case("v2.0.0", "/banks", "banks"), Case("v3.0.0", "/banks/kiln.01.fi", "bank_routings"),
    Case("v5.1.0", "/banks/kiln.01.fi", "bank_code"), Case("v2.0.0", "/banks/kiln.01.fi", "short_name"),
    Case("v5.1.0", "/my/accounts", "accounts"), Case("v5.1.0", "/banks/kiln.01.fi/accounts/private", "accounts"),
    Case("v5.1.0", "/banks/kiln.01.fi/accounts-held", "accounts"), Case("v1.2.1", "/accounts", "accounts"),
    Case("v5.1.0", "/banks/kiln.01.fi/balances", "accounts"),
    Case("v3.1.0", "/banks/sakura.03.jp/balances", "overall_balance"),
    Case("v5.1.0", "/banks/kiln.01.fi/views/owner/balances", "accounts"), Case("v5.1.0", "/cards", "cards"),
    Case("v5.1.0", "/banks/kiln.01.fi/cards", "cards"), Case("v5.1.0", "/management/banks/kiln.01.fi/cards", "cards"),
    Case("v1.4.0", "/banks/kiln.01.fi/customer", "legal_name"), Case("v3.0.0", "/users/current/customers", "customers"),
    Case("v5.1.0", "/my/customers", "customers"), Case("v5.1.0", "/banks/kiln.01.fi/customers", "customers"),
    Case("v2.0.0", "/users/current", "entitlements"), Case("v5.1.0", "/users/current", "is_locked"),
    Case("v5.1.0", "/my/entitlements", "list"), Case("v5.1.0", "/roles", "roles"),
    Case("v1.4.0", "/banks/kiln.01.fi/branches", "branches"),
    Case("v5.1.0", "/banks/kiln.01.fi/branches?limit=3", "branches"),
    Case("v5.1.0", "/banks/kiln.01.fi/atms/kiln.01.fi-a7", "atm_type"),
    Case("v5.1.0", "/banks/kiln.01.fi/atms", "atms"),
    Case("v1.4.0", "/banks/kiln.01.fi/products", "products"), Case("v5.1.0", "/banks/kiln.01.fi/products/CUR1", "fees"),
    Case("v5.1.0", "/banks/kiln.01.fi/products/CUR1/fees", "product_fees"),
    Case("v5.1.0", "/banks/kiln.01.fi/my/consent-infos", "consents"),
    Case("v5.1.0", "/banks/kiln.01.fi/fx/EUR/GBP", "conversion_value"),
    Case("v5.1.0", "/banks/alnoor.04.kw/currencies", "currencies"), Case("v5.1.0", "/api/glossary", "glossary_items"),
    Case("v5.1.0", "/api/versions", "scanned_api_versions"),
    Case("v5.1.0", "/resource-docs/v5.1.0/obp", "resource_docs"),
    Case("v5.1.0", "/rate-limiting", "enabled"), Case("v5.1.0", "/banks/kiln.01.fi/my/consents", "consents"),
    Case("v5.1.0", "/management/users/current/consumers", "consumers"),
    Case("v5.1.0", "/banks/kiln.01.fi/transaction-request-types", "transaction_request_types"),
  ])
  func `answers with its member`(_ c: Case) throws {
    var client = try BankClient.signedIn()
    client.version = c.version
    #expect(try client.json(c.path)[c.member].exists)
  }

  @Test(arguments: [
    ("v2.0.0", "/my/accounts"), ("v2.0.0", "/banks/kiln.01.fi/accounts"), ("v4.0.0", "/banks/kiln.01.fi/accounts"),
    ("v2.0.0", "/my/banks/kiln.01.fi/accounts"), ("v2.0.0", "/banks/kiln.01.fi/accounts/public"),
  ])
  func `is a bare array`(version: String, path: String) throws {
    var client = try BankClient.signedIn()
    client.version = version
    #expect(try client.json(path).kind == .array)
  }

  @Test func `branches are narrowed to a circle and a town`() throws {
    let client = try BankClient()
    let all = Array(try client.json("/banks/kiln.01.fi/branches")["branches"].elements)
    let middle = all[3]["location"]
    let (latitude, longitude) = (middle["latitude"].double ?? 0, middle["longitude"].double ?? 0)
    let circle = "withinMetersOf=2000&nearLatitude=\(latitude)&nearLongitude=\(longitude)"
    let near = Array(try client.json("/banks/kiln.01.fi/branches?\(circle)")["branches"].elements)
    #expect(near.contains { $0["id"].string == all[3]["id"].string } && near.count < all.count)
    let far = try client.json("/banks/kiln.01.fi/branches?\(circle.replacing("=2000", with: "=30000000"))")
    #expect(far["branches"].count == all.count)
    #expect(client.call("GET", "/banks/kiln.01.fi/branches?withinMetersOf=5").status == 400)
  }

  @Test func `every account of the options is mine`() throws {
    let client = try BankClient.signedIn(SandboxOptions(accounts: 300, transactions: 10))
    let all = try client.accounts()
    #expect(all.count == 302)
    #expect(all.count { $0["views"].elements.contains { $0["id"].string == "owner" } } == 300)
    #expect(Set(all.compactMap { $0["bank_id"].string }).count == Bank.holding.count)
    let labels = Set(all.compactMap { $0["label"].string })
    for label in ["", "企業口座", "\u{1B}[31mred\u{1B}[0m alert", "\u{202E}gnp.slairetam\u{202C}"] {
      #expect(labels.contains(label))
    }
    #expect(try client.json("/banks/quiet.07.is/accounts/private")["accounts"].count == 0)
  }

  @Test(arguments: [
    ("v5.1.0", "/banks/nope", 404, "OBP-30001"), ("v2.0.0", "/banks/nope", 400, "OBP-30001"),
    ("v5.1.0", "/banks/kiln.01.fi/accounts/x/views/owner", 404, "OBP-30018"), ("v5.1.0", "/nothing", 404, "OBP-10404"),
    ("v9.9.9", "/root", 404, "OBP-10404"), ("v6.0.0", "/root", 404, "OBP-10404"), ("v1.2", "/root", 404, "OBP-10404"),
    ("v5.1.0", "/banks/thistle.02.gb/customers", 403, "OBP-20006"),
    ("v5.1.0", "/banks/kiln.01.fi/fx/EUR/XBT", 400, "OBP-10004"),
    ("v5.1.0", "/banks/kiln.01.fi/fx/EUR/ZZZ", 400, "OBP-10003"),
    ("v5.1.0", "/banks/kiln.01.fi/atms?limit=x", 400, "OBP-10002"),
  ])
  func `refuses by status and code`(version: String, path: String, status: Int, code: String) throws {
    var client = try BankClient.signedIn()
    client.version = version
    let response = client.call("GET", path)
    #expect(response.status == status)
    #expect(response.bodyText.contains(code))
  }

  @Test func `public views are off until allowed`() throws {
    let client = try BankClient.signedIn()
    #expect(try client.json("/accounts/public")["accounts"].count == 0)
    let account = client.door.bank.data.accounts[client.hall.setting.options.accounts + 2]
    let path = "/banks/\(account.bank.id)/public/accounts/\(account.id)/_public/account"
    #expect(client.call("GET", path).bodyText.contains("OBP-00005"))
    #expect(client.door.set("public-views", to: "true"))
    #expect(try client.json("/accounts/public")["accounts"].count == 2)
    #expect(try client.json(path)["balance"]["amount"].isNull)
  }

  @Test func `the newer generation writes pretty and serves v6`() throws {
    var client = try BankClient.signedIn()
    #expect(client.door.set("profile", to: "gen-h"))
    client.version = "v6.0.0"
    #expect(client.call("GET", "/banks").bodyText.hasPrefix("{\n  \"banks\""))
    #expect(try client.json("/banks")["banks"][0]["bank_id"].string == "kiln.01.fi")
    let path = try client.accountPath(0)
    #expect(try client.json("\(path)/owner/transactions")["transactions"][0]["transaction_id"].exists)
  }

  @Test func `rate limits count down and end in 429`() throws {
    let client = try BankClient.signedIn()
    #expect(client.call("GET", "/banks").header("X-Rate-Limit-Limit") == nil)
    #expect(client.door.set("rate", to: "3"))
    let left = (0..<4).map { _ in client.call("GET", "/banks") }
    #expect(left.map(\.status) == [200, 200, 200, 429])
    #expect(left.map { $0.header("X-Rate-Limit-Remaining") } == ["2", "1", "0", "0"])
    #expect(left[3].bodyText.contains("OBP-10018"))
    #expect(left[3].header("Retry-After") == nil)
    #expect(client.call("GET", "/root").status == 200)
  }

  @Test func `old servers write errors under another key`() throws {
    let client = try BankClient()
    #expect(client.door.set("old-errors", to: "true"))
    #expect(client.call("GET", "/my/accounts").bodyText.hasPrefix("{\"error\":\"OBP-20001"))
  }

  @Test func `a view is made, used and removed`() throws {
    let client = try BankClient.signedIn()
    let views = "\(try client.accountPath(0))/views"
    let body =
      #"{"name":"_Team one","description":"d","is_public":false,"which_alias_to_use":"private","hide_metadata_if_alias_used":true,"allowed_actions":["can_see_tags"]}"#
    #expect(client.call("POST", views, body: body).bodyText.contains(#""id":"_teamone""#))
    #expect(try client.json(views)["views"].elements.contains { $0["id"].string == "_teamone" })
    #expect(client.call("POST", views, body: body).bodyText.contains("OBP-30252"))
    #expect(client.call("DELETE", "\(views)/owner").status == 400)
    #expect(client.call("DELETE", "\(views)/_teamone").status == 204)
  }

  @Test func `a label is changed and reset brings it back`() throws {
    let client = try BankClient.signedIn()
    let path = try client.accountPath(0)
    #expect(client.call("POST", path, body: #"{"label":"Holiday"}"#).bodyText == #"{"success":"Success"}"#)
    #expect(try client.accounts()[0]["label"].string == "Holiday")
    #expect(client.request("POST", "/sandbox/reset").status == 204)
    let again = try BankClient.signedIn()
    #expect(try again.accounts()[0]["label"].string == "Everyday account")
  }
}

@Suite struct BankOpeningTests {
  private let body = #"{"user_id":"","label":"New","product_code":"SAV2","balance":{"currency":"EUR","amount":"0"}}"#

  @Test func `an account is opened, empty, and can be paid into`() throws {
    let client = try BankClient.signedIn()
    let response = client.call("PUT", "/banks/kiln.01.fi/accounts/new-1", body: body)
    #expect(response.status == 201)
    #expect(try client.json("/banks/kiln.01.fi/accounts/new-1/views/owner")["balance"]["amount"].string == "0.00")
    #expect(client.call("PUT", "/banks/kiln.01.fi/accounts/new-1", body: body).bodyText.contains("OBP-30208"))
    let payment = client.call(
      "POST", "\(try client.accountPath(0))/owner/transaction-request-types/ACCOUNT/transaction-requests",
      body:
        #"{"to":{"bank_id":"kiln.01.fi","account_id":"new-1"},"value":{"currency":"EUR","amount":"5"},"description":"x"}"#
    )
    #expect(payment.status == 201)
    let rows = try client.json("/my/banks/kiln.01.fi/accounts/new-1/transactions")["transactions"]
    #expect(rows.count == 1)
    #expect(rows[0]["details"]["new_balance"]["amount"].string == "5.00")
    #expect(client.call("POST", "/banks/kiln.01.fi/accounts", body: body).status == 201)
  }

  @Test func `an account must start with nothing`() throws {
    let client = try BankClient.signedIn()
    let rich = body.replacing("\"0\"", with: "\"10\"")
    #expect(client.call("PUT", "/banks/kiln.01.fi/accounts/new-2", body: rich).bodyText.contains("OBP-30109"))
    #expect(client.call("PUT", "/banks/kiln.01.fi/accounts/a%20b", body: body).bodyText.contains("OBP-30111"))
  }

  @Test func `repeated names are refused`() throws {
    let client = try BankClient.signedIn()
    #expect(client.call("GET", "/banks?a=1&a=2").bodyText.contains("OBP-09016"))
    #expect(client.call("GET", "/banks", headers: [("X-A", "1"), ("x-a", "2")]).bodyText.contains("OBP-09017"))
  }
}
