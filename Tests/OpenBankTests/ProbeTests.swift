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
