import JSON
import Model
import TestKit
import Testing
import Wire

@testable import OMCE

/// What people tripped on (reference, section 9), each under its number; those that a suite of their own covers are
/// named `trap N` there.
@Suite(.bounded) struct MobileTrapTests {
  private static let objects = "/mobile/platform/storage/collections/C/objects"

  @Test func `9: a user named on a shared collection is told what is wrong`() async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on("GET", Self.objects, status: 400, body: #"{"title":"Bad Request","detail":"user is not allowed"}"#)
    bench.stub.on("GET", "/mobile/platform/storage/collections/C", body: #"{"id":"C"}"#)
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.list(try bench.location("/storage/C?user=u1"), ListQuery())
    }
    #expect(error?.message.contains("only isolated collections take") == true)
    #expect(bench.lines.filter { $0.contains("objects") }.count == 1)
  }

  @Test func `14: a delete names the tag that was seen, and asks before it goes over a change`() async throws {
    let asker = ChoosingAsker([.accepted])
    let bench = try MobileBench(choosing: asker)
    bench.stub.on("GET", "/mobile/platform/users/login", body: "{}")
    bench.stub.on("HEAD", "\(Self.objects)/o1", headers: ["ETag": "\"2\"", "Content-Type": "text/plain"])
    bench.stub.on("GET", Self.objects, body: #"{"items":[{"id":"o1","eTag":"\"2\""}],"hasMore":false}"#)
    bench.stub.on("DELETE", "\(Self.objects)/o1", status: 412)
    bench.stub.on("DELETE", "\(Self.objects)/o1", status: 204)
    _ = try await bench.backend.signIn(SignInRequest())
    let place = try bench.location("/storage/C/o1")
    _ = try await bench.backend.item(place)
    _ = try await bench.backend.delete(place)
    let tags = bench.stub.requests.filter { $0.request.method == "DELETE" }.map { $0.request.headers["If-Match"] }
    #expect(tags == ["\"2\"", nil])
    #expect(asker.questions.map(\.title) == ["“o1” has changed"])
  }

  @Test func `16: a payload is asked for in any type`() async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on("GET", "\(Self.objects)/o1", headers: ["Content-Type": "image/jpeg"], body: "x")
    _ = try await bench.backend.download(
      try bench.location("/storage/C/o1"), DownloadRequest(), to: MemorySink(), progress: { _, _ in })
    #expect(bench.stub.requests.last?.request.headers["Accept"] == "*/*")
  }

  @Test func `18: a token's end is reckoned here, whatever the server goes on taking`() async throws {
    let bench = try await MobileBench.signedIn(.oauth)
    bench.clock.move(seconds: 3600)
    #expect(try await bench.backend.signInState(verifying: false).isSignedIn == false)
  }

  @Test func `23: an ordinary custom API is kept as one answer`() async throws {
    let directory = try TemporaryDirectory()
    let bench = try await MobileBench.signedIn(stores: OpenStores(directory.file("trap.store")))
    bench.stub.on("GET", "/mobile/custom/plain/list", body: #"[{"a":1},{"a":2}]"#)
    bench.stub.on("GET", "/mobile/custom/plain/list", fails: .unreachable)
    _ = try await bench.backend.client.openStore("test")
    let place = try bench.location("/custom/plain/list")
    #expect(try await bench.backend.list(place, ListQuery()).rows.count == 2)
    #expect(bench.stub.requests.last?.request.headers["Oracle-Mobile-Sync-Agent"] == "true")
    bench.clock.move(seconds: 5)
    let kept = try await bench.backend.list(place, ListQuery())
    #expect(kept.rows.count == 2)
    #expect(kept.freshness == .offline(bench.clock.now().adding(seconds: -5)))
  }

  @Test func `25: an anonymous user is told why a collection stays closed`() async throws {
    let bench = try MobileBench(auth: ["method": "anonymous"])
    bench.stub.on("GET", "/mobile/platform/users/login", body: "{}")
    bench.stub.on("GET", Self.objects, status: 403, body: #"{"title":"Forbidden","detail":"no"}"#)
    _ = try await bench.backend.signIn(SignInRequest())
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.list(try bench.location("/storage/C"), ListQuery())
    }
    #expect(error?.code == .forbidden)
    #expect(error?.advice.contains("Security_CollectionsAnonymousAccess") == true)
  }

  @Test func `27: forgetting what is kept is asked about, and being offline can be tried with a network`() async throws
  {
    let directory = try TemporaryDirectory()
    let bench = try await MobileBench.signedIn(stores: OpenStores(directory.file("trap.store")))
    let kept = try await bench.backend.list(try bench.location("/offline"), ListQuery())
    #expect(kept.actions.first { $0.id == "purge" }?.warning?.isEmpty == false)
    let client = bench.backend.client
    client.synchronization.setOfflineMode(true)
    let error = await #expect(throws: ServiceError.self) { try await client.currentUser() }
    #expect(error?.code == .offline)
    client.synchronization.setOfflineMode(false)
    bench.stub.on("GET", "/mobile/platform/users/~", body: #"{"id":"u1","username":"ada"}"#)
    #expect(try await client.currentUser().username == "ada")
  }

  @Test func `30: plain http goes nowhere but to this machine`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write(
      Samples.basic.replacing("http://127.0.0.1:8080", with: "http://omce.acme.example"), to: "OMC.plist")
    let manager = try MobileManager(profile: directory.file("OMC.plist"), surroundings: .stub())
    let client = try #require(manager.mobileBackend)
    let error = await #expect(throws: ServiceError.self) {
      var request = SignInRequest()
      request.user = "ada"
      request.password = Secret("s3cret&words")
      return try await client.authorization.signIn(request)
    }
    #expect(error?.code == .insecure)
    #expect(error?.advice.contains("allowInsecure") == true)
  }

  @Test(arguments: ["2026-11-03T10:00:01Z", "2026-11-03T10:00:01+0000", "Tue, 03 Nov 2026 10:00:01 GMT"])
  func `31: times come in three shapes`(_ text: String) {
    #expect(MobileTime.read(text)?.rfc3339 == "2026-11-03T10:00:01Z")
  }

  @Test func `33: a page instead of JSON is told as such`() async throws {
    let bench = try MobileBench(.oauth)
    bench.stub.on(
      "POST", "/oauth2/v1/token", status: 502, headers: ["Content-Type": "text/html"], body: "<html>down</html>")
    let error = await #expect(throws: ServiceError.self) { try await bench.backend.signIn(SignInRequest()) }
    #expect(error?.code == .serverFault)
    #expect(error?.message.contains("web page") == true)
  }
}
