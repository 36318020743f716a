import JSON
import Testing

@testable import Sandbox

/// What developers and support desks need of the bank: docs, collections, orders, users, and the firehose.
@Suite struct BankDeveloperTests {
  @Test func `resource docs have examples of what to send`() throws {
    let client = try BankClient.signedIn()
    let docs = try client.json("/resource-docs/v5.1.0/obp?functions=createCounterparty")["resource_docs"]
    #expect(docs.count == 1)
    #expect(docs[0]["operation_id"].string == "OBPv4.0.0-createCounterparty")
    #expect(docs[0]["example_request_body"]["name"].string == "Deli Oy")
  }

  @Test func `resource docs are the same as long as their tag is`() throws {
    let client = try BankClient.signedIn()
    let first = client.call("GET", "/resource-docs/v5.1.0/obp")
    let tag = try #require(first.headers.first { $0.name == "ETag" }?.value)
    let second = client.call("GET", "/resource-docs/v5.1.0/obp", headers: [("If-None-Match", tag)])
    #expect(second.status == 304 && second.bodyBytes.isEmpty)
  }

  @Test func `a collection is made once and holds each endpoint once`() throws {
    let client = try BankClient.signedIn()
    let endpoints = "/my/api-collections/Favourites/api-collection-endpoints"
    #expect(client.call("GET", endpoints).bodyText.contains("OBP-30079"))
    let make = { client.call("POST", "/my/api-collections", body: #"{"api_collection_name":"Favourites"}"#) }
    #expect(make().status == 201)
    #expect(make().bodyText.contains("OBP-30086"))
    let add = { (id: String) in client.call("POST", endpoints, body: #"{"operation_id":"\#(id)"}"#) }
    #expect(add("OBPv4.0.0-createCounterparty").status == 201)
    #expect(add("OBPv4.0.0-createCounterparty").bodyText.contains("OBP-30084"))
    #expect(add("OBPv4.0.0-nothing").bodyText.contains("OBP-30083"))
    #expect(try client.json(endpoints)["api_collection_endpoints"].count == 1)
    #expect(client.call("DELETE", endpoints + "/OBPv4.0.0-createCounterparty").status == 204)
    #expect(client.call("DELETE", endpoints + "/OBPv4.0.0-createCounterparty").bodyText.contains("OBP-30082"))
    #expect(try client.json("/my/api-collections")["api_collections"].count == 1)
  }

  @Test func `a standing order and a direct debit name a customer and a payee that exist`() throws {
    let client = try BankClient.signedIn()
    let account = try client.accountPath(0)
    let payee = try #require(
      try client.json("\(account)/owner/counterparties")["counterparties"][0]["counterparty_id"].string)
    let me = try #require(try client.json("/users/current")["user_id"].string)
    let bank = try #require(try client.accounts()[0]["bank_id"].string)
    let mine = try client.json("/my/customers")["customers"].elements.first { $0["bank_id"].string == bank }
    let customer = try #require(mine?["customer_id"].string)
    let body = { (customer: String, payee: String, amount: String) in
      #"{"customer_id":"\#(customer)","user_id":"\#(me)","counterparty_id":"\#(payee)","amount":{"currency":"EUR","amount":"\#(amount)"},"#
        + #""when":{"frequency":"MONTHLY","detail":""},"date_starts":"2027-01-01T00:00:00Z"}"#
    }
    let order = client.call("POST", "\(account)/owner/standing-order", body: body(customer, payee, "10"))
    #expect(order.status == 201)
    #expect(try JSONDocument(order.bodyBytes).root["amount"]["amount"].string == "10.00")
    #expect(client.call("POST", "\(account)/owner/direct-debit", body: body(customer, payee, "1")).status == 201)
    for (wrong, code) in [
      (body("nobody", payee, "10"), "OBP-30046"), (body(customer, "nobody", "10"), "OBP-30017"),
      (body(customer, payee, "0"), "OBP-10002"),
    ] {
      #expect(client.call("POST", "\(account)/owner/standing-order", body: wrong).bodyText.contains(code))
    }
    #expect(client.call("POST", "\(account)/auditor/standing-order", body: body(customer, payee, "1")).status == 403)
  }

  @Test func `users and their roles are for those whose role it is`() throws {
    let owner = try BankClient.signedIn()
    let users = try owner.json("/users?limit=2&offset=1")["users"]
    #expect(users.count == 2)
    let id = try #require(users[0]["user_id"].string)
    #expect(try owner.json("/users/user_id/\(id)")["username"].string == users[0]["username"].string)
    let auditor = try BankClient.signedIn(as: 1)
    #expect(auditor.call("GET", "/users").bodyText.contains("OBP-20006"))
  }

  @Test func `the firehose is off until the operator wants it`() throws {
    let client = try BankClient.signedIn()
    let bank = try #require(try client.accounts()[0]["bank_id"].string)
    let path = "/banks/\(bank)/firehose/accounts/views/owner"
    #expect(client.call("GET", path).bodyText.contains("OBP-00009"))
    #expect(client.door.set("firehose", to: "true"))
    let accounts = try client.json("\(path)?limit=100")["accounts"]
    #expect(accounts.count > 1)
    let account = try #require(accounts[accounts.count - 1]["id"].string)
    let bookings = try client.json("/banks/\(bank)/firehose/accounts/\(account)/views/owner/transactions?limit=3")
    #expect(bookings["transactions"].count <= 3)
  }

  @Test func `system views are told by id, with every right`() throws {
    let client = try BankClient.signedIn()
    let ids = try client.json("/system-views-ids")["views"].elements.compactMap { $0["id"].string }
    #expect(ids == ["owner", "auditor", "accountant"])
    #expect(try client.json("/system-views/owner")["can_add_comment"].bool == true)
    #expect(client.call("GET", "/system-views/nothing").status == 404)
  }

  @Test func `access is given and taken by user id`() throws {
    let owner = try BankClient.signedIn()
    let account = try owner.accountPath(5)
    let other = owner.door.bank.data.users[2]
    let body = #"{"user_id":"\#(other.id)","view":{"view_id":"auditor","is_system":true}}"#
    #expect(owner.call("POST", "\(account)/account-access/grant", body: body).status == 201)
    var stranger = BankClient(sharing: owner)
    try stranger.signIn(as: 2)
    #expect(stranger.call("GET", "\(account)/auditor/account").status == 200)
    #expect(owner.call("POST", "\(account)/account-access/revoke", body: body).status == 201)
    #expect(stranger.call("GET", "\(account)/auditor/account").status == 403)
  }

  @Test func `consents belong to a bank, and reset brings them back`() throws {
    let client = try BankClient.signedIn()
    let banks = client.door.bank.data.consents.map(\.bank)
    let first = try client.json("/banks/\(banks[0])/my/consents")["consents"]
    #expect(first.count == 1)
    let id = try #require(first[0]["consent_id"].string)
    #expect(try client.json("/banks/\(banks[0])/my/consents/\(id)/revoke")["status"].string == "REVOKED")
    client.door.suffer(.reset)
    #expect(client.door.bank.state.read { $0.consents.first?.status } == "ACCEPTED")
  }

  @Test func `a customer has addresses and tax residences for those whose role it is`() throws {
    let client = try BankClient.signedIn()
    let bank = Bank.all[0].id
    let customer = try #require(
      try client.json("/banks/\(bank)/customers?limit=1")["customers"][0]["customer_id"].string)
    #expect(try client.json("/banks/\(bank)/customers/\(customer)/addresses")["addresses"].count == 1)
    #expect(try client.json("/banks/\(bank)/customers/\(customer)/tax-residences")["tax_residence"].count == 1)
  }
}

extension BankClient {
  /// Another user of the same server.
  fileprivate init(sharing other: BankClient) {
    hall = other.hall
    door = other.door
  }
}
