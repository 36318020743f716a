import Model
import Store
import TestKit
import Testing
import Wire

@testable import OpenBank

/// Every call of the kit has two forms, and each completion arrives once, on the main actor.
@Suite(.bounded) struct CompletionTests {
  private static let account = AccountID(bank: "kiln.01.fi", account: "8ca8")

  /// Starts a call and waits until its completion was called.
  private func arrives<Value: Sendable>(
    _ start: @Sendable (@escaping Completion<Value>) -> Task<Void, Never>
  ) async -> Result<Value, ServiceError> {
    await withCheckedContinuation { continuation in
      _ = start { result in
        MainActor.assertIsolated()
        continuation.resume(returning: result)
      }
    }
  }

  @Test func `reading arrives on the main actor`() async throws {
    let bench = try OpenBankBench()
    let client = bench.backend.client
    let (root, own) = ("/obp/v5.1.0", "/obp/v5.1.0/my/banks/kiln.01.fi/accounts/8ca8")
    bench.stub.on("GET", "\(root)/banks", body: Bodies.banks)
    bench.stub.on("GET", "\(root)/my/accounts", body: Bodies.privateAccounts)
    bench.stub.on("GET", "\(own)/account", body: Bodies.household)
    bench.stub.on("GET", "\(own)/transactions", body: Bodies.transactions(["a", "b"]))
    #expect(try await arrives { client.banks($0) }.get().count == 2)
    #expect(try await arrives { client.accounts($0) }.get().count == 2)
    #expect(try await arrives { client.account(Self.account, $0) }.get().label == "Household")
    #expect(
      try await arrives { client.transactions(of: Self.account, TransactionPage(), $0) }.get().map(\.id) == ["a", "b"])
  }

  /// Nothing answers here: an error arrives where a value would.
  @Test func `a failure arrives where the value would`() async throws {
    let bench = try OpenBankBench()
    let client = bench.backend.client
    let account = Self.account
    let payment = Payment(
      type: "FREE_FORM", to: .nobody, amount: Money(units: 1, decimals: 2, currency: "EUR"), description: "")
    let challenge = PaymentRequest.Challenge(id: "b8be", attempts: 3)
    let request = PaymentRequest(.absent)
    #expect(await arrives { client.bank("x", $0) }.isFailure)
    #expect(await arrives { client.publicAccounts($0) }.isFailure)
    #expect(await arrives { client.transaction("t", of: account, $0) }.isFailure)
    #expect(await arrives { client.counterparties(of: account, $0) }.isFailure)
    #expect(await arrives { client.pay(payment, from: account, $0) }.isFailure)
    #expect(
      await arrives { client.answer(challenge, of: request, from: account, with: Secret("1"), $0) }.isFailure)
    #expect(await arrives { client.currentUser($0) }.isFailure)
    #expect(await arrives { client.probe($0) }.isFailure)
    #expect(await arrives { client.call(RawCall("GET", "/x"), to: MemorySink(), $0) }.isFailure)
    #expect(await arrives { client.session.signIn(SignInRequest(), $0) }.isFailure)
    let marshal = OpenBankMarshal(client)
    #expect(await arrives { marshal.get("x", .init(), $0) }.isFailure)
    #expect(await arrives { marshal.create("x", .json([:]), .init(), $0) }.isFailure)
    #expect(await arrives { marshal.update("x", .json([:]), .init(), $0) }.isFailure)
    #expect(await arrives { marshal.delete("x", .init(), $0) }.isFailure)
    #expect(await arrives { client.session.invalidate($0) }.isFailure == false)
    #expect(await arrives { client.session.signOut($0) }.isFailure == false)
  }

  @Test func `records and sessions are kept and removed with completions, too`() async throws {
    let directory = try TemporaryDirectory()
    let count = Counter()
    let records = try OpenBankServerRecords(path: directory.file("servers.json"), keeper: StubKeeper()) { length in
      let number = count.next()
      return (0..<length).map { UInt8(truncatingIfNeeded: $0 + Int(number)) }
    }
    let record = try records.add("https://api.bank.example")
    _ = try await arrives { records.setClient(key: Secret("a"), secret: Secret("b"), of: record, $0) }.get()
    #expect(try await arrives { records.standing(of: record, $0) }.get().isUsable)
    let sessions = OpenBankSessions(records: records, transport: StubTransport(), surroundings: .stub())
    _ = try sessions.client(for: record, method: .direct)
    _ = try await arrives { sessions.remove(record, $0) }.get()
    #expect(sessions.found(record) == nil)
    _ = try await arrives { records.remove(record, $0) }.get()
    #expect(records.all.isEmpty)
  }

  // MARK: None is missing

  /// Names of public functions in a source: those that are awaited, and those with a completion.
  private static func functions(in source: String) -> (awaited: [String], completed: Set<String>) {
    var (awaited, completed) = ([String](), Set<String>())
    for part in source.split(separator: "public func ").dropFirst() {
      let name = String(part.prefix { $0 != "(" && $0 != "<" })
      let head = part.prefix { $0 != "{" }
      if head.contains("Completion<") {
        completed.insert(name)
      } else if head.contains(" async ") {
        awaited.append(name)
      }
    }
    return (awaited, completed)
  }

  @Test(arguments: ["Client", "Kit", "Session"])
  func `every call of the kit has a form with a completion`(folder: String) throws {
    let sources = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/Sources/OpenBank/"
    let all = try ["Client", "Kit", "Session"].flatMap { folder in
      try Files.names(in: sources + folder).map { (folder, try Files.read("\(sources)\(folder)/\($0)")) }
    }.map { ($0, CompletionTests.functions(in: String(decoding: $1, as: UTF8.self))) }
    let completed = all.reduce(into: Set<String>()) { $0.formUnion($1.1.completed) }
    let awaited = all.filter { $0.0 == folder }.flatMap(\.1.awaited)
    // What an asker answers is not for callers of the kit.
    #expect(awaited.count > 1)
    #expect(awaited.filter { !completed.contains($0) && $0 != "ask" } == [])
  }
}

extension Result {
  fileprivate var isFailure: Bool {
    if case .failure = self { true } else { false }
  }
}
