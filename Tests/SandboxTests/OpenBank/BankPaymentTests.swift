import HTTPServer
import JSON
import Testing

@testable import Sandbox

@Suite struct BankPaymentTests {
  private func pay(
    _ client: BankClient, _ path: String, _ type: String, amount: String, currency: String = "EUR", to: String,
    more: String = ""
  ) -> ServerResponse {
    let body = #"{"to":\#(to),"value":{"currency":"\#(currency)","amount":"\#(amount)"},"description":"rent"\#(more)}"#
    return client.call("POST", "\(path)/owner/transaction-request-types/\(type)/transaction-requests", body: body)
  }

  /// Another account of the same bank and its body form.
  private func target(_ client: BankClient) throws -> String {
    let account = client.door.bank.data.accounts[client.hall.setting.options.accounts + 4]
    return #"{"bank_id":"\#(account.bank.id)","account_id":"\#(account.id)"}"#
  }

  private func balance(_ client: BankClient, _ path: String) throws -> Int {
    let amount = try client.json("\(path)/views/owner")["balance"]["amount"].string ?? ""
    return try #require(BankCurrency.all[0].minor(amount))
  }

  @Test func `a small payment is booked at once`() throws {
    let client = try BankClient.signedIn()
    let path = try client.accountPath(0)
    let before = try balance(client, path)
    let response = pay(client, path, "ACCOUNT", amount: "10.01", to: try target(client))
    #expect(response.status == 201)
    let made = try JSONDocument(response.bodyBytes).root
    #expect(made["status"].string == "COMPLETED")
    #expect(made["challenges"].isNull)
    #expect(try balance(client, path) == before - 1_001)
    let id = try #require(made["transaction_ids"][0].string)
    let row = try client.json("\(path)/owner/transactions/\(id)/transaction")
    #expect(row["details"]["value"]["amount"].string == "-10.01")
    let listed = try client.json("/my\(path)/transactions?limit=5")["transactions"]
    #expect(listed.elements.contains { $0["id"].string == id })
  }

  @Test func `balances stay consistent around a payment`() throws {
    let client = try BankClient.signedIn()
    let path = try client.accountPath(0)
    for amount in ["1.00", "2.00", "3.50"] {
      #expect(pay(client, path, "ACCOUNT", amount: amount, to: try target(client)).status == 201)
    }
    let rows = Array(try client.json("/my\(path)/transactions?limit=20")["transactions"].elements)
    let figures = try rows.map { row in
      (
        try #require(BankCurrency.all[0].minor(row["details"]["value"]["amount"].string ?? "")),
        try #require(BankCurrency.all[0].minor(row["details"]["new_balance"]["amount"].string ?? ""))
      )
    }
    for (newer, older) in zip(figures, figures.dropFirst()) { #expect(newer.1 == older.1 + newer.0) }
    #expect(rows.count { $0["details"]["description"].string == "rent" } == 3)
  }

  @Test func `a large payment waits for its challenge`() throws {
    let client = try BankClient.signedIn()
    let path = try client.accountPath(0)
    let made = try JSONDocument(pay(client, path, "ACCOUNT", amount: "1000.01", to: try target(client)).bodyBytes).root
    #expect(made["status"].string == "INITIATED")
    let (id, challenge) = (made["id"].string ?? "", made["challenges"][0]["id"].string ?? "")
    #expect(made["challenges"][0]["link"].string?.hasPrefix("http://127.0.0.1:8080/obp/v4.0.0/banks/") == true)
    let answer = "\(path)/owner/transaction-request-types/ACCOUNT/transaction-requests/\(id)/challenge"
    #expect(client.call("POST", answer, body: #"{"id":"\#(challenge)","answer":"1"}"#).bodyText.contains("OBP-40016"))
    let done = client.call("POST", answer, body: #"{"id":"\#(challenge)","answer":"123"}"#)
    #expect(done.status == 202)
    #expect(try JSONDocument(done.bodyBytes).root["status"].string == "COMPLETED")
    #expect(client.call("POST", answer, body: #"{"id":"\#(challenge)","answer":"123"}"#).bodyText.contains("OBP-40011"))
  }

  @Test func `three wrong answers end a payment`() throws {
    let client = try BankClient.signedIn()
    let path = try client.accountPath(0)
    let made = try JSONDocument(pay(client, path, "ACCOUNT", amount: "5000", to: try target(client)).bodyBytes).root
    let answer =
      "\(path)/owner/transaction-request-types/ACCOUNT/transaction-requests/\(made["id"].string ?? "")/challenge"
    let body = #"{"id":"\#(made["challenges"][0]["id"].string ?? "")","answer":"0"}"#
    let codes = (0..<3).map { _ in client.call("POST", answer, body: body).bodyText }
    #expect(codes[1].contains("OBP-40016"))
    #expect(codes[2].contains("OBP-40014"))
    let request = try client.json("\(path)/owner/transaction-requests/\(made["id"].string ?? "")")
    #expect(request["status"].string == "FAILED")
  }

  @Test func `bad payments are refused by code`() throws {
    let client = try BankClient.signedIn()
    let path = try client.accountPath(0)
    let to = try target(client)
    let payees = try client.json("\(path)/owner/counterparties")["counterparties"]
    let stranger = payees.elements.first { $0["is_beneficiary"].bool == false }?["counterparty_id"].string ?? ""
    let policy = #","charge_policy":"SHARED""#
    let cases = [
      (pay(client, path, "ACCOUNT", amount: "0", to: to), "OBP-40008"),
      (pay(client, path, "ACCOUNT", amount: "1", currency: "GBP", to: to), "OBP-40003"),
      (pay(client, path, "ACCOUNT", amount: "1", currency: "ZZZ", to: to), "OBP-10003"),
      (pay(client, path, "GOLD", amount: "1", to: to), "OBP-40001"),
      (pay(client, path, "SEPA", amount: "1", to: #"{"iban":"x"}"#), "OBP-40013"),
      (
        pay(client, path, "COUNTERPARTY", amount: "1", to: #"{"counterparty_id":"\#(stranger)"}"#, more: policy),
        "OBP-30013"
      ),
      (pay(client, path, "ACCOUNT", amount: "1", to: "{}"), "OBP-10001"),
    ]
    for (response, code) in cases {
      #expect(response.status == 400)
      #expect(response.bodyText.contains(code), "\(response.bodyText)")
    }
  }

  @Test func `a wrong content type looks like an unknown address`() throws {
    let client = try BankClient.signedIn()
    let path = "\(try client.accountPath(0))/owner/transaction-request-types/ACCOUNT/transaction-requests"
    let response = client.call("POST", path, headers: [("Content-Type", "text/plain")], body: "{}")
    #expect(response.status == 404)
    #expect(response.bodyText.contains("OBP-10404"))
  }

  @Test func `the shape of a payment follows the version`() throws {
    var client = try BankClient.signedIn()
    let path = try client.accountPath(0)
    let to = try target(client)
    client.version = "v2.0.0"
    let old = try JSONDocument(pay(client, path, "SANDBOX_TAN", amount: "1", to: to).bodyBytes).root
    #expect(old["transaction_ids"].string != nil)
    #expect(old["details"]["to"]["account_id"].string != nil)
    client.version = "v2.1.0"
    let middle = try JSONDocument(pay(client, path, "SANDBOX_TAN", amount: "2000", to: to).bodyBytes).root
    #expect(middle["transaction_ids"].count == 0)
    #expect(middle["challenge"]["id"].string != nil)
    #expect(middle["details"]["to_sandbox_tan"]["account_id"].string != nil)
  }

  @Test func `a counterparty is made, listed and removed`() throws {
    let client = try BankClient.signedIn()
    let base = "\(try client.accountPath(0))/owner/counterparties"
    let body = #"""
      {"name":"Deli Oy","description":"corner shop","currency":"EUR","other_bank_routing_scheme":"OBP",
       "other_bank_routing_address":"kiln.01.fi","other_account_routing_scheme":"IBAN","other_account_routing_address":"FI55",
       "is_beneficiary":true,"bespoke":[{"key":"customer no","value":"77"}]}
      """#
    let made = client.call("POST", base, body: body)
    #expect(made.status == 201)
    let id = try #require(try JSONDocument(made.bodyBytes).root["counterparty_id"].string)
    #expect(client.call("POST", base, body: body).bodyText.contains("OBP-30014"))
    #expect(try client.json("\(base)/\(id)")["metadata"]["public_alias"].string == "")
    #expect(client.call("DELETE", "\(base)/\(id)").status == 200)
    #expect(client.call("GET", "\(base)/\(id)").bodyText.contains("OBP-30017"))
  }

  // MARK: Refunds

  private func refund(_ client: BankClient, _ path: String, _ body: String) -> ServerResponse {
    client.call("POST", "\(path)/owner/transaction-request-types/REFUND/transaction-requests", body: body)
  }

  @Test func `a transaction is given back once`() throws {
    let client = try BankClient.signedIn()
    let path = try client.accountPath(0)
    let list = Array(try client.json("/my\(path)/transactions?limit=50")["transactions"].elements)
    let incoming = try #require(list.first { !($0["details"]["value"]["amount"].string ?? "-").hasPrefix("-") })
    let id = incoming["id"].string ?? ""
    let body = """
      {"to":\(try target(client)),"value":{"currency":"EUR","amount":"1.00"},"description":"back",
      "refund":{"transaction_id":"\(id)","reason_code":"X"}}
      """
    let before = try balance(client, path)
    let response = refund(client, path, body)
    #expect(response.status == 201, "\(response.bodyText)")
    #expect(try balance(client, path) == before - 100)
    #expect(refund(client, path, body).bodyText.contains("OBP-30068"))
    #expect(refund(client, path, body.replacing(id, with: "nonsense")).bodyText.contains("OBP-30067"))
  }

  @Test func `money that is asked back waits for an answer, and may be refused`() throws {
    let client = try BankClient.signedIn()
    let path = try client.accountPath(0)
    let list = Array(try client.json("/my\(path)/transactions?limit=50")["transactions"].elements)
    let paid = list.filter { ($0["details"]["value"]["amount"].string ?? "").hasPrefix("-") }
    let payees = Array(try client.json("\(path)/owner/counterparties")["counterparties"].elements)
    let before = try balance(client, path)
    for (transaction, answer, status) in [(paid[0], "REJECT", "REJECTED"), (paid[1], "123", "COMPLETED")] {
      let body = """
        {"from":{"counterparty_id":"\(payees[0]["counterparty_id"].string ?? "")"},
        "value":{"currency":"EUR","amount":"1.00"},"description":"back",
        "refund":{"transaction_id":"\(transaction["id"].string ?? "")","reason_code":"X"}}
        """
      let made = try JSONDocument(refund(client, path, body).bodyBytes).root
      #expect(made["status"].string == "INITIATED")
      let challenge = made["challenges"][0]["id"].string ?? ""
      let place = "\(path)/owner/transaction-request-types/REFUND/transaction-requests/\(made["id"].string ?? "")"
      let reply = client.call(
        "POST", "\(place)/challenge", body: #"{"id":"\#(challenge)","answer":"\#(answer)"}"#)
      #expect(reply.status == 202)
      #expect(try JSONDocument(reply.bodyBytes).root["status"].string == status)
    }
    #expect(try balance(client, path) == before + 100)
  }
}
