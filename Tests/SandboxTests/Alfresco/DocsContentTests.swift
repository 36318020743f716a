import HTTPServer
import JSON
import Testing

@testable import Sandbox

@Suite struct DocsContentTests {
  let docs = DocsClient()

  @Test func `a full download is 200 and still names its range`() throws {
    let id = try docs.id(at: "Shared/Awkward names/100% sure + 50 & more.txt")
    let answer = docs.get("nodes/\(id)/content")
    let bytes = answer.bodyBytes
    #expect(answer.status == 200)
    #expect(answer.header("Content-Range") == "bytes 0-\(bytes.count - 1)/\(bytes.count)")
    #expect(
      answer.header("Content-Disposition")?.contains("filename*=UTF-8''100%25%20sure%20%2B%2050%20%26%20more.txt")
        == true)
    #expect(answer.header("ETag") != nil)
  }

  @Test func `ranges answer 206, unusable ones 416 with a quoted star`() throws {
    let id = try docs.id(at: "Shared/Media/survey-scan.bin")
    let part = docs.get("nodes/\(id)/content", headers: [("Range", "bytes=1000-1999")])
    #expect(part.status == 206)
    #expect(part.header("Content-Range") == "bytes 1000-1999/67108864")
    #expect(part.bodyBytes == (1000..<2000).map(OpenedContent.pattern))
    let tail = docs.get("nodes/\(id)/content", headers: [("Range", "bytes=-5")])
    #expect(tail.bodyBytes.count == 5)
    let bad = docs.get("nodes/\(id)/content", headers: [("Range", "bytes=99999999-")])
    #expect(bad.status == 416)
    #expect(bad.header("Content-Range") == "\"*\"")
  }

  @Test func `an unchanged file is 304`() throws {
    let id = try docs.id(at: "Shared/Media/crane.png")
    let first = docs.get("nodes/\(id)/content?attachment=false")
    #expect(first.header("Content-Disposition") == nil)
    let since = try #require(first.header("Last-Modified"))
    #expect(docs.get("nodes/\(id)/content", headers: [("If-Modified-Since", since)]).status == 304)
  }

  @Test func `an upload is versioned, findable and byte-identical`() throws {
    let content = Array("Ein Zebra am Kai\r\n--xy\r\n\0binary".utf8)
    let made = docs.upload("-shared-", "zebra.txt", content)
    #expect(made.status == 201)
    let id = try #require(made.json["entry"]["id"].string)
    #expect(made.json["entry"]["properties"]["cm:versionLabel"].string == "1.0")
    #expect(docs.get("nodes/\(id)/content").bodyBytes == content)
    #expect(docs.find("zebra").names == ["zebra.txt"])
  }

  @Test func `a name that is taken is 409, renamed or a new version as asked`() {
    _ = docs.upload("-shared-", "a.txt", [1])
    #expect(docs.upload("-shared-", "A.TXT", [2]).status == 409)
    #expect(docs.upload("-shared-", "a.txt", [2], [("autoRename", "true")]).json["entry"]["name"].string == "a-1.txt")
    let again = docs.upload("-shared-", "a.txt", [3], [("overwrite", "true")])
    #expect(again.json["entry"]["properties"]["cm:versionLabel"].string == "1.1")
    #expect(docs.upload("-shared-", "a.txt", [3], [("overwrite", "true"), ("autoRename", "true")]).status == 400)
    #expect(docs.upload("-shared-", "a?.txt", [3]).status == 422)
  }

  @Test func `flags in the query do nothing for a form`() {
    _ = docs.upload("-shared-", "b.txt", [1])
    #expect(docs.upload("-shared-", "b.txt?autoRename=true", [1]).status == 422)
  }

  @Test func `writing content makes a minor version and refuses a form`() throws {
    let id = try #require(docs.upload("-shared-", "c.txt", [1]).json["entry"]["id"].string)
    let path = "\(DocsClient.core)/nodes/\(id)/content"
    let minor = docs.send("PUT", path, [9, 9], headers: [("Content-Type", "text/plain")])
    #expect(minor.json["entry"]["properties"]["cm:versionLabel"].string == "1.1")
    let major = docs.send("PUT", path + "?majorVersion=true&comment=done", [9], headers: [])
    #expect(major.json["entry"]["properties"]["cm:versionLabel"].string == "2.0")
    #expect(docs.send("PUT", path, [9], headers: [("Content-Type", "multipart/form-data; boundary=x")]).status == 415)
    let versions = docs.get("nodes/\(id)/versions").entries
    #expect(versions.map { $0["id"].string } == ["2.0", "1.1", "1.0"])
    #expect(versions[0]["versionComment"].string == "done")
    #expect(versions[0]["createdAt"].exists == false)
    #expect(docs.get("nodes/\(id)/versions/1.0/content").bodyBytes == [1])
    #expect(docs.post("nodes/\(id)/versions/1.0/revert", [:]).json["entry"]["id"].string == "2.1")
    #expect(docs.get("nodes/\(id)/content").bodyBytes == [1])
  }

  @Test func `a large part of a form is spooled and comes back whole`() throws {
    let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let id = try #require(docs.upload("-shared-", "large.bin", content).json["entry"]["id"].string)
    #expect(docs.get("nodes/\(id)/content").bodyBytes == content)
  }

  @Test func `folders are made, renamed, moved, copied, deleted and restored`() throws {
    let folder = docs.post("nodes/-shared-/children", ["name": "New", "nodeType": "cm:folder"])
    #expect(folder.status == 201)
    let id = try #require(folder.json["entry"]["id"].string)
    let file = try #require(docs.upload("-shared-", "d.txt", [1]).json["entry"]["id"].string)
    #expect(docs.post("nodes/\(file)/move", ["targetParentId": .string(id)]).status == 200)
    #expect(docs.post("nodes/\(file)/copy", ["targetParentId": .string(id)]).status == 409)
    #expect(docs.post("nodes/\(file)/copy", ["targetParentId": .string(id), "name": "e.txt"]).status == 201)
    #expect(docs.post("nodes/\(id)/move", ["targetParentId": .string(id)]).status == 400)
    #expect(docs.put("nodes/\(id)", ["name": "Newer"]).json["entry"]["name"].string == "Newer")
    #expect(docs.put("nodes/\(id)", ["name": "bad*name"]).status == 422)
    #expect(docs.delete("nodes/\(id)").status == 204)
    #expect(docs.get("nodes/\(file)").status == 404)
    let bin = docs.get("deleted-nodes?include=path").entries
    #expect(bin.first?["id"].string == id)
    #expect(bin.first?["parentId"].exists == false)
    #expect(docs.post("deleted-nodes/\(id)/restore", [:]).status == 200)
    #expect(docs.get("nodes/\(id)/children").names == ["d.txt", "e.txt"])
  }

  @Test func `rights decide what may be written and deleted`() throws {
    let foreign = try docs.id(at: "Sites/museum/documentLibrary/Pictures/View 01.png")
    #expect(docs.delete("nodes/\(foreign)").status == 403)
    #expect(docs.put("nodes/\(foreign)", ["name": "x.png"]).status == 403)
    #expect(docs.upload("-root-", "x.txt", [1]).status == 403)
    #expect(docs.delete("nodes/-shared-").status == 403)
  }

  @Test func `a locked node refuses others, and only its owner unlocks it`() throws {
    let id = try docs.id(at: "Sites/harbour-loans/documentLibrary/Term sheets/Quay 7 facility.pdf")
    var omar = docs
    omar.user = "omar"
    #expect(docs.post("nodes/\(id)/lock", [:]).status == 200)
    #expect(omar.put("nodes/\(id)", ["properties": ["cm:title": "x"]]).status == 409)
    #expect(omar.post("nodes/\(id)/unlock", [:]).status == 403)
    #expect(docs.post("nodes/\(id)/unlock", [:]).status == 200)
    #expect(docs.post("nodes/\(id)/unlock", [:]).status == 422)
  }

  @Test func `a rendition is ready some time after it was asked for`() throws {
    let id = try docs.id(at: "Sites/harbour-loans/documentLibrary/Term sheets/Quay 7 facility.pdf")
    #expect(docs.post("nodes/\(id)/renditions", ["id": "text"]).status == 202)
    #expect(docs.get("nodes/\(id)/renditions/text").json["entry"]["status"].string == "NOT_CREATED")
    docs.clock.advance(seconds: 3)
    #expect(docs.get("nodes/\(id)/renditions/text").json["entry"]["status"].string == "CREATED")
    #expect(docs.get("nodes/\(id)/renditions/text/content").bodyText.hasPrefix("Facility agreement, Quay 7"))
    #expect(docs.post("nodes/\(id)/renditions", ["id": "text"]).status == 409)
  }

  @Test func `an ordered conflict strikes the next write once`() {
    docs.door.suffer(.conflict)
    #expect(docs.upload("-shared-", "f.txt", [1]).status == 409)
    #expect(docs.upload("-shared-", "f.txt", [1]).status == 201)
  }
}
