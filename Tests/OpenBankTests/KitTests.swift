import Model
import TestKit
import Testing
import Wire

@testable import OpenBank

@Suite(.timeLimit(.minutes(1))) struct KitTests {
  @Test func `a completion arrives once, on the main actor, with the typed value`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", "/obp/v5.1.0/banks", body: Bodies.banks)
    let names = await withCheckedContinuation { continuation in
      bench.backend.client.banks { result in
        MainActor.assertIsolated()
        continuation.resume(returning: (try? result.get())?.map(\.shortName))
      }
    }
    #expect(names == ["Kiln", "Nord"])
  }

  @Test func `any resource is reached by its path, with the verb's body and the options' headers`() async throws {
    let bench = try OpenBankBench()
    let marshal = OpenBankMarshal(bench.backend.client)
    bench.stub.on("POST", "/obp/v5.1.0/things", status: 201, body: #"{"id":"1"}"#)
    bench.stub.on("DELETE", "/obp/v5.1.0/things/1", status: 204)
    var options = OpenBankMarshal.Options()
    options.headers = [(name: "X-Mark", value: "a")]
    let made = try await marshal.create("things", ["name": "x"], options)
    #expect(made.status == 201)
    #expect(bench.stub.requests[0].bodyText == #"{"name":"x"}"#)
    #expect(bench.stub.requests[0].request.headers["X-Mark"] == "a")
    #expect(try await marshal.delete("/things/1").status == 204)
  }

  @Test func `only the expected statuses count, and a public call carries no token`() async throws {
    let bench = try OpenBankBench()
    let marshal = OpenBankMarshal(bench.backend.client)
    bench.stub.on("GET", "/obp/v5.1.0/x", status: 200, body: "{}")
    var options = OpenBankMarshal.Options()
    options.isPublic = true
    options.expected = [204]
    let error = await #expect(throws: ServiceError.self) { try await marshal.get("x", options) }
    #expect(error?.status == 200)
    #expect(bench.stub.requests[0].request.headers["DirectLogin"] == nil)
  }
}
