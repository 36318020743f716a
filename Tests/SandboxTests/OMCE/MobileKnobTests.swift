import HTTPServer
import JSON
import Testing

@testable import Sandbox

/// What tests and demos can turn at the mobile backend (reference omce.md, section 10.4).
@Suite struct MobileKnobTests {
  private func turn(_ client: MobileClient, _ query: String) -> Int {
    client.send("POST", "/sandbox/settings?door=mobile&\(query)").status
  }

  @Test func `somebody else edits an object or a task`() throws {
    let client = try MobileClient.basic("ada")
    #expect(client.put("/FieldPhotos/objects/n", "mine").status == 201)
    #expect(turn(client, "edit=FieldPhotos/n") == 204)
    let object = client.send("GET", "\(MobileClient.storage)/FieldPhotos/objects/n", headers: [("Accept", "*/*")])
    #expect(object.bodyText == "Edited by tess.\n")
    #expect(object.header("ETag") == "\"2\"")
    #expect(turn(client, "edit=tasks/3") == 204)
    #expect(try client.json("/mobile/custom/tasks/items/3")["title"].string == "Changed by tess")
    for nothing in ["edit=FieldPhotos/nothing", "edit=MyNotes/x", "edit=tasks/99", "edit=x"] {
      #expect(turn(client, nothing) == 400)
    }
  }

  @Test func `a clock that runs ahead ends tokens early`() throws {
    var client = try MobileClient()
    let user = try #require(client.door.server.user(named: "ada"))
    let answer = client.token(
      "grant_type=password&username=ada&password=\(PercentCoding.encode(user.password, keeping: ""))&scope=\(MobileClient.scope)"
    )
    let token = try JSONDocument(answer.bodyBytes).root["access_token"].string ?? ""
    client.authorization = [("Authorization", "Bearer \(token)")]
    #expect(client.send("GET", "/mobile/platform/users/~").status == 200)
    #expect(turn(client, "clock-skew=3700") == 204)
    #expect(client.send("GET", "/mobile/platform/users/~").status == 401)
  }

  @Test func `answers come in gzip to those who take it`() throws {
    let client = try MobileClient.basic("ada")
    #expect(turn(client, "gzip=true") == 204)
    let path = "/mobile/platform/appconfig/client"
    #expect(client.send("GET", path).header("Content-Encoding") == nil)
    let response = client.send("GET", path, headers: [("Accept-Encoding", "gzip, deflate")])
    #expect(response.header("Content-Encoding") == "gzip")
    let bytes = response.bodyBytes
    #expect(bytes.prefix(3) == [0x1F, 0x8B, 8])
    let plain = client.send("GET", path).bodyBytes
    #expect(bytes.count == plain.count + 23)
    // CRC-32 of "123456789", the check value of the algorithm.
    #expect(GzipFrame.frame(Array("123456789".utf8)).suffix(8).prefix(4) == [0x26, 0x39, 0xF4, 0xCB])
  }

  @Test func `a switch takes the server away, and a reset brings it back`() throws {
    let client = try MobileClient.basic("ada")
    #expect(turn(client, "offline=true") == 204)
    #expect(client.send("GET", "/mobile/platform/users/~").status == 0)
    #expect(client.send("POST", "/sandbox/reset").status == 204)
    #expect(client.send("GET", "/mobile/platform/users/~").status == 200)
  }

  @Test func `hints of the synchronisation library come only when they are asked for`() throws {
    let client = try MobileClient.basic("ada")
    let agent: ServerRequest.Field = ("Oracle-Mobile-Sync-Agent", "true")
    let path = "/mobile/custom/tasks/items/3"
    #expect(client.send("GET", path, headers: [agent]).header("Oracle-Mobile-Sync-No-Store") == nil)
    #expect(turn(client, "sync-hints=true") == 204)
    #expect(client.send("GET", path, headers: [agent]).header("Oracle-Mobile-Sync-No-Store") == "true")
    #expect(client.send("GET", path).header("Oracle-Mobile-Sync-No-Store") == nil)
  }
}
