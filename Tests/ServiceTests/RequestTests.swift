import Model
import Store
import TestKit
import Testing

@testable import Service

@Suite(.bounded) struct RequestTests {
  @Test func `equal reads in flight share one exchange`() async throws {
    let turnstile = Turnstile()
    let stub = StubBackend { script in
      script.list = { location, query throws(ServiceError) in
        await turnstile.pass()
        return try await StubBackend.numbers(3)(location, query)
      }
    }
    let service = try Harness(stub).service
    let reads = (0..<10).map { _ in Task { try await service.list(banks).rows.count } }
    // All ten wait on the one exchange before it may go on.
    while try service.waitingReads("bank", banks) < 10 { await Task.yield() }
    turnstile.open()
    for read in reads { #expect(try await read.value == 3) }
    #expect(stub.calls == ["list bank:/banks"])
  }

  @Test func `ten requests that need a sign-in lead to one sign-in and ten retries`() async throws {
    let turnstile = Turnstile()
    let stub = lockedUntilSignedIn(turnstile)
    let service = try Harness(stub).service
    let reads = (0..<10).map { number in
      Task { try await service.item(banks.appending("\(number)")).title }
    }
    await turnstile.arrivals(10)
    turnstile.open()
    for read in reads { #expect(try await read.value == "in") }
    #expect(stub.count(of: "signIn") == 1)
    #expect(stub.count(of: "item") == 20)
  }

  @Test func `a request is repeated once, even when the sign-in did not help`() async throws {
    let stub = StubBackend { script in
      script.item = { _ throws(ServiceError) in throw ServiceError(.signInNeeded, "open it") }
    }
    let service = try Harness(stub).service
    #expect(await failure { () async throws(ServiceError) in try await service.item(banks) }?.code == .signInNeeded)
    #expect(stub.calls == ["item bank:/banks", "signIn", "item bank:/banks"])
  }

  @Test func `a sign-in that nobody can make keeps what the server said to the request`() async throws {
    let stub = StubBackend { script in
      script.item = { _ throws(ServiceError) in
        throw ServiceError(.signInNeeded, "open it", status: 401, serverCode: "OBP-20001")
      }
      script.signIn = { _ throws(ServiceError) in throw ServiceError(.signInNeeded, "sign in") }
    }
    let service = try Harness(stub).service
    let error = await failure { () async throws(ServiceError) in try await service.item(banks) }
    #expect(error?.status == 401 && error?.serverCode == "OBP-20001" && error?.operation == "sign in")
  }

  @Test func `a sign-in cancelled once is not asked for again by requests of the same moment`() async throws {
    let turnstile = Turnstile()
    let stub = StubBackend { script in
      script.item = { _ throws(ServiceError) in
        await turnstile.pass()
        throw ServiceError(.signInNeeded, "open it")
      }
      script.signIn = { _ throws(ServiceError) in throw .cancelled("sign in") }
    }
    let service = try Harness(stub).service
    let reads = (0..<5).map { number in
      Task { await failure { () async throws(ServiceError) in try await service.item(banks.appending("\(number)")) } }
    }
    await turnstile.arrivals(5)
    turnstile.open()
    for read in reads { #expect(await read.value?.code == .cancelled) }
    #expect(stub.count(of: "signIn") == 1)
  }

  @Test func `one who leaves takes nothing from those who stay`() async throws {
    let turnstile = Turnstile()
    let stub = StubBackend { script in
      script.list = { location, query throws(ServiceError) in
        await turnstile.pass()
        if Task.isCancelled { throw .cancelled("list") }
        return try await StubBackend.numbers(1)(location, query)
      }
    }
    let service = try Harness(stub).service
    let first = Task { try await service.list(banks) }
    let second = Task { try await service.list(banks) }
    while try service.waitingReads("bank", banks) < 2 { await Task.yield() }
    first.cancel()
    await #expect(throws: ServiceError.self) { try await first.value }
    turnstile.open()
    #expect(try await second.value.rows.count == 1)
    #expect(stub.count(of: "list") == 1)
  }

  @Test func `the last one to leave cancels the exchange`() async throws {
    let (started, ended) = (Turnstile(), Turnstile())
    started.open()
    ended.open()
    let stub = StubBackend { script in
      script.list = { _, _ throws(ServiceError) in
        await started.pass()
        await cancellation()
        await ended.pass()
        throw .cancelled("list")
      }
    }
    let service = try Harness(stub).service
    let read = Task { try await service.list(banks) }
    await started.arrivals(1)
    read.cancel()
    await ended.arrivals(1)
    let error = await #expect(throws: ServiceError.self) { try await read.value }
    #expect(error?.code == .cancelled)
  }

  @Test @MainActor func `a completion is called once, on the main actor, also after a cancellation`() async throws {
    let stub = StubBackend { script in
      script.list = { _, _ throws(ServiceError) in
        await cancellation()
        throw .cancelled("list")
      }
    }
    let service = try Harness(stub).service
    // Resuming a checked continuation twice would trap.
    let result: Result<Listing, ServiceError> = await withCheckedContinuation { continuation in
      let handle = service.list(banks) { continuation.resume(returning: $0) }
      handle.cancel()
      handle.cancel()
    }
    guard case .failure(let error) = result else { return #expect(Bool(false)) }
    #expect(error.code == .cancelled)
  }

  @Test func `a listing is kept and marked, and a write forgets it`() async throws {
    let stub = StubBackend { script in
      script.list = StubBackend.numbers(3)
      script.write = { _, _ throws(ServiceError) in ActionOutcome("done") }
    }
    let service = try Harness(stub).service
    #expect(service.keptListing(banks) == nil)
    #expect(try await service.list(banks).freshness == .live)
    #expect(service.keptListing(banks)?.freshness == .cached(Timestamp(seconds: 1_000_000)))
    _ = try await service.delete(banks.appending("1"))
    #expect(service.keptListing(banks) == nil)
  }

  @Test func `what was asked before a write is not kept after it`() async throws {
    let turnstile = Turnstile()
    let stub = StubBackend { script in
      script.list = { location, query throws(ServiceError) in
        await turnstile.pass()
        return try await StubBackend.numbers(3)(location, query)
      }
      script.write = { _, _ throws(ServiceError) in ActionOutcome("done") }
    }
    let service = try Harness(stub).service
    let read = Task { try await service.list(banks) }
    await turnstile.arrivals(1)
    _ = try await service.delete(banks)
    turnstile.open()
    _ = try await read.value
    #expect(service.keptListing(banks) == nil)
  }

  @Test func `a read-only connection refuses every write and says so in its actions`() async throws {
    let stub = StubBackend { script in
      script.item = { location throws(ServiceError) in
        Item(location, title: "a", sections: [], actions: [Action("pay", "Pay")])
      }
      script.call = { _, _ throws(ServiceError) in RawReply(status: 200, version: "HTTP/1.1", headers: []) }
    }
    let service = try Harness(stub, settings: ", readOnly: true").service
    #expect(await failure { () async throws(ServiceError) in try await service.delete(banks) }?.code == .readOnly)
    let refused = await failure { () async throws(ServiceError) in
      try await service.call("bank", RawCall("POST", "/x"), to: NoSink())
    }
    #expect(refused?.code == .readOnly)
    #expect(try await service.call("bank", RawCall("GET", "/x"), to: NoSink()).status == 200)
    #expect(try await service.item(banks).actions.first?.disabled == "this connection is read-only")
    #expect(stub.count(of: "delete") == 0)
  }

  @Test func `an upload is rewound before it is repeated`() async throws {
    let received = Shared<[String]>([])
    let service = try Harness(uploads(notedIn: received)).service
    _ = try await service.upload(UploadRequest(MemorySource(Array("hello".utf8))), to: banks)
    #expect(received.value == ["hello", "hello"])
  }
}

@Suite(.bounded) struct AdoptionTests {
  private func configuration(_ text: String) throws -> Configuration {
    try Configuration(parsing: Array(text.utf8), path: "config.yaml")
  }

  @Test func `a connection that stays as it was stays signed in`() async throws {
    let stub = StubBackend { $0.list = StubBackend.numbers(1) }
    let service = try Harness(stub).service
    _ = try await service.signIn("bank")
    let bank = "{ name: bank, kind: openbank, url: 'http://127.0.0.1/' }"
    service.adopt(try configuration("# Moved.\n\nconnections:\n- { name: more, kind: openbank }\n- \(bank)\n"))
    _ = try await service.list(banks)
    #expect(service.keptListing(banks) != nil)
    service.adopt(try configuration("connections:\n- { name: bank, kind: openbank, url: 'http://127.0.0.2/' }\n"))
    #expect(service.keptListing(banks) == nil)
  }
}
