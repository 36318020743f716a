import Model
import TestKit
import Testing
import Wire

@testable import OpenBank

@Suite(.bounded) struct APITests {
  private static let root = "/obp/v5.1.0"

  static let docs = """
    {"resource_docs":[\
    {"operation_id":"OBPv4.0.0-getBanks","implemented_by":{"version":"v4.0.0","function":"getBanks"},\
    "request_verb":"GET","request_url":"/obp/v4.0.0/banks","specified_url":"/obp/v5.1.0/banks","summary":"Get Banks",\
    "description":"<p>All of them.</p><p>Authentication is Optional</p>","example_request_body":null,\
    "error_response_bodies":["OBP-50000: Unknown Error."],"tags":["Bank"],"roles":[]},\
    {"operation_id":"OBPv4.0.0-addTag","implemented_by":{"version":"v4.0.0","function":"addTag"},\
    "request_verb":"POST","specified_url":"/obp/v5.1.0/banks/BANK_ID/accounts/ACCOUNT_ID/VIEW_ID/metadata/tags",\
    "summary":"Tag an Account","description_markdown":"Tags *one*.","example_request_body":{"value":"family"},\
    "error_response_bodies":[],"tags":["Account","Bank"],"roles":[{"role":"CanTag","requires_bank_id":true}]}]}
    """

  private func bench(readOnly: Bool = false) throws -> OpenBankBench {
    let bench = try OpenBankBench(readOnly: readOnly)
    bench.stub.on("GET", "\(APITests.root)/resource-docs/v5.1.0/obp", body: APITests.docs)
    bench.stub.on(
      "GET", "\(APITests.root)/my/entitlements", body: #"{"list":[{"role_name":"CanTag","bank_id":"kiln.01.fi"}]}"#)
    bench.stub.on(
      "GET", "\(APITests.root)/my/api-collections/Favourites/api-collection-endpoints", status: 404,
      body: Bodies.fault(404, "OBP-30079: ApiCollection not found."))
    return bench
  }

  @Test func `calls are listed with method, path, subjects and roles, and by subject`() async throws {
    let bench = try bench()
    let all = try await bench.backend.list(try bench.location("/api/endpoints"), ListQuery())
    #expect(
      all.texts[1] == [
        "OBPv4.0.0-addTag", "POST", "/banks/BANK_ID/accounts/ACCOUNT_ID/VIEW_ID/metadata/tags", "Tag an Account",
        "Account, Bank", "CanTag", "v4.0.0",
      ])
    let some = try await bench.backend.list(try bench.location("/api/endpoints?tag=Account"), ListQuery())
    #expect(some.rows.count == 1)
    let tags = try await bench.backend.list(try bench.location("/api/tags"), ListQuery())
    #expect(tags.texts == [["Account", "1"], ["Bank", "2"]])
    #expect(tags.rows[0].location.text == "bank:/api/endpoints?tag=Account")
  }

  @Test func `a search takes every word, in any case`() async throws {
    let bench = try bench()
    let found = try await bench.backend.search(SearchRequest("TAG account"))
    #expect(found.rows.map { $0.values[0].exactText } == ["OBPv4.0.0-addTag"])
    #expect(try await bench.backend.search(SearchRequest("tag nothing")).rows.isEmpty)
  }

  @Test func `a call shows its roles with whether they are held, its example and a form`() async throws {
    let bench = try bench()
    let item = try await bench.backend.item(try bench.location("/api/endpoints/OBPv4.0.0-addTag"))
    let value = { (id: String) in item.fields.first { $0.id == id }?.value }
    #expect(value("role_CanTag") == .text("held, at a bank"))
    #expect(value("description") == .text("Tags *one*."))
    #expect(value("example_body") == .text("{\n  \"value\": \"family\"\n}"))
    let form = try #require(item.actions.first { $0.id == "try" })
    #expect(
      form.fields.map(\.id) == ["BANK_ID", "ACCOUNT_ID", "VIEW_ID", "query", "headers", "body", "public"])
    #expect(form.fields[2].initial == "owner")
    #expect(form.warning != nil)
    #expect(item.actions.map(\.id) == ["try", "favorite", "request-role"])
  }

  @Test func `the docs' HTML becomes lines of text`() async throws {
    let bench = try bench()
    let item = try await bench.backend.item(try bench.location("/api/endpoints/OBPv4.0.0-getBanks"))
    #expect(item.fields.first { $0.id == "description" }?.value == .text("All of them.\nAuthentication is Optional"))
    #expect(Markup.text("a &lt;b&gt; &amp;amp; <br/>c") == "a <b> &amp; \nc")
  }

  @Test func `a call is tried with what the form says, and what came back is kept`() async throws {
    let bench = try bench()
    let path = "\(APITests.root)/banks/kiln.01.fi/accounts/8ca8/owner/metadata/tags"
    bench.stub.on("POST", path, status: 201, headers: ["Correlation-Id": "c7"], body: #"{"id":"t1"}"#)
    let place = try bench.location("/api/endpoints/OBPv4.0.0-addTag")
    let outcome = try await bench.backend.perform(
      "try", at: place,
      fields: [
        "BANK_ID": "kiln.01.fi", "ACCOUNT_ID": "8ca8", "VIEW_ID": "owner", "query": "a=1",
        "headers": "X-Request-ID: 7", "body": #"{"value":"x"}"#,
      ])
    #expect(outcome.isAnswer)
    #expect(outcome.message.contains("answered 201"))
    let sent = try #require(bench.stub.requests.last)
    #expect(sent.line == "POST \(path)?a=1")
    #expect(sent.bodyText == #"{"value":"x"}"#)
    #expect(sent.request.headers["Content-Type"] == "application/json")
    #expect(sent.request.headers["X-Request-ID"] == "7")
    #expect(!sent.request.isIdempotent)
    let trial = try await bench.backend.item(try #require(outcome.location))
    let value = { (id: String) in trial.fields.first { $0.id == id }?.value }
    #expect(value("status") == .integer(201))
    #expect(value("got_Correlation-Id") == .text("c7"))
    #expect(value("body") == .text("{\n  \"id\": \"t1\"\n}"))
    #expect(value("sent_DirectLogin").map { !$0.exactText.contains("old.jwt") } ?? false)
    #expect(trial.raw?.bytes == Array(#"{"id":"t1"}"#.utf8))
    let tried = try await bench.backend.list(try bench.location("/api/tries"), ListQuery())
    #expect(tried.rows.count == 1)
  }

  @Test func `a refusal is an answer to look at, not an error`() async throws {
    let bench = try bench()
    bench.stub.on("GET", "\(APITests.root)/banks", status: 403, body: Bodies.fault(403, "OBP-20006: no role"))
    let place = try bench.location("/api/endpoints/OBPv4.0.0-getBanks")
    let outcome = try await bench.backend.perform("try", at: place, fields: ["public": "true"])
    #expect(outcome.message.contains("answered 403") && outcome.message.contains("OBP-20006"))
    #expect(bench.stub.requests.last?.request.headers["DirectLogin"] == nil)
  }

  @Test func `a call that wants somebody leads to signing in, and then goes out again`() async throws {
    let bench = try OpenBankBench(signedIn: false)
    bench.stub.on("GET", "\(APITests.root)/resource-docs/v5.1.0/obp", body: APITests.docs)
    bench.stub.on("GET", "\(APITests.root)/banks", status: 401, body: Bodies.fault(401, "OBP-20001: nobody"))
    let place = try bench.location("/api/endpoints/OBPv4.0.0-getBanks")
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.perform("try", at: place, fields: [:])
    }
    #expect(error?.code == .signInNeeded)
    let shown = try await bench.backend.perform("try", at: place, fields: ["public": "true"])
    #expect(shown.message.contains("answered 401"))
    let again = try await bench.backend.item(try #require(shown.location))
    #expect(again.actions.first?.fields.first { $0.id == "public" }?.initial == "true")
  }

  @Test func `a missing id and a wrong header are said before anything is sent`() async throws {
    let bench = try bench()
    let place = try bench.location("/api/endpoints/OBPv4.0.0-addTag")
    let missing = await #expect(throws: ServiceError.self) {
      try await bench.backend.perform("try", at: place, fields: ["BANK_ID": "b", "VIEW_ID": "v"])
    }
    #expect(missing?.detail?.contains("ACCOUNT_ID") ?? false)
    let header = await #expect(throws: ServiceError.self) {
      try await bench.backend.perform(
        "try", at: place, fields: ["BANK_ID": "b", "ACCOUNT_ID": "a", "VIEW_ID": "v", "headers": "nonsense"])
    }
    #expect(header?.code == .usage)
    #expect(!bench.lines.contains { $0.hasPrefix("POST") })
  }

  @Test func `a read-only connection tries what reads and not what writes`() async throws {
    let bench = try bench(readOnly: true)
    bench.stub.on("GET", "\(APITests.root)/banks", body: Bodies.banks)
    _ = try await bench.backend.perform(
      "try", at: try bench.location("/api/endpoints/OBPv4.0.0-getBanks"), fields: [:])
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.perform(
        "try", at: try bench.location("/api/endpoints/OBPv4.0.0-addTag"),
        fields: ["BANK_ID": "b", "ACCOUNT_ID": "a", "VIEW_ID": "v"])
    }
    #expect(error?.code == .readOnly)
  }

  @Test func `the first favourite makes the collection`() async throws {
    let bench = try bench()
    let endpoints = "\(APITests.root)/my/api-collections/Favourites/api-collection-endpoints"
    bench.stub.on("POST", endpoints, status: 404, body: Bodies.fault(404, "OBP-30079: ApiCollection not found."))
    bench.stub.on("POST", endpoints, status: 201, body: "{}")
    bench.stub.on("POST", "\(APITests.root)/my/api-collections", status: 201, body: "{}")
    _ = try await bench.backend.perform(
      "favorite", at: try bench.location("/api/endpoints/OBPv4.0.0-getBanks"), fields: [:])
    #expect(
      bench.stub.requests.map(\.bodyText) == [
        #"{"operation_id":"OBPv4.0.0-getBanks"}"#,
        #"{"api_collection_name":"Favourites","is_sharable":false,"description":"Calls at hand"}"#,
        #"{"operation_id":"OBPv4.0.0-getBanks"}"#,
      ])
  }

  @Test func `what is left of the limits is what the last answer said`() async throws {
    let bench = try bench()
    bench.stub.on("GET", "\(APITests.root)/root", body: #"{"version":"v5.1.0","hosted_by":{"organisation":"Kiln"}}"#)
    bench.stub.on(
      "GET", "\(APITests.root)/rate-limiting",
      headers: ["X-Rate-Limit-Limit": "60", "X-Rate-Limit-Remaining": "41", "X-Rate-Limit-Reset": "12"],
      body: #"{"enabled":true,"is_active":true}"#)
    let item = try await bench.backend.item(try bench.location("/api"))
    let value = { (id: String) in item.fields.first { $0.id == id }?.value.exactText }
    #expect(value("rate_used") == "19" && value("rate_remaining") == "41" && value("rate_reset") == "12")
    #expect(bench.backend.client.rateLimit?.remaining == 41)
  }

  @Test func `a server that knows no limits gives a notice instead of failing`() async throws {
    let bench = try bench()
    bench.stub.on("GET", "\(APITests.root)/root", body: #"{"version":"v5.1.0"}"#)
    bench.stub.on(
      "GET", "\(APITests.root)/rate-limiting", status: 404, body: Bodies.fault(404, "OBP-10404: 404 Not Found."))
    let item = try await bench.backend.item(try bench.location("/api"))
    #expect(item.notices.count == 1)
    #expect(item.fields.contains { $0.id == "version" })
  }

  @Test func `a consent's token is nowhere to be seen`() async throws {
    let bench = try bench()
    bench.stub.on(
      "GET", "\(APITests.root)/banks/kiln.01.fi/my/consents",
      body: #"{"consents":[{"consent_id":"c1","jwt":"eyJ.secret.words","status":"ACCEPTED","api_standard":"OBP"}]}"#)
    let item = try await bench.backend.item(try bench.location("/banks/kiln.01.fi/consents/c1"))
    #expect(!item.fields.contains { $0.value.exactText.contains("eyJ") })
    #expect(item.raw == nil)
    #expect(item.actions.first?.warning != nil)
  }
}
