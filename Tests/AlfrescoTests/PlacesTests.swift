import JSON
import Model
import TestKit
import Testing
import Wire

@testable import Alfresco

/// Sites, people's doings, ratings, categories, associations, audit and archives against the sandbox.
@Suite(.bounded) struct PlacesTests {
  @Test func `sites are mine, favourite, found, or all of them`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    func ids(_ text: String) async throws -> [String] {
      let listing = try await live.list(text)
      return listing.rows.map { listing.value("id", in: $0).exactText }
    }
    let all = try await ids("/sites")
    #expect(all.contains("city-planning") && all.contains("harbour-loans") && !all.contains("board"))
    #expect(try await ids("/sites?show=mine") == ["harbour-loans", "hospital", "museum"])
    #expect(try await ids("/sites?show=favorites") == ["museum"])
    #expect(try await ids("/sites?q=customs") == ["museum"])
    let error = await #expect(throws: ServiceError.self) { try await live.list("/sites?q=c") }
    #expect(error?.code == .usage)
  }

  @Test func `a public site is joined at once and left again, a moderated one asks`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    let open = try live.at("/sites/city-planning")
    let joined = try await live.act("join", open)
    #expect(joined.undo.first?.action == "leave")
    #expect(try await live.field("role", of: open) == .text("SiteConsumer"))
    try await live.act("leave", open)
    #expect(try await live.field("role", of: open) == .null)
    let moderated = try live.at("/sites/archive-group")
    let asked = try #require(try await live.act("join", moderated, ["message": "May I?"]).location)
    #expect(asked.text == "docs:/requests/archive-group/-me-")
    let requests = try await live.list("/requests")
    #expect(requests.rows.first.map { requests.value("message", in: $0) } == .text("May I?"))
    let error = await #expect(throws: ServiceError.self) { try await live.act("join", moderated) }
    #expect(error?.code == .failed || error?.status == 400)
    try await live.act("withdraw", asked)
    #expect(try await live.list("/requests").rows.contains { $0.location == asked } == false)
  }

  @Test func `a manager lets people in, changes what they may, and shows them out`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    let request = try live.at("/requests/harbour-loans/eleni")
    #expect(try await live.backend.item(request).actions.map(\.id) == ["approve", "reject"])
    try await live.act("approve", request, ["role": "contributor"])
    let member = try live.at("/sites/harbour-loans/members/eleni")
    #expect(try await live.field("role", of: member) == .text("SiteContributor"))
    let change = try await live.act("change-role", member, ["role": "SiteManager"])
    #expect(change.undo.first?.fields == ["role": "SiteContributor"])
    try await live.act("remove", member)
    try await live.act("add-member", live.at("/sites/harbour-loans/members"), ["person": "nils", "role": "manager"])
    let listing = try await live.list("/sites/harbour-loans/members")
    #expect(Set(listing.rows.map { listing.value("id", in: $0).exactText }) == ["susan", "omar", "yuki", "nils"])
  }

  @Test func `what happened in a site is told in words and leads to the node`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    let file = try await live.put("/sites/harbour-loans/files/Minutes", "x", name: "news.txt")
    let activities = try await live.list("/sites/harbour-loans/activities")
    let row = try #require(activities.rows.first)
    #expect(activities.value("deed", in: row) == .text("added"))
    #expect(activities.value("title", in: row) == .text("news.txt"))
    let id = try await live.field("id", of: file).exactText
    #expect(row.location.text == "docs:/nodes/\(id)")
    #expect(try await live.list("/activities").rows.isEmpty == false)
  }

  @Test func `likes and stars are given, counted and taken back`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    let file = try live.at("/sites/harbour-loans/files/Term sheets/Quay 7 facility.pdf")
    try await live.act("like", file)
    try await live.act("rate", file, ["stars": "5"])
    let ratings = try await live.backend.list(file.facet("ratings"), ListQuery())
    #expect(ratings.rows.map { ratings.value("mine", in: $0) } == [.integer(1), .integer(5)])
    #expect(ratings.rows.map { ratings.value("count", in: $0) } == [.integer(2), .integer(3)])
    try await live.act("unlike", file.facet("ratings"))
    _ = try await live.backend.delete(file.facet("ratings").appending("fiveStar"))
    let after = try await live.backend.list(file.facet("ratings"), ListQuery())
    #expect(after.rows.map { after.value("mine", in: $0) } == [.null, .null])
    let error = await #expect(throws: ServiceError.self) { try await live.act("rate", file, ["stars": "6"]) }
    #expect(error?.code == .usage)
  }

  @Test func `categories are walked, files filed under them and found there`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    let top = try await live.list("/categories")
    #expect(top.rows.map { top.value("name", in: $0).exactText } == ["Contracts", "Languages", "Regions"])
    let regions = try await live.backend.list(top.rows[2].location, ListQuery())
    #expect(regions.rows.map { regions.value("name", in: $0).exactText } == ["Asia", "Europe"])
    let file = try await live.put("/files/Shared", "x", name: "filed.txt")
    try await live.act("file", file, ["category": "asia"])
    let filed = try await live.backend.list(file.facet("categories"), ListQuery())
    #expect(filed.value("name", in: filed.rows[0]) == .text("Asia"))
    let asia = try await live.backend.item(regions.rows[0].location)
    let search = try #require(asia.related.first { $0.title == "What is filed here" })
    let found = try await live.backend.list(search.location, ListQuery())
    #expect(found.rows.map { found.value("name", in: $0) } == [.text("filed.txt")])
    _ = try await live.backend.delete(filed.rows[0].location)
    #expect(try await live.backend.list(file.facet("categories"), ListQuery()).rows.isEmpty)
    let error = await #expect(throws: ServiceError.self) { try await live.act("file", file, ["category": "nowhere"]) }
    #expect(error?.code == .notFound)
  }

  @Test func `nodes are joined, seen from both ends, and parted`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    let one = try await live.put("/files/Shared", "1", name: "one.txt")
    let two = try await live.put("/files/Shared", "2", name: "two.txt")
    let joined = try await live.act("join", one, ["target": two.text])
    let from = try await live.backend.list(one.facet("associations"), ListQuery())
    #expect(from.rows.map { from.value("direction", in: $0) } == [.text("points to")])
    let to = try await live.backend.list(two.facet("associations"), ListQuery())
    #expect(to.rows.map { to.value("direction", in: $0) } == [.text("is pointed to by")])
    let undo = try #require(joined.undo.first)
    _ = try await live.backend.perform(undo.action, at: undo.location, fields: undo.fields)
    #expect(try await live.backend.list(one.facet("associations"), ListQuery()).rows.isEmpty)
  }

  @Test func `the audit is for administrators`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    let error = await #expect(throws: ServiceError.self) { try await live.list("/audit") }
    #expect(error?.code == .forbidden)
    #expect(try await live.list("/").rows.contains { $0.location.path == ["audit"] } == false)
    let file = try await live.put("/files/Shared", "x", name: "audited.txt")
    try await live.act("rename", file, ["name": "audited too.txt"])
    try await live.becomeAdministrator()
    #expect(try await live.list("/").rows.contains { $0.location.path == ["audit"] })
    let entries = try await live.list("/audit/alfresco-access")
    #expect(entries.rows.contains { entries.value("values", in: $0).exactText.contains("action: UPDATE") })
    let ofNode = try await live.backend.list(live.at("/files/Shared/audited too.txt").facet("audit"), ListQuery())
    #expect(ofNode.rows.isEmpty == false)
  }

  @Test func `properties of a model of one's own have its titles`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    let item = try await live.backend.item(live.at("/sites/harbour-loans/files/Term sheets/Quay 7 facility.pdf"))
    let section = try #require(item.sections.first { $0.title == "Facility" })
    #expect(section.fields.first { $0.id == "loan:amount" }?.title == "Amount, in thousands")
    #expect(section.fields.first { $0.id == "loan:borrower" }?.value == .text("Quay 7 Developments"))
  }

  @Test func `a server without the model API is asked once`() async throws {
    let desk = try Desk()
    let file = Sample.file.replacing(#""aspectNames":["cm:titled"]"#, with: #""aspectNames":["x:a","x:b"]"#)
      .replacing(#""cm:title":"Facility agreement""#, with: #""x:p":"v""#)
    desk.stub.on("GET", "\(Desk.core)/nodes/c4b7", body: file)
    desk.stub.on("GET", "\(Desk.core)/aspects/x%3Aa", status: 405)
    for _ in 0..<2 { _ = try await desk.backend.item(desk.at("/nodes/c4b7")) }
    #expect(desk.lines.count { $0.contains("/aspects/") } == 1)
  }

  @Test func `a folder comes as one archive, several things in another`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    let folder = try #require(try await live.act("new-folder", live.at("/files/Shared"), ["name": "Pack"]).location)
    _ = try await live.put("/files/Shared/Pack", "first", name: "a.txt")
    let other = try await live.put("/files/Shared", "second", name: "b.txt")
    let one = try #require(live.backend.archive(of: [folder]))
    #expect(one == (try Location(parsing: one.text)) && one.queryValue("at") == "/files/Shared/Pack")
    #expect(try await live.backend.item(one).content?.name == "Pack.zip")
    let zip = try await live.get(one)
    #expect(zip.bytes.starts(with: [0x50, 0x4B, 3, 4]))
    #expect(zip.text.contains("Pack/a.txt") && zip.text.contains("first"))
    let both = try await live.get(try #require(live.backend.archive(of: [folder, other])))
    #expect(both.text.contains("second") && both.text.contains("Pack/a.txt"))
    #expect(live.backend.archive(of: [folder, try live.at("/people/susan")]) == nil)
    let error = await #expect(throws: ServiceError.self) { try await live.get(folder) }
    #expect(error?.message.contains("docs:/zip?at=") == true)
  }

  @Test func `an archive that is too large says so, and one that is cancelled is withdrawn`() async throws {
    let desk = try Desk()
    desk.stub.on("GET", "\(Desk.core)/nodes/x", body: Sample.folder("x", "x"))
    let order = #"{"entry":{"id":"d","status":"PENDING"}}"#
    desk.stub.on("POST", "\(Desk.core)/downloads", status: 202, body: order)
    desk.stub.on("GET", "\(Desk.core)/downloads/d", body: #"{"entry":{"id":"d","status":"MAX_CONTENT_SIZE_EXCEEDED"}}"#)
    desk.stub.on("DELETE", "\(Desk.core)/downloads/d", status: 202)
    let error = await #expect(throws: ServiceError.self) {
      try await desk.backend.client.finishedArchive(of: ["x"]) { _ in }
    }
    #expect(error?.detail?.contains("larger") == true)
    let cancelled = await #expect(throws: ServiceError.self) {
      try await desk.backend.client.finishedArchive(of: ["x"]) { _ throws(ServiceError) in throw .cancelled("x") }
    }
    #expect(cancelled?.code == .cancelled)
    #expect(desk.lines.last == "DELETE /downloads/d")
  }

  @Test func `what was done is undone where the server can`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    func undo(_ outcome: ActionOutcome) async throws {
      for step in outcome.undo {
        _ = try await live.backend.perform(step.action, at: step.location, fields: step.fields)
      }
    }
    let target = try #require(try await live.act("new-folder", live.at("/files/Shared"), ["name": "To"]).location)
    let file = try await live.put("/files/Shared", "x", name: "there.txt")
    try await undo(try await live.backend.delete(file))
    #expect(try await live.get(file).text == "x")
    try await undo(try await live.act("move", file, ["target": target.text]))
    #expect(try await live.get(file).text == "x")
    try await undo(try await live.act("rename", file, ["name": "elsewhere.txt"]))
    #expect(try await live.get(file).text == "x")
    try await undo(try await live.act("edit", file, ["cm:title": "T"]))
    #expect(try await live.field("cm:title", of: file) == .null)
    try await undo(try await live.act("copy", file, ["target": target.text]))
    #expect(try await live.backend.list(target, ListQuery()).rows.isEmpty)
    for (action, field) in [("lock", "locked"), ("favorite", "favorite")] {
      try await undo(try await live.act(action, file))
      #expect(try await live.field(field, of: file) == .flag(false))
    }
  }
}
