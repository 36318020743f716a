import FoundationEssentials
import JSON
import Model
import TestKit
import Testing
import Wire

@testable import Alfresco

/// What trips up programs that talk to a repository, each as a claim about this one. Some are tried on a scripted server
/// (what clients must bear), some on the sandbox (what the wire looks like).
@Suite(.bounded) struct TrapTests {
  // MARK: Signing in

  @Test func `a wrong password at tickets is 403 and still a refused sign-in`() async throws {
    let desk = try Desk("ticket", signedIn: false)
    desk.stub.on("POST", Desk.tickets, status: 403, body: Sample.error(403, "Login failed", "10300001 Login failed"))
    let error = await #expect(throws: ServiceError.self) {
      try await desk.backend.client.createTicket(user: "susan", password: Secret("wrong-password"))
    }
    #expect(error?.code == .signInRefused)
    #expect(error?.status == 403)
  }

  @Test func `a challenge of AlfTicket to a bearer means what a 401 means`() async throws {
    let desk = try Desk()
    desk.backend.client.session.signedIn(.bearer(Secret("an-access-token")), user: "susan")
    desk.stub.on(
      "GET", "\(Desk.core)/people/-me-", status: 401,
      headers: ["WWW-Authenticate": #"AlfTicket realm="Alfresco -default- tenant""#])
    let error = await #expect(throws: ServiceError.self) { try await desk.backend.client.person() }
    #expect(error?.code == .signInNeeded)
  }

  @Test func `a user has one ticket, and it ends only when the person signs out`() async throws {
    let live = try await LiveSandbox(method: "ticket")
    try await live.signIn()
    let first = try #require(live.keeper.all["docs/ticket"])
    try await live.signIn()
    #expect(live.keeper.all["docs/ticket"] == first)
    // A new client that forgets its ticket leaves the other one's alone.
    let other = try AlfrescoClient(address: live.backend.client.address, transport: CurlTransport())
    other.session.signedIn(.ticket(first), user: nil)
    live.backend.client.session.forget()
    #expect(try await other.person().value.id == "susan")
    live.backend.client.session.signedIn(.ticket(first), user: nil)
    try await live.backend.signOut(SignOutRequest())
    let error = await #expect(throws: ServiceError.self) { try await other.person() }
    #expect(error?.code == .signInNeeded)
  }

  @Test func `a ticket is no bearer, and stands in no address`() async throws {
    let desk = try Desk()
    desk.backend.client.session.signedIn(.ticket(Secret("TICKET_abc")), user: nil)
    desk.stub.on("GET", "\(Desk.core)/nodes/x/content", body: "bytes")
    _ = try await desk.backend.client.download(.node("x"), to: MemorySink())
    let request = try #require(desk.stub.requests.first?.request)
    #expect(request.headers["Authorization"]?.hasPrefix("Basic ") == true)
    #expect(!request.url.absoluteString.contains("TICKET"))
  }

  @Test(arguments: [
    ("https://idp/auth/realms/a", "https://idp/realms/a"), ("https://idp/realms/a", "https://idp/auth/realms/a"),
  ]) func `an issuer is found with auth in its path or without`(_ asked: String, _ there: String) async throws {
    let stub = StubTransport()
    func path(_ issuer: String) -> String { issuer.replacing("https://idp", with: "") }
    stub.on(
      "GET", "\(path(asked))/.well-known/openid-configuration", status: 404, body: #"{"error":"Realm does not exist"}"#)
    stub.on(
      "GET", "\(path(there))/.well-known/openid-configuration",
      body: #"{"issuer":"\#(there)","token_endpoint":"\#(there)/token"}"#)
    #expect(try await OAuthProvider.discover(asked, over: stub).issuer == there)
  }

  // MARK: Search

  @Test func `OR is the server's default operator, so AND is always said`() throws {
    let body = try ContentSearch(typed: "quay seven").body()
    #expect(body["defaults"]?["defaultFTSOperator"] == "AND")
  }

  @Test func `paging goes out whole, a sort with its type, and neither sort nor filters with CMIS`() throws {
    var search = ContentSearch("x", page: PageRequest(skip: 100, limit: 25))
    search.order = [.init("cm:name", isAscending: true), .init(nil, isAscending: false)]
    search.filters = ["TYPE:'cm:content'"]
    #expect(search.body()["paging"] == ["maxItems": 25, "skipCount": 100])
    guard case .array(let sorts)? = search.body()["sort"] else { throw ServiceError.cancelled("no sort") }
    #expect(sorts.map { $0["type"] } == ["FIELD", "SCORE"])
    search.language = .cmis
    #expect(search.body()["sort"] == nil && search.body()["filterQueries"] == nil)
  }

  @Test func `the spelling is an object, and counts of facets are texts`() async throws {
    let desk = try Desk()
    let context = #"""
      ,"context":{"spellCheck":{"type":"didYouMean","suggestions":["quay facility"]},
       "facets":[{"type":"field","label":"type","buckets":[{"label":"application/pdf",
        "metrics":[{"type":"count","value":{"count":"7"}}]}]}]}
      """#
    let list = #"{"list":{"pagination":{"count":0,"hasMoreItems":false},"entries":[]\#(context)}}"#
    desk.stub.on("POST", Desk.search, body: list)
    let listing = try await desk.backend.search(SearchRequest("quay facilty"))
    #expect(listing.suggestions == ["quay facility"])
    #expect(listing.facets.first?.buckets.first?.count == 7)
  }

  @Test func `a score comes only with highlighting, which is always asked for`() async throws {
    #expect(ContentSearch("x").body()["highlight"] != nil)
    let desk = try Desk()
    desk.stub.on("POST", Desk.search, body: Sample.list([#"{"entry":{"id":"a","name":"a","isFile":true}}"#]))
    let listing = try await desk.backend.search(SearchRequest("a"))
    #expect(listing.value("score", in: listing.rows[0]) == .null)
  }

  @Test func `a total may be missing, capped, or more than can be listed`() async throws {
    let desk = try Desk()
    desk.stub.on("GET", "\(Desk.core)/nodes/x/children", body: Sample.list([Sample.folder("a", "a")], more: true))
    #expect(try await desk.backend.list(desk.at("/nodes/x"), ListQuery()).total == .atLeast(1))
    desk.stub.on("POST", Desk.search, body: Sample.list([Sample.folder("a", "a")], more: true, total: 10_000))
    #expect(try await desk.backend.search(SearchRequest("a")).total == .atLeast(10_000))
  }

  @Test func `fewer entries than asked for are not the end of a list`() async throws {
    let desk = try Desk()
    desk.stub.on("GET", "\(Desk.core)/nodes/x/children", body: Sample.list([Sample.folder("a", "a")], more: true))
    let page = try await desk.backend.list(desk.at("/nodes/x"), ListQuery(limit: 50))
    #expect(page.rows.count == 1)
    #expect(page.next == "50")
  }

  @Test func `searches lag behind writes, and that is said until the index has moved`() {
    let lag = IndexLag()
    let start = Timestamp(seconds: 1_000_000)
    #expect(!lag.isBehind(48_000, at: start))
    lag.noteChange(at: start)
    #expect(lag.isBehind(48_000, at: start.adding(seconds: 1)))
    #expect(lag.isBehind(nil, at: start.adding(seconds: 2)))
    #expect(!lag.isBehind(48_001, at: start.adding(seconds: 3)))
    lag.noteChange(at: start.adding(seconds: 4))
    #expect(lag.isBehind(48_001, at: start.adding(seconds: 5)))
    // An engine that counts otherwise is believed after a minute.
    #expect(!lag.isBehind(48_001, at: start.adding(seconds: 70)))
  }

  @Test func `a change shows as a notice beside the next search`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    _ = try await live.put("/files/Shared", "x", name: "fresh.txt")
    let listing = try await live.backend.search(SearchRequest("fresh"))
    #expect(listing.notices.contains(IndexLag.notice))
  }

  @Test func `live search of nodes wants three letters, so this one goes by the search itself`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    #expect(try await live.raw("GET", "/queries/nodes?term=q%20u").status == 400)
    // A phrase there, words here.
    _ = try await live.backend.search(SearchRequest("quay facility"))
    #expect(try await live.backend.search(SearchRequest("qu")).rows.isEmpty == false)
  }

  @Test(arguments: [
    "and", "or", "not", "to", "-x", "+x", "!x", "(x)", "a:b", "\"x", "*", "x?", "x~", "x^2", "=x", "<x>",
  ])
  func `operators and their signs are words when somebody types them`(_ typed: String) async throws {
    let live = try await LiveSandbox(documents: 3)
    try await live.signIn()
    do throws(ServiceError) {
      _ = try await live.backend.search(SearchRequest(typed, query: ListQuery(limit: 1)))
    } catch {
      #expect(error.code == .usage, "\(typed): \(error.message)")
    }
  }

  // MARK: Dates, errors, ids

  @Test(arguments: [
    "2026-11-27T15:02:44.911+0000", "2026-11-27T15:02:44.911Z", "2026-11-27T15:02:44.911+00:00",
    "2026-11-27T18:02:44.911+0300",
  ]) func `dates carry an offset without a colon, and others are read as well`(_ text: String) {
    #expect(Timestamp(rfc3339: text)?.rfc3339 == "2026-11-27T15:02:44.911Z")
  }

  @Test func `a summary begins with eight digits whose months count from nought`() {
    #expect(AlfrescoClient.withoutNumber("10300042 The entity was not found") == "The entity was not found")
    #expect(AlfrescoClient.withoutNumber("2026 was a good year") == "2026 was a good year")
  }

  @Test func `an unknown id is 404, and so is what may not be read by its path`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    for path in ["/nodes/5d2f0000-0000-4000-8000-000000000000", "/files/Sites/board/documentLibrary"] {
      let location = try live.at(path)
      let error = await #expect(throws: ServiceError.self) { try await live.backend.item(location) }
      #expect(error?.code == .notFound)
    }
  }

  @Test func `shares and favourites are created with 201, favourites twice`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    let file = try await live.put("/files/Shared", "x", name: "marked.txt")
    let id = try await live.field("id", of: file).exactText
    let favorite = #"{"target":{"file":{"guid":"\#(id)"}}}"#
    for _ in 0..<2 {
      #expect(try await live.raw("POST", "/people/-me-/favorites", favorite).status == 201)
    }
    #expect(try await live.raw("POST", "/shared-links", #"{"nodeId":"\#(id)"}"#).status == 201)
    #expect(try await live.raw("POST", "/shared-links", #"{"nodeId":"\#(id)"}"#).status == 409)
  }

  // MARK: Content

  @Test func `a whole download is 200 with a range, and 416 carries a star in quotes`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    let file = try await live.put("/files/Shared", "0123456789", name: "digits.txt")
    let id = try await live.field("id", of: file).exactText
    let whole = try await live.raw("GET", "/nodes/\(id)/content")
    #expect(whole.status == 200)
    #expect(whole.header("Content-Range") == "bytes 0-9/10")
    let beyond = try await live.raw("GET", "/nodes/\(id)/content", headers: [("Range", "bytes=99-")])
    #expect(beyond.status == 416)
    #expect(beyond.header("Content-Range") == #""*""#)
  }

  @Test func `autoRename stands in a part, not in the address; both flags and a form for PUT are refused`() async throws
  {
    let live = try await LiveSandbox()
    try await live.signIn()
    _ = try await live.put("/files/Shared", "x", name: "taken.txt")
    let second = try await live.put("/files/Shared", "x", name: "taken.txt", keepsBoth: true)
    #expect(second.path.last == "taken-1.txt")
    let form = "--b\r\nContent-Disposition: form-data; name=\"filedata\"; filename=\"taken.txt\"\r\n\r\ny\r\n--b--\r\n"
    let headers = [("Content-Type", "multipart/form-data; boundary=b")]
    let ignored = try await live.raw(
      "POST", "/nodes/-shared-/children?autoRename=true", form, headers: headers)
    #expect(ignored.status == 409)
    let id = try await live.field("id", of: second).exactText
    #expect(try await live.raw("PUT", "/nodes/\(id)/content", form, headers: headers).status == 415)
  }

  @Test func `uploads are versioned from 1.0, and new content makes a minor version unless told`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    let file = try await live.put("/files/Shared", "one", name: "v.txt")
    #expect(try await live.field("cm:versionLabel", of: file) == .text("1.0"))
    _ = try await live.put("/files/Shared/v.txt", "two")
    #expect(try await live.field("cm:versionLabel", of: file) == .text("1.1"))
    let request = UploadRequest(
      MemorySource(Array("three".utf8)), name: "v.txt", replaces: true, isMajor: true, comment: "The final text")
    let place = try await live.backend.upload(request, to: live.at("/files/Shared")) { _, _ in }
    #expect(place == file)
    #expect(try await live.field("cm:versionLabel", of: file) == .text("2.0"))
    let versions = try await live.backend.list(file.facet("versions"), ListQuery())
    #expect(versions.value("comment", in: versions.rows[0]) == .text("The final text"))
  }

  @Test func `editing properties leaves aspects and permissions, which are whole sets, alone`() async throws {
    let desk = try Desk()
    desk.stub.on("GET", "\(Desk.core)/nodes/c4b7", body: Sample.file)
    desk.stub.on("PUT", "\(Desk.core)/nodes/c4b7", body: Sample.file)
    _ = try await desk.backend.perform("edit", at: desk.at("/nodes/c4b7"), fields: ["cm:title": "Other"])
    let body = try #require(desk.stub.requests.last?.bodyText)
    #expect(!body.contains("aspectNames") && !body.contains("locallySet"))
  }

  @Test func `deleting goes to the trash, never past it; what is locked stays`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    let file = try await live.put("/files/Shared", "x", name: "kept.txt")
    try await live.act("lock", file, ["type": "FULL"])
    let error = await #expect(throws: ServiceError.self) { try await live.backend.delete(file) }
    #expect(error?.code == .conflict)
    try await live.act("unlock", file)
    let outcome = try await live.backend.delete(file)
    #expect(outcome.location?.path.first == "trash")
    let desk = try Desk()
    desk.stub.on("GET", "\(Desk.core)/nodes/c4b7", body: Sample.file)
    desk.stub.on("DELETE", "\(Desk.core)/nodes/c4b7", status: 204)
    _ = try await desk.backend.delete(desk.at("/nodes/c4b7"))
    #expect(desk.lines.last == "DELETE /nodes/c4b7")
  }

  @Test func `unlocking what is free is 422, and a folder has no lock`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    let file = try await live.put("/files/Shared", "x", name: "free.txt")
    let error = await #expect(throws: ServiceError.self) { try await live.act("unlock", file) }
    #expect(error?.status == 422)
    #expect(try await live.raw("POST", "/nodes/-shared-/lock", "{}").status == 400)
    let shared = try await live.backend.item(live.at("/files/Shared"))
    #expect(!shared.actions.contains { $0.id == "lock" })
  }

  @Test func `versions have no creator and the deleted no parent`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    let file = try await live.put("/files/Shared", "x", name: "bare.txt")
    let id = try await live.field("id", of: file).exactText
    let version = try await live.backend.client.version("1.0", of: id).value
    #expect(version.id == "1.0" && version.created == nil && version.parentID == nil)
    _ = try await live.backend.delete(file)
    #expect(try await live.backend.client.deletedNode(id).value.parentID == nil)
  }

  @Test func `a site is called by its short name, favourite by its node`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    let site = try await live.backend.client.site("harbour-loans").value
    let containers = try await live.backend.client.containers(ofSite: site.id).entries
    #expect(containers.map(\.name) == ["documentLibrary"])
    #expect(containers[0].id != "documentLibrary")
    try await live.act("favorite", live.at("/sites/harbour-loans"))
    #expect(try await live.backend.client.favoriteSites().entries.contains { $0.id == "harbour-loans" })
    #expect(try await live.backend.client.favorite(try #require(site.guid)).value.site?.id == "harbour-loans")
  }

  @Test func `the id of a site stays taken while the site lies in the trash`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    let sites = try live.at("/sites")
    let made = try #require(try await live.act("new-site", sites, ["title": "Cranes", "id": "cranes"]).location)
    try await live.act("delete", made)
    let error = await #expect(throws: ServiceError.self) {
      try await live.act("new-site", sites, ["title": "Cranes", "id": "cranes"])
    }
    #expect(error?.code == .conflict)
  }

  @Test func `people come as ids, as names, and whole`() async throws {
    let old = #"{"entry":{"targetGuid":"a","target":{"file":{"id":"a","name":"a","createdBy":"omar"}}}}"#
    let link = #"{"entry":{"id":"l","nodeId":"n","name":"n","sharedByUser":{"displayName":"Omar"}}}"#
    let comment = #"{"entry":{"id":"c","content":"x","createdBy":{"id":"omar","displayName":"Omar Haddad"}}}"#
    #expect(try Favorite(JSONDocument(Array(old.utf8)).root["entry"]).node?.creator == nil)
    #expect(try SharedLink(JSONDocument(Array(link.utf8)).root["entry"]).sharer == "Omar")
    #expect(try Comment(JSONDocument(Array(comment.utf8)).root["entry"]).author == "Omar Haddad")
  }

  @Test func `ids of audits and activities are numbers, ratings flags or numbers`() throws {
    func entry(_ text: String) throws -> JSONValue { try JSONDocument(Array(text.utf8)).root }
    #expect(try AuditEntry(entry(#"{"id":90211}"#)).id == "90211")
    #expect(try Activity(entry(#"{"id":418823,"activityType":"org.alfresco.x.never-seen"}"#)).deed == "never seen")
    #expect(try Rating(entry(#"{"id":"likes","myRating":true}"#)).mine == 1)
    #expect(try Rating(entry(#"{"id":"fiveStar","myRating":4,"aggregate":{"average":3.5}}"#)).average == "3.5")
  }

  @Test func `a rendition is asked for, waited for, and then read`() async throws {
    let desk = try Desk()
    let base = "\(Desk.core)/nodes/x/renditions"
    desk.stub.on("GET", "\(base)/pdf", body: #"{"entry":{"id":"pdf","status":"NOT_CREATED"}}"#)
    desk.stub.on("GET", "\(base)/pdf", body: #"{"entry":{"id":"pdf","status":"NOT_CREATED"}}"#)
    desk.stub.on("GET", "\(base)/pdf", body: #"{"entry":{"id":"pdf","status":"CREATED"}}"#)
    // Somebody else asked before.
    desk.stub.on("POST", base, status: 409, body: Sample.error(409, "x", "10300001 exists"))
    desk.stub.on("GET", "\(base)/pdf/content", body: "%PDF")
    let sink = MemorySink()
    _ = try await desk.backend.download(desk.at("/nodes/x/@renditions/pdf"), DownloadRequest(), to: sink) { _, _ in }
    #expect(sink.text == "%PDF")
  }

  // MARK: The rest

  @Test(arguments: [400, 403])
  func `a refresh that fails is told by its word, 400 here and 403 there`(_ status: Int) async throws {
    let stub = StubTransport()
    stub.on("POST", "/token", status: status, body: #"{"error":"invalid_grant"}"#)
    let error = await #expect(throws: OAuthError.self) {
      try await client(stub).refresh(Secret("used-up"))
    }
    #expect(error?.needsSignIn == true)
  }

  @Test func `a refresh token that ends at nought has no end`() async throws {
    let stub = StubTransport()
    let body =
      #"{"access_token":"a","token_type":"Bearer","expires_in":300,"refresh_token":"r","refresh_expires_in":0}"#
    stub.on("POST", "/token", body: body)
    let tokens = try await client(stub).refresh(Secret("old"))
    #expect(tokens.refresh != nil && tokens.refreshExpires == nil)
  }

  private func client(_ stub: StubTransport) throws -> OAuth2Client {
    let token = try #require(URL(string: "https://idp/token"))
    return OAuth2Client(OAuthProvider(token: token), clientID: "atrium", transport: stub, clock: StubClock())
  }

  @Test func `a client without the device grant says so, and what to do`() async throws {
    let stub = StubTransport()
    stub.on(
      "GET", "/r/.well-known/openid-configuration",
      body: #"{"issuer":"https://idp/r","token_endpoint":"https://idp/t"}"#)
    let client = try await OpenIDVisit.client(
      issuer: "https://idp/r", clientID: "alfresco", secret: nil, transport: stub, clock: StubClock())
    let error = await #expect(throws: OAuthError.self) { try await client.startDevice(scope: "openid") }
    #expect(error?.code == .notOffered)
  }

  @Test func `a person without a home folder has every other place`() async throws {
    let desk = try Desk()
    desk.stub.on(
      "GET", "\(Desk.core)/nodes/-my-/children", status: 404,
      body: Sample.error(404, "framework.exception.EntityNotFound", "10300001 The entity with id: -my- was not found"))
    let error = await #expect(throws: ServiceError.self) {
      try await desk.backend.list(desk.at("/nodes/-my-"), ListQuery())
    }
    #expect(error?.code == .notFound)
    #expect(try await desk.backend.list(desk.at("/"), ListQuery()).rows.count > 10)
  }

  @Test func `the folder Shared is a place, shared links are another`() throws {
    #expect(try Place(Location(parsing: "docs:/nodes/-shared-")) == .node(.id("-shared-")))
    #expect(try Place(Location(parsing: "docs:/shared")) == .shared)
  }

  @Test func `discovery wants a sign-in, the version does not`() async throws {
    let live = try await LiveSandbox()
    let error = await #expect(throws: ServiceError.self) { try await live.backend.client.discovery() }
    #expect(error?.code == .signInNeeded)
    #expect(try await live.backend.client.version().hasPrefix("23."))
    #expect(try await live.backend.client.isReady())
    try await live.signIn()
    #expect(try await live.backend.client.discovery().value.sharesByLink == true)
  }

  @Test func `names clash whatever their case, and a forbidden sign is 422 with advice`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    let shared = try live.at("/files/Shared")
    try await live.act("new-folder", shared, ["name": "Case"])
    var error = await #expect(throws: ServiceError.self) { try await live.act("new-folder", shared, ["name": "CASE"]) }
    #expect(error?.code == .conflict)
    error = await #expect(throws: ServiceError.self) { try await live.act("new-folder", shared, ["name": "a|b"]) }
    #expect(error?.status == 422)
    #expect(error?.message.contains("may not hold") == true)
  }

  @Test func `comments are HTML on the wire and words here`() {
    #expect(PlainText.withoutMarkup("<p>Please check annex&nbsp;B</p>") == "Please check annex B")
    #expect(PlainText.asMarkup("a < b & c") == "a &lt; b &amp; c")
  }

  @Test func `two editors are told apart by the version label`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    let file = try await live.put("/files/Shared", "one", name: "both.txt")
    _ = try await live.put("/files/Shared/both.txt", "hers", ifMatch: "1.0")
    let error = await #expect(throws: ServiceError.self) {
      try await live.put("/files/Shared/both.txt", "his", ifMatch: "1.0")
    }
    #expect(error?.code == .conflict)
    #expect(try await live.get(file).text == "hers")
  }
}
