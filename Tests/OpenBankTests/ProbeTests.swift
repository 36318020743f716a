import Model
import TestKit
import Testing
import Wire

@testable import OpenBank

@Suite struct ProbeTests {
  private static let root = #"{"version":"v4.0.0","hosted_by":{"organisation":"Kiln Sandbox"}}"#
  private static let unknown = Bodies.fault(404, "OBP-10404: 404 Not Found.")

  private func script(_ bench: OpenBankBench, versions: Set<String>) {
    for version in ["v6.0.0", "v5.1.0", "v4.0.0", "v3.1.0", "v2.0.0"] {
      let isThere = versions.contains(version)
      bench.stub.on(
        "GET", "/obp/\(version)/root", status: isThere ? 200 : 404, body: isThere ? ProbeTests.root : ProbeTests.unknown
      )
    }
  }

  @Test(arguments: [
    (["v5.1.0", "v4.0.0"], "v5.1.0"), (["v4.0.0", "v2.0.0"], "v4.0.0"), (["v2.0.0"], "v2.0.0"),
  ])
  func `an address without a version gets the newest that the server has`(_ has: [String], _ spoken: String)
    async throws
  {
    let bench = try OpenBankBench(url: OpenBankBench.origin)
    script(bench, versions: Set(has))
    bench.stub.on("GET", "/obp/\(spoken)/banks", body: Bodies.banks)
    _ = try await bench.backend.list(try bench.location("/banks"), ListQuery())
    _ = try await bench.backend.list(try bench.location("/banks"), ListQuery())
    #expect(bench.backend.client.version.description == spoken)
    #expect(bench.lines.filter { $0.hasSuffix("/banks") }.count == 2)
    #expect(bench.lines.filter { $0.hasSuffix("\(spoken)/root") }.count == 1)
  }

  @Test func `an address with a version is taken at its word`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", "/obp/v5.1.0/banks", body: Bodies.banks)
    _ = try await bench.backend.list(try bench.location("/banks"), ListQuery())
    #expect(bench.lines == ["GET /obp/v5.1.0/banks"])
  }

  @Test(arguments: [
    (404, "OBP-10404: 404 Not Found."), (400, "OBP-00008: API version not enabled."), (400, "OBP-00027: unknown"),
  ])
  func `a version that the server has not got is left for one it has, with a notice`(_ status: Int, _ message: String)
    async throws
  {
    let bench = try OpenBankBench(url: "\(OpenBankBench.origin)/obp/v9.9.9")
    script(bench, versions: ["v4.0.0", "v2.0.0"])
    for path in ["root", "banks", "banks/b"] {
      bench.stub.on("GET", "/obp/v9.9.9/\(path)", status: status, body: Bodies.fault(status, message))
    }
    bench.stub.on("GET", "/obp/v4.0.0/banks", body: Bodies.banks)
    bench.stub.on("GET", "/obp/v4.0.0/banks/b", status: 404, body: ProbeTests.unknown)
    let banks = try await bench.backend.list(try bench.location("/banks"), ListQuery())
    #expect(banks.rows.count == 2)
    #expect(banks.notices.contains { $0.contains("has no v9.9.9: v4.0.0 is spoken") })
    // A call that stays unknown leads to no second search for a version.
    await #expect(throws: ServiceError.self) { try await bench.backend.item(try bench.location("/banks/b")) }
    #expect(bench.lines.filter { $0.hasSuffix("v9.9.9/root") }.count == 1)
  }

  @Test func `an unknown call of a version that is there is an error, and nothing that writes is sent again`()
    async throws
  {
    let bench = try OpenBankBench()
    script(bench, versions: ["v5.1.0"])
    bench.stub.on("GET", "/obp/v5.1.0/banks", status: 404, body: ProbeTests.unknown)
    let path = "/banks/b/accounts/a"
    bench.stub.on("POST", "/obp/v5.1.0\(path)", status: 404, body: ProbeTests.unknown)
    await #expect(throws: ServiceError.self) {
      try await bench.backend.perform("rename", at: try bench.location(path), fields: ["label": "x"])
    }
    #expect(bench.lines == ["POST /obp/v5.1.0\(path)"])
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.list(try bench.location("/banks"), ListQuery())
    }
    #expect(error?.serverCode == "OBP-10404")
    #expect(bench.lines.filter { $0.hasSuffix("/banks") }.count == 1)
  }

  @Test func `a server without any version is not this kind of server`() async throws {
    let bench = try OpenBankBench(url: OpenBankBench.origin)
    script(bench, versions: [])
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.list(try bench.location("/banks"), ListQuery())
    }
    #expect(error?.code == .unreadable)
  }

  @Test func `an older server with OAuth and a newer one without it are told apart`() async throws {
    let old = try OpenBankBench(signedIn: false)
    script(old, versions: ["v5.1.0", "v4.0.0", "v3.1.0", "v2.0.0"])
    old.stub.on("POST", "/oauth/initiate", status: 400, body: "the following parameters are missing : oauth_nonce")
    old.stub.on("POST", "/my/logins/direct", status: 400, body: Bodies.fault(400, "OBP-20082: missing"))
    old.stub.on("GET", "/obp/v5.1.0/well-known", status: 404, body: ProbeTests.unknown)
    let first = try await old.backend.client.probe()
    #expect(first.generation == .lift)
    #expect(first.methods == [.none, .direct, .oauth1])
    #expect(first.organisation == "Kiln Sandbox")

    let new = try OpenBankBench(signedIn: false)
    script(new, versions: ["v6.0.0", "v5.1.0", "v4.0.0"])
    new.stub.on("POST", "/oauth/initiate", status: 404, body: ProbeTests.unknown)
    new.stub.on("POST", "/my/logins/direct", status: 400, body: Bodies.fault(400, "OBP-20082: missing"))
    new.stub.on(
      "GET", "/obp/v6.0.0/well-known", body: #"{"well_known_uris":[{"provider":"obp-oidc","url":"http://x"}]}"#)
    let second = try await new.backend.client.probe()
    #expect(second.generation == .http4s)
    #expect(second.methods == [.none, .direct, .oidc])
    #expect(second.versions.map(\.description) == ["v6.0.0", "v5.1.0", "v4.0.0"])
    #expect(new.stub.requests.allSatisfy { $0.request.headers["DirectLogin"] == nil })
  }
}
