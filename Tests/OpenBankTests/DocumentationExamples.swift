import FoundationEssentials
import JSON
import Model
import OpenBank
import Wire

/// The examples of the documentation's pages, so that they compile; `DocumentationTests` holds the pages against them.
enum DocumentationExamples {
  // example: OpenBank
  static func exampleOpenBank(
    _ client: OpenBankClient
  ) async throws {
    let accounts = try await client.accounts()
    for account in accounts {
      let detail = try await client.account(account.id)
      print(detail.label ?? "without a label", detail.balance?.description ?? "hidden by the view")
    }
    // end
  }

  // example: SigningIn
  static func exampleSigningIn(
    _ records: OpenBankServerRecords, _ record: OpenBankServerRecord, _ transport: any Transport,
    _ surroundings: (any Asker) -> Surroundings
  ) async throws {
    let pages = OpenBankPages.outOfBand { url throws(ServiceError) in
      print("Open \(url) and type the code that it shows.")
    } verifier: { () throws(ServiceError) in
      readLine().map { Secret($0) }
    }
    let sessions = OpenBankSessions(records: records, transport: transport, surroundings: surroundings(pages))
    let client = try sessions.client(for: record, method: .oauth1)
    let state = try await client.session.signIn(pages.request)
    print(state.isSignedIn, client.session.standing == .valid)
    // end
  }

  // example: Transactions
  static func exampleTransactions(
    _ client: OpenBankClient, _ account: AccountID
  ) async throws {
    var page = TransactionPage(offset: 0, limit: 51)
    page.from = OpenBankDate.time("2026-01-01T00:00:00Z")
    let bookings = try await client.transactions(of: account, through: "auditor", page)
    for booking in bookings.prefix(50) {
      print(booking.completed?.dateText ?? "", booking.amount?.decimalText ?? "hidden", booking.otherSide.name ?? "")
    }
    let hasMore = bookings.count > 50
    // end
    _ = hasMore
  }

  // example: Paying
  static func examplePaying(
    _ client: OpenBankClient, _ account: AccountID
  ) async throws {
    let payment = Payment(
      type: "SEPA", to: .iban("FI5512345600000785"), amount: Money(units: 1050, decimals: 2, currency: "EUR"),
      description: "rent")
    var request = try await client.pay(payment, from: account)
    if let challenge = request.challenge, !request.isFinal {
      request = try await client.answer(challenge, of: request, from: account, with: Secret("123"))
    }
    print(request.status ?? "taken")
    // end
  }

  // example: AnyResource
  static func exampleAnyResource(
    _ client: OpenBankClient
  ) async throws {
    var marshal = OpenBankMarshal(client)
    marshal.onError = { error, path in print(path, error.message) }
    var options = OpenBankMarshal.Options()
    options.kind = .object
    options.expected = [201]
    let made = try await marshal.create(
      "/entitlement-requests", .json(["bank_id": "", "role_name": "CanGetAnyUser"]), options)
    print(made.json?["entitlement_request_id"].string ?? made.text)
    // end
  }

  // example: OwnRequests
  static func exampleOwnRequests(
    _ client: OpenBankClient, _ transport: any Transport, _ url: URL
  ) async throws {
    let request = HTTPRequest("GET", url, label: "load my accounts")
    let sent = try await client.session.authorized(request)
    let response = try await transport.send(sent.request)
    try await client.session.check(response, to: sent)
    print(response.status, client.session.isValid)
    // end
  }

  // example: ServerRecords
  static func exampleServerRecords(
    _ path: String, _ url: String, _ keeper: any SecretKeeper,
    _ randomBytes: @escaping @Sendable (Int) -> [UInt8]
  ) async throws {
    let records = try OpenBankServerRecords(path: path, keeper: keeper, randomBytes: randomBytes)
    var record = try records.first(for: url) ?? records.add(url)
    if try await !records.standing(of: record).isUsable {
      try await records.setClient(key: Secret("consumer key"), secret: Secret("consumer secret"), of: record)
    }
    record.appData["colour"] = "red"
    try records.update(record)
    // end
  }

  // example: ComingFromOBPKit
  static func exampleComingFromOBPKit(
    _ client: OpenBankClient
  ) {
    client.session.signIn { result in
      guard case .success(let state) = result, state.isSignedIn else { return }
      OpenBankMarshal(client).get("my/accounts") { reply in
        print((try? reply.get())?.text ?? "nothing")
      }
    }
    // end
  }
}
