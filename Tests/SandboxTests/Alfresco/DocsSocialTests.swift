import HTTPServer
import JSON
import Testing

@testable import Sandbox

@Suite struct DocsSocialTests {
  let docs = DocsClient()

  private func quay() throws -> String {
    try docs.id(at: "Sites/harbour-loans/documentLibrary/Term sheets/Quay 7 facility.pdf")
  }

  @Test func `comments carry whole persons and only their writer changes them`() throws {
    let id = try quay()
    let made = docs.post("nodes/\(id)/comments", ["content": "<p>Hello</p>"])
    #expect(made.status == 201)
    #expect(made.json["entry"]["createdBy"]["email"].string == "susan@example.test")
    let comment = try #require(made.json["entry"]["id"].string)
    #expect(docs.get("nodes/\(id)/comments").entries.first?["id"].string == comment)
    var omar = docs
    omar.user = "omar"
    #expect(omar.put("nodes/\(id)/comments/\(comment)", ["content": "x"]).status == 403)
    #expect(docs.put("nodes/\(id)/comments/\(comment)", ["content": "x"]).json["entry"]["edited"].bool == false)
    docs.clock.advance(seconds: 5)
    #expect(docs.put("nodes/\(id)/comments/\(comment)", ["content": "y"]).json["entry"]["edited"].bool == true)
    #expect(docs.delete("nodes/\(id)/comments/\(comment)").status == 204)
    #expect(docs.post("nodes/\(id)/comments", ["content": ""]).status == 400)
  }

  @Test func `tags are lower case, added twice without harm, several at once`() throws {
    let id = try quay()
    #expect(docs.post("nodes/\(id)/tags", ["tag": "HARBOUR"]).json["entry"]["tag"].string == "harbour")
    #expect(docs.post("nodes/\(id)/tags", ["tag": "harbour"]).status == 201)
    let two = docs.post("nodes/\(id)/tags", [["tag": "one"], ["tag": "two"]])
    #expect(two.entries.map { $0["tag"].string } == ["one", "two"])
    #expect(docs.find("TAG:harbour").names == ["Quay 7 facility.pdf"])
    #expect(docs.post("tags", ["tag": "new"]).status == 403)
    #expect(docs.get("tags?where=(tag%20matches%20('h*'))").entries.map { $0["tag"].string } == ["harbour"])
  }

  @Test func `both ratings are always listed, and one's own work gets no stars`() throws {
    let id = try quay()
    #expect(docs.post("nodes/\(id)/ratings", ["id": "fiveStar", "myRating": 5]).status == 201)
    #expect(docs.post("nodes/\(id)/ratings", ["id": "fiveStar", "myRating": 6]).status == 400)
    let entries = docs.get("nodes/\(id)/ratings").entries
    #expect(entries.map { $0["id"].string } == ["likes", "fiveStar"])
    #expect(entries[1]["myRating"].int == 5)
    var omar = docs
    omar.user = "omar"
    #expect(omar.post("nodes/\(id)/ratings", ["id": "fiveStar", "myRating": 4]).status == 400)
  }

  @Test func `favouring twice is 201 twice, and a site goes by its guid`() throws {
    let id = try quay()
    let body: JSONNode = ["target": ["file": ["guid": .string(id)]]]
    #expect(docs.post("people/-me-/favorites", body).status == 201)
    #expect(docs.post("people/-me-/favorites", body).status == 201)
    #expect(docs.post("people/-me-/favorites", ["target": ["folder": ["guid": .string(id)]]]).status == 404)
    #expect(docs.post("people/-me-/favorites", ["target": ["site": ["guid": "museum"]]]).status == 404)
    let entry = docs.get("people/-me-/favorites/\(id)?include=path,properties").json["entry"]
    #expect(entry["target"]["file"]["createdBy"].string == "omar")
    #expect(entry["target"]["file"]["path"]["name"].string?.hasPrefix("/Company Home/Sites") == true)
    #expect(entry["properties"].exists)
    #expect(docs.get("people/omar/favorites").status == 404)
    let sites = docs.get("people/-me-/favorites?where=(EXISTS(target/site))").entries
    #expect(sites.first?["target"]["site"]["id"].string == "museum")
  }

  @Test func `a shared link needs no sign-in and shows no ids`() throws {
    let id = try docs.id(at: "Shared/Media/crane.png")
    let made = docs.post("shared-links", ["nodeId": .string(id)])
    #expect(made.status == 201)
    let link = try #require(made.json["entry"]["id"].string)
    #expect(link.count == 22)
    #expect(docs.post("shared-links", ["nodeId": .string(id)]).status == 409)
    var anonymous = docs
    anonymous.user = nil
    let seen = anonymous.get("shared-links/\(link)")
    #expect(seen.json["entry"]["sharedByUser"]["id"].exists == false)
    #expect(anonymous.get("shared-links/\(link)/content").bodyBytes.prefix(4) == [0x89, 0x50, 0x4E, 0x47])
    #expect(anonymous.get("shared-links/nothing").status == 404)
    #expect(anonymous.get("shared-links").status == 401)
    #expect(docs.delete("shared-links/\(link)").status == 204)
    let late: JSONNode = ["nodeId": .string(id), "expiresAt": "2026-11-30T13:00:00.000+0000"]
    #expect(docs.post("shared-links", late).status == 400)
  }

  @Test func `sites are joined, left and made`() throws {
    #expect(docs.post("people/-me-/site-membership-requests", ["id": "city-planning"]).status == 201)
    #expect(docs.get("sites/city-planning").json["entry"]["role"].string == "SiteConsumer")
    #expect(docs.delete("people/-me-/sites/city-planning").status == 204)
    #expect(
      docs.post("people/-me-/site-membership-requests", ["id": "archive-group", "message": "please"]).status == 201)
    #expect(docs.get("sites/archive-group").json["entry"]["role"].exists == false)
    #expect(docs.post("people/-me-/site-membership-requests", ["id": "board"]).status == 404)
    #expect(docs.delete("people/-me-/sites/harbour-loans").status == 400)
    #expect(docs.post("sites", ["title": "New one", "visibility": "PRIVATE"]).json["entry"]["id"].string == "new-one")
    #expect(docs.post("sites", ["id": "new-one", "title": "Again"]).status == 409)
    #expect(docs.delete("sites/new-one").status == 204)
    #expect(docs.post("sites", ["id": "new-one", "title": "Again"]).status == 409, "taken while in the bin")
  }

  @Test func `a folder comes down as an archive`() throws {
    let id = try docs.id(at: "Shared/Awkward names")
    let made = docs.post("downloads", ["nodeIds": [.string(id)]])
    #expect(made.status == 202)
    let download = try #require(made.json["entry"]["id"].string)
    #expect(docs.get("downloads/\(download)").json["entry"]["status"].string == "PENDING")
    docs.clock.advance(seconds: 2)
    #expect(docs.get("downloads/\(download)").json["entry"]["status"].string == "DONE")
    let archive = docs.get("nodes/\(download)/content").bodyBytes
    #expect(archive.prefix(4) == [0x50, 0x4B, 3, 4])
    #expect(docs.post("downloads", ["nodeIds": []]).status == 400)
    #expect(docs.get("downloads/\(id)").status == 400)
  }

  @Test func `what a resource does not offer is 405`() {
    #expect(docs.send("PATCH", "\(DocsClient.core)/nodes/-root-").status == 405)
    #expect(docs.get("nowhere").status == 404)
    #expect(docs.post("nodes/-root-/copy", [["targetParentId": "x"]]).status == 405)
  }
}
