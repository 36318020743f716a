import HTTPServer
import JSON
import Testing

@testable import Sandbox

/// The conformance vectors of reference omce.md, section 10.5, by number.
@Suite struct MobileStorageTests {
  private func names(_ page: JSONValue) -> [String] { page["items"].elements.compactMap { $0["name"].string } }

  @Test func `1: a page holds at most a hundred`() throws {
    let page = try MobileClient.basic("ada").list("Big", "limit=500")
    #expect(page["limit"].int == 100)
    #expect(page["items"].count == 100)
    #expect(page["hasMore"].bool == true)
  }

  @Test func `2: the last page says so`() throws {
    let page = try MobileClient.basic("ada").list("Big", "offset=249&limit=10")
    #expect(page["items"].count == 1)
    #expect(page["hasMore"].bool == false)
    #expect(try MobileClient.basic("ada").list("Big", "offset=900")["items"].count == 0)
  }

  @Test(arguments: ["PUMP", "pump 7%", "mp 7.J"]) func `3: a search is partial and in any case`(text: String) throws {
    let query = "q=\(PercentCoding.encode(text))"
    #expect(names(try MobileClient.basic("ada").list("FieldPhotos", query)).contains("pump 7.jpg"))
  }

  @Test func `4: order follows the attribute and its direction`() throws {
    let client = try MobileClient.basic("ada")
    let rising = try client.list("FieldPhotos", "orderBy=modifiedOn")["items"].elements.compactMap {
      $0["modifiedOn"].string
    }
    let falling = try client.list("FieldPhotos", "orderBy=modifiedOn:desc")["items"].elements.compactMap {
      $0["modifiedOn"].string
    }
    #expect(rising == rising.sorted())
    #expect(falling == rising.reversed())
    #expect(client.send("GET", "\(MobileClient.storage)/FieldPhotos/objects?orderBy=colour").status == 400)
  }

  @Test func `5: totals come only when asked for`() throws {
    let client = try MobileClient.basic("ada")
    #expect(try client.list("Big", "totalResults=true")["totalResults"].int == 250)
    #expect(try !client.list("Big")["totalResults"].exists)
  }

  @Test(arguments: ["limit=-1", "offset=x", "limit=1.5"]) func `6: bad numbers are refused`(query: String) throws {
    #expect(try MobileClient.basic("ada").send("GET", "\(MobileClient.storage)/Big/objects?\(query)").status == 400)
  }

  @Test func `7: a user on a shared collection is refused`() throws {
    let client = try MobileClient.basic("bert")
    #expect(client.send("GET", "\(MobileClient.storage)/Big/objects?user=*").status == 400)
    #expect(client.send("GET", "\(MobileClient.storage)/Big?user=*").status == 400)
  }

  @Test func `8: who reads every space must name one`() throws {
    let client = try MobileClient.basic("bert")
    #expect(client.send("GET", "\(MobileClient.storage)/MyNotes/objects").status == 400)
    let all = try client.list("MyNotes", "user=*")["items"]
    #expect(Set(all.elements.compactMap { $0["user"].string }).count == 3)
    #expect(try client.list("MyNotes", "user=\(client.id("ada"))")["items"].count == 7)
  }

  @Test func `9: other people's spaces stay closed`() throws {
    let client = try MobileClient.basic("ada")
    #expect(client.send("GET", "\(MobileClient.storage)/MyNotes/objects?user=\(client.id("bert"))").status == 403)
    #expect(client.send("GET", "\(MobileClient.storage)/MyNotes/objects?user=*").status == 403)
    #expect(try client.list("MyNotes")["items"].count == 7)
    #expect(try MobileClient.basic("carl").send("GET", "\(MobileClient.storage)/Big/objects").status == 403)
  }

  @Test func `trap 10: whose objects a collection holds is settled when it is made`() throws {
    let client = try MobileClient.basic("tess")
    for method in ["PUT", "POST", "PATCH"] {
      let response = client.send(
        method, "\(MobileClient.storage)/Big", headers: [("Content-Type", "application/json")],
        body: Array(#"{"userIsolated":true}"#.utf8))
      #expect(response.status == 405)
    }
    #expect(try client.json("\(MobileClient.storage)/Big")["userIsolated"].bool != true)
  }

  @Test func `10: the server chooses the id of a POST`() throws {
    let client = try MobileClient.basic("ada")
    let response = client.send(
      "POST", "\(MobileClient.storage)/FieldPhotos/objects",
      headers: [("Content-Type", "text/plain"), ("Oracle-Mobile-Name", "caf%C3%A9.txt")], body: Array("x".utf8))
    #expect(response.status == 201)
    let made = try JSONDocument(response.bodyBytes).root
    let path = try #require(response.header("Location"))
    #expect(made["name"].string == "café.txt")
    #expect(path == "\(MobileClient.storage)/FieldPhotos/objects/\(made["id"].string ?? "")")
    let read = client.send("GET", path)
    #expect(read.bodyText == "x")
    #expect(read.header("Oracle-Mobile-Name") == "caf%C3%A9.txt")
  }

  @Test func `11: a PUT creates, then replaces and counts up`() throws {
    let client = try MobileClient.basic("ada")
    let first = client.put("/FieldPhotos/objects/new.txt", "one")
    #expect(first.status == 201)
    #expect(try JSONDocument(first.bodyBytes).root["eTag"].string == "\"1\"")
    let second = client.put("/FieldPhotos/objects/new.txt", "two")
    #expect(second.status == 200)
    #expect(second.header("ETag") == "\"2\"")
    #expect(client.send("GET", "\(MobileClient.storage)/FieldPhotos/objects/new.txt").bodyText == "two")
  }

  @Test func `12 and 13: conditions guard a write`() throws {
    let client = try MobileClient.basic("ada")
    let path = "/FieldPhotos/objects/guarded.txt"
    #expect(client.put(path, "0", headers: [("If-Match", "*")]).status == 412)
    #expect(client.put(path, "1", headers: [("If-None-Match", "*")]).status == 201)
    #expect(client.put(path, "2", headers: [("If-None-Match", "*")]).status == 412)
    #expect(client.put(path, "2", headers: [("If-Match", "\"1\"")]).status == 200)
    let stale = client.put(path, "3", headers: [("If-Match", "\"1\"")])
    #expect(stale.status == 412)
    #expect(try JSONDocument(stale.bodyBytes).root["o:ecid"].string?.isEmpty == false)
    #expect(client.send("DELETE", MobileClient.storage + path, headers: [("If-Match", "\"1\"")]).status == 412)
    #expect(client.send("DELETE", MobileClient.storage + path, headers: [("If-Match", "\"2\"")]).status == 204)
  }

  @Test func `of writers with the same tag one wins`() async throws {
    let client = try MobileClient.basic("ada")
    _ = client.put("/FieldPhotos/objects/raced.txt", "0")
    let statuses = await withTaskGroup(of: Int.self) { group in
      for writer in 0..<8 {
        group.addTask {
          client.put("/FieldPhotos/objects/raced.txt", "\(writer)", headers: [("If-Match", "\"1\"")]).status
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.count { $0 == 200 } == 1)
    #expect(statuses.count { $0 == 412 } == 7)
  }

  private func first(_ client: MobileClient, _ name: String) throws -> (path: String, object: JSONValue) {
    let found = try client.list("FieldPhotos", "limit=100")["items"].elements.first { $0["name"].string == name }
    let object = try #require(found)
    return (try #require(object["links"][1]["href"].string), object)
  }

  @Test func `14: an equal tag is not sent again`() throws {
    let client = try MobileClient.basic("ada")
    let (path, object) = try first(client, "pump 7.jpg")
    let response = client.send("GET", path, headers: [("If-None-Match", try #require(object["eTag"].string))])
    #expect(response.status == 304)
    #expect(response.bodyBytes.isEmpty)
    let late = client.send("GET", path, headers: [("If-Modified-Since", "Mon, 30 Nov 2026 09:00:00 GMT")])
    #expect(late.status == 304)
  }

  @Test(arguments: [
    ("bytes=0-9", 206, 0..<10), ("bytes=20000-", 206, 20_000..<20_480), ("bytes=-5", 206, 20_475..<20_480),
    ("bytes=20400-99999", 206, 20_400..<20_480), ("bytes=20480-", 416, 0..<0), ("lines=1-2", 200, 0..<20_480),
  ])
  func `15: a range is a part`(header: String, status: Int, range: Range<Int>) throws {
    let client = try MobileClient.basic("ada")
    let (path, object) = try first(client, "pump 7.jpg")
    #expect(object["contentLength"].int == 20_480)
    let whole = client.send("GET", path).bodyBytes
    let part = client.send("GET", path, headers: [("Range", header)])
    #expect(part.status == status)
    #expect(part.bodyBytes == Array(whole[range]))
    if status == 206 {
      #expect(part.header("Content-Range") == "bytes \(range.lowerBound)-\(range.upperBound - 1)/20480")
    }
  }

  @Test func `16: a type that does not fit is refused`() throws {
    let client = try MobileClient.basic("ada")
    let (path, _) = try first(client, "pump 7.jpg")
    let refused = client.send("GET", path, headers: [("Accept", "text/plain")])
    #expect(refused.status == 406)
    #expect(refused.bodyText.contains("image\\/jpeg") || refused.bodyText.contains("image/jpeg"))
    for accepted in ["*/*", "image/*", "text/plain, image/jpeg;q=0.5"] {
      #expect(client.send("GET", path, headers: [("Accept", accepted)]).status == 200)
    }
  }

  @Test func `17: a write without a length is refused`() throws {
    let client = try MobileClient.basic("ada")
    #expect(client.send("PUT", "\(MobileClient.storage)/FieldPhotos/objects/x").status == 411)
  }

  @Test func `18: what was deleted is gone`() throws {
    let client = try MobileClient.basic("ada")
    let (path, object) = try first(client, "readings.json")
    #expect(client.send("DELETE", path, headers: [("If-Match", "*")]).status == 204)
    #expect(client.send("GET", path).status == 404)
    #expect(client.send("DELETE", path).status == 404)
    let left = try client.list("FieldPhotos")["items"].elements.compactMap { $0["id"].string }
    #expect(!left.contains(object["id"].string ?? ""))
  }

  @Test func `19: HEAD has the headers of GET`() throws {
    let client = try MobileClient.basic("ada")
    let (path, _) = try first(client, "pump 7.jpg")
    let (get, head) = (client.send("GET", path), client.send("HEAD", path))
    #expect(head.status == 200)
    #expect(get.headers.map { "\($0.name)=\($0.value)" } == head.headers.map { "\($0.name)=\($0.value)" })
    #expect(client.send("HEAD", "\(MobileClient.storage)/FieldPhotos/objects/none").status == 404)
    #expect(client.send("HEAD", "\(MobileClient.storage)/FieldPhotos").status == 200)
  }

  @Test func `paging covers a collection exactly once, changes and all`() throws {
    let client = try MobileClient.basic("ada")
    for number in [3, 40, 249] {
      let path = "\(MobileClient.storage)/Big/objects/reading-\(SandboxTime.padded(number, 7))"
      #expect(client.send("DELETE", path).status == 204)
    }
    #expect(client.put("/Big/objects/reading-0000003a", "new").status == 201)
    var ids: [String] = []
    var next: String? = "\(MobileClient.storage)/Big/objects?limit=17"
    for _ in 0..<40 {
      guard let target = next else { break }
      let page = try client.json(target)
      ids += page["items"].elements.compactMap { $0["id"].string }
      next = page["links"].elements.first { $0["rel"].string == "next" }?["href"].string
    }
    #expect(ids.count == 248)
    #expect(Set(ids).count == 248)
    #expect(ids == ids.sorted())
    #expect(ids[3] == "reading-0000003a")
  }

  @Test func `a collection is as long as its objects`() throws {
    let client = try MobileClient.basic("ada")
    func told() throws -> Int? { try client.json("\(MobileClient.storage)/FieldPhotos")["contentLength"].int }
    func summed() throws -> Int {
      try client.list("FieldPhotos")["items"].elements.reduce(0) { $0 + ($1["contentLength"].int ?? 0) }
    }
    #expect(try told() == summed())
    #expect(client.put("/FieldPhotos/objects/more.txt", "twelve bytes").status == 201)
    #expect(try told() == summed())
  }

  @Test func `large objects are made while they are sent and any part agrees`() throws {
    let client = try MobileClient.basic("ada")
    let path = "\(MobileClient.storage)/Archive/objects/ledger.bin"
    let whole = client.send("GET", path).bodyBytes
    #expect(whole.count == 5 << 20)
    let part = client.send("GET", path, headers: [("Range", "bytes=1234567-1299999")]).bodyBytes
    #expect(part == Array(whole[1_234_567...1_299_999]))
    #expect(client.send("HEAD", "\(MobileClient.storage)/Archive/objects/tape-1GiB.bin").status == 200)
  }

  @Test func `an ordered conflict changes the object first`() throws {
    let client = try MobileClient.basic("ada")
    let (path, object) = try first(client, "readings.json")
    _ = client.send("POST", "/sandbox/faults?kind=conflict&door=mobile")
    let tag = try #require(object["eTag"].string)
    let refused = client.send("PUT", path, headers: [("If-Match", tag)], body: Array("mine".utf8))
    #expect(refused.status == 412)
    let theirs = client.send("GET", path)
    #expect(theirs.bodyText == "Edited by tess.\n")
    #expect(theirs.header("ETag") != tag)
    #expect(client.send("POST", "/sandbox/settings?door=mobile&conflict-status=409").status == 204)
    _ = client.send("POST", "/sandbox/faults?kind=conflict&door=mobile")
    #expect(client.send("DELETE", path).status == 409)
  }

  @Test func `pictures are pictures`() {
    let picture = Picture(seed: 4)
    #expect(picture.png().starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))
    #expect(picture.png().count == Picture.pngCount)
    let jpeg = picture.jpeg(count: 20_480)
    #expect(jpeg.starts(with: [0xff, 0xd8]))
    #expect(jpeg.suffix(2) == [0xff, 0xd9])
    #expect(jpeg.count == 20_480)
  }
}
