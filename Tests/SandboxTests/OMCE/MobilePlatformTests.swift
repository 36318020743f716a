import HTTPServer
import JSON
import Testing

@testable import Sandbox

/// Sign-in and the other platform APIs; numbers are the vectors of reference omce.md, section 10.5.
@Suite struct MobilePlatformTests {
  private func password(_ client: MobileClient, _ user: String = "ada", more: String = "") throws -> String {
    let known = try #require(client.door.server.user(named: user))
    return
      "grant_type=password&username=\(user)%40acme.example&password=\(known.password)&scope=\(MobileClient.scope)\(more)"
  }

  private func bearer(_ response: ServerResponse) throws -> ServerRequest.Field {
    ("Authorization", "Bearer \(try JSONDocument(response.bodyBytes).root["access_token"].string ?? "")")
  }

  @Test func `the password grant leads to the user`() throws {
    let client = try MobileClient()
    let response = client.token(try password(client))
    #expect(response.status == 200)
    let answer = try JSONDocument(response.bodyBytes).root
    #expect(answer["token_type"].string == "Bearer")
    #expect(answer["expires_in"].int == 3_600)
    #expect(!answer["refresh_token"].exists)
    let me = client.send("GET", "/mobile/platform/users/~", headers: [try bearer(response)])
    #expect(me.bodyText.contains(client.id("ada")))
  }

  @Test func `grants fail by their OAuth names`() throws {
    let client = try MobileClient()
    let good = try password(client)
    let cases: [(ServerResponse, Int, String)] = [
      (client.token(good, secret: "wrong"), 401, "invalid_client"),
      (client.token(good.replacing("urn%3Aopc", with: "%2Furn%3Aopc")), 400, "invalid_scope"),
      (client.token("grant_type=password&username=ada&password=no&scope=\(MobileClient.scope)"), 400, "invalid_grant"),
      (client.token("grant_type=magic&scope=\(MobileClient.scope)"), 400, "unsupported_grant_type"),
    ]
    for (response, status, error) in cases {
      #expect(response.status == status)
      #expect(try JSONDocument(response.bodyBytes).root["error"].string == error)
    }
  }

  @Test func `offline access brings a refresh token that works once`() throws {
    let client = try MobileClient()
    let first = try JSONDocument(client.token(try password(client, more: "+offline_access")).bodyBytes).root
    let refresh = try #require(first["refresh_token"].string)
    #expect(client.token("grant_type=refresh_token&refresh_token=\(refresh)").status == 200)
    #expect(client.token("grant_type=refresh_token&refresh_token=\(refresh)").status == 400)
  }

  @Test func `anonymous tokens reach policies and open collections alone`() throws {
    let client = try MobileClient()
    let response = client.token("grant_type=client_credentials&scope=\(MobileClient.scope)")
    let header = try bearer(response)
    func status(_ path: String) -> Int { client.send("GET", path, headers: [header]).status }
    #expect(status("/mobile/platform/appconfig/client") == 200)
    #expect(status("\(MobileClient.storage)/PublicDocs/objects") == 200)
    #expect(status("\(MobileClient.storage)/FieldPhotos/objects") == 403)
    #expect(status("/mobile/platform/users/~") == 403)
    #expect(try MobileClient.anonymous().send("GET", "/mobile/platform/users/login").status == 200)
  }

  @Test func `20: Basic without the backend is 400`() throws {
    var client = try MobileClient.basic("ada")
    client.authorization.removeLast()
    #expect(client.send("GET", "/mobile/platform/users/~").status == 400)
    client.authorization.append(("oracle-mobile-backend-id", "00000000-0000-0000-0000-000000000000"))
    #expect(client.send("GET", "/mobile/platform/users/~").status == 401)
    client.authorization = []
    let none = client.send("GET", "/mobile/platform/users/~")
    #expect(none.status == 401)
    #expect(none.header("WWW-Authenticate") != nil)
  }

  @Test func `21: an expired token is 401`() throws {
    let client = try MobileClient()
    let header = try bearer(client.token(try password(client)))
    #expect(client.send("GET", "/mobile/platform/users/~", headers: [header]).status == 200)
    client.clock.advance(seconds: 3_601)
    #expect(client.send("GET", "/mobile/platform/users/~", headers: [header]).status == 401)
    let again = try bearer(client.token(try password(client)))
    _ = client.send("POST", "/sandbox/faults?kind=expire-tokens&door=mobile")
    #expect(client.send("GET", "/mobile/platform/users/~", headers: [again]).status == 401)
  }

  @Test func `22: one bad event loses the batch`() throws {
    let client = try MobileClient.basic("ada")
    func event(_ name: String, _ more: String = "") -> String {
      #"{"name":"\#(name)","timestamp":"2026-11-30T08:00:00.000Z"\#(more)}"#
    }
    func post(_ events: String...) -> ServerResponse {
      client.send("POST", "/mobile/platform/analytics/events", body: Array("[\(events.joined(separator: ","))]".utf8))
    }
    let bad = [
      event(String(repeating: "x", count: 101)), event("n", #","type":"system""#),
      event("p", #","properties":{"a":1}"#),
      #"{"name":"t","timestamp":"today"}"#,
      event("context", #","type":"system","properties":{"latitude":"1","country":"AT"}"#),
    ]
    for one in bad { #expect(post(event("good"), one).status == 400) }
    #expect(client.door.server.collected.isEmpty)
    let accepted = post(event("good"), event("sessionStart", #","type":"system""#))
    #expect(accepted.status == 202)
    #expect(accepted.bodyText.contains("2 events accepted for processing."))
    #expect(client.door.server.collected.count == 2)
  }

  @Test func `23: a platform in lower case is refused`() throws {
    let client = try MobileClient.basic("ada")
    func register(_ platform: String) -> ServerResponse {
      let body =
        #"{"notificationProvider":"APNS","notificationToken":"00ff","mobileClient":{"id":"a.b","version":"1","platform":"\#(platform)"}}"#
      return client.send("POST", "/mobile/platform/devices/register", body: Array(body.utf8))
    }
    #expect(register("ios").status == 400)
    let made = register("IOS")
    #expect(made.status == 201)
    #expect(try JSONDocument(made.bodyBytes).root["user"].string == "ada")
  }

  @Test func `24: an unknown custom API is 404 with its trace`() throws {
    let response = try MobileClient.basic("ada").send("GET", "/mobile/custom/none/x")
    #expect(response.status == 404)
    #expect(try JSONDocument(response.bodyBytes).root["o:ecid"].string?.hasSuffix("0:1") == true)
  }

  @Test func `25: an assertion is checked for audience, time and signature`() throws {
    let client = try MobileClient()
    func exchange(_ query: String, spoil: Bool = false) -> ServerResponse {
      var jwt =
        client.send("GET", "/idp/jwt?user=ada\(query)").bodyText.split(separator: "\n").first.map(String.init) ?? ""
      if spoil { jwt.removeLast(3) }
      let form = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(jwt)"
      return client.token(form, path: "/mobile/platform/auth/token")
    }
    let good = exchange("")
    #expect(good.status == 200)
    #expect(try JSONDocument(good.bodyBytes).root["expires_in"].int == 21_600)
    #expect(client.send("GET", "/mobile/platform/users/~", headers: [try bearer(good)]).status == 200)
    for bad in [exchange("&aud=https://other.example"), exchange("&seconds=-1"), exchange("", spoil: true)] {
      #expect(bad.status == 401)
      #expect(try JSONDocument(bad.bodyBytes).root["error"].string == "invalid_grant")
    }
    let old = client.send("GET", "/idp/jwt?user=bert&aud=http://127.0.0.1:8080/mobile/platform/sso").bodyText.dropLast()
    let exchanged = client.send(
      "GET", "/mobile/platform/sso/exchange-token?format=json",
      headers: [("Authorization", "Bearer \(old)"), ("Oracle-Mobile-Backend-ID", client.keys.backendID)])
    #expect(exchanged.status == 200)
  }

  @Test func `26: a sync list carries its type and parallel lists`() throws {
    let client = try MobileClient.basic("ada")
    let path = "/mobile/custom/tasks/items"
    let response = client.send("GET", path, headers: [("Oracle-Mobile-Sync-Agent", "true")])
    #expect(response.header("Oracle-Mobile-Sync-Resource-Type") == "collection")
    let list = try JSONDocument(response.bodyBytes).root
    #expect(list["items"].count == 12)
    #expect(list["uris"].count == 12)
    #expect(list["etags"].count == 12)
    #expect(try client.json(path).kind == .array)
    let uri = try #require(list["uris"][0].string)
    let tag = try #require(list["etags"][0].string)
    #expect(client.send("GET", "/\(uri)").header("ETag") == tag)
    let changed = client.send("PUT", "/\(uri)", headers: [("If-Match", tag)], body: Array(#"{"title":"Paint"}"#.utf8))
    #expect(changed.status == 200)
    #expect(changed.header("ETag") != tag)
    #expect(client.send("PUT", "/\(uri)", headers: [("If-Match", tag)], body: Array("{}".utf8)).status == 412)
    let made = client.send("POST", path, body: Array(#"{"title":"New"}"#.utf8))
    #expect(made.status == 201)
    #expect(made.header("Location") == "/mobile/custom/tasks/items/13")
  }

  @Test func `trap 21: a browser's app of another origin is let in nowhere`() throws {
    let client = try MobileClient.basic("ada")
    for method in ["OPTIONS", "GET"] {
      let response = client.send(
        method, "/mobile/custom/echo/x",
        headers: [("Origin", "https://app.example"), ("Access-Control-Request-Method", "GET")])
      #expect(!response.headers.contains { $0.name.lowercased().hasPrefix("access-control-") })
    }
  }

  @Test func `files of a custom API are raw bytes with a tag`() throws {
    let client = try MobileClient.basic("ada")
    let path = "/mobile/custom/tasks/files"
    let made = client.send("POST", path, headers: [("Content-Type", "image/png")], body: [1, 2])
    #expect(made.status == 201)
    let place = try #require(made.headers.first { $0.name == "Location" }?.value)
    let got = client.send("GET", place)
    let tag = try #require(got.headers.first { $0.name == "ETag" }?.value)
    #expect(got.bodyBytes == [1, 2])
    #expect(got.headers.contains { $0 == ("Oracle-Mobile-Sync-Resource-Type", "file") })
    #expect(client.send("GET", place, headers: [("If-None-Match", tag)]).status == 304)
    #expect(client.send("PUT", place, headers: [("If-Match", "\"0\"")], body: [3]).status == 412)
    #expect(client.send("PUT", place, headers: [("If-Match", tag)], body: [3]).status == 200)
    #expect(client.send("DELETE", place, headers: [("If-Match", tag)]).status == 412)
    #expect(client.send("DELETE", place).status == 204)
    #expect(client.send("GET", place).status == 404)
    #expect(try MobileClient.anonymous().send("GET", path + "/plan.txt").status == 403)
  }

  @Test func `echo returns what it got, without credentials`() throws {
    let client = try MobileClient.basic("ada")
    let response = client.send(
      "PATCH", "/mobile/custom/echo/a%20b/c?x=1", headers: [("Oracle-Mobile-Diagnostic-Session-ID", "42")],
      body: Array(#"{"k":[1,2]}"#.utf8))
    let echo = try JSONDocument(response.bodyBytes).root
    #expect(echo["method"].string == "PATCH")
    #expect(echo["path"].string == "/a b/c")
    #expect(echo["query"]["x"].string == "1")
    #expect(echo["headers"]["oracle-mobile-diagnostic-session-id"].string == "42")
    #expect(echo["body"]["k"][1].int == 2)
    #expect(!response.bodyText.contains("Basic"))
    #expect(client.send("GET", "/mobile/custom/broken/x").status == 500)
  }

  @Test func `places are found by circle, name, attribute and parent`() throws {
    let client = try MobileClient.basic("ada")
    func query(_ body: String, _ kind: String = "places") throws -> JSONValue {
      let response = client.send("POST", "/mobile/platform/location/\(kind)/query", body: Array(body.utf8))
      #expect(response.status == 200)
      return try JSONDocument(response.bodyBytes).root
    }
    let depot = try client.json("/mobile/platform/location/places?name=depot%201")["items"][0]
    let circle = depot["address"]["gpsCircle"]
    let (latitude, longitude) = (circle["latitude"].double ?? 0, circle["longitude"].double ?? 0)
    let near = try query(
      #"{"inGeoFence":{"gpsCircle":{"latitude":\#(latitude),"longitude":\#(longitude),"radius":50}}}"#)
    #expect(near["items"].elements.contains { $0["id"].int == depot["id"].int })
    #expect(near["totalResults"].int ?? 99 < 5)
    let nearest = try query(
      #"{"label":"Depot","nearestTo":{"gpsPoint":{"latitude":\#(latitude),"longitude":\#(longitude)}},"limit":1}"#)
    #expect(nearest["items"][0]["id"].int == depot["id"].int)
    #expect(nearest["hasMore"].bool == true)
    #expect(try query(#"{"attributes":{"colour":"red"}}"#)["totalResults"].int == 12)
    #expect(try query(#"{"descendantOf":100,"limit":100}"#)["totalResults"].int == 28)
    #expect(try query(#"{"protocol":"iBeacon"}"#, "devices")["totalResults"].int == 3)
    #expect(try client.json("/mobile/platform/location/assets/500")["lastKnownPlace"]["placeId"].int == 101)
    #expect(client.send("GET", "/mobile/platform/location/places/7").status == 404)
  }

  @Test func `only team members send notifications`() throws {
    let path = "/mobile/system/notifications/notifications"
    #expect(try MobileClient.basic("ada").send("GET", path).status == 403)
    let client = try MobileClient.basic("tess")
    let sent = client.send("POST", path, body: Array(#"{"message":"Pump 7","users":["ada"]}"#.utf8))
    #expect(sent.status == 201)
    #expect(try client.json("\(path)/1")["message"].string == "Pump 7")
    #expect(try client.json(path)["items"].count == 1)
  }

  @Test func `knobs bend the wire`() throws {
    let client = try MobileClient.basic("ada")
    func set(_ setting: String) {
      #expect(client.send("POST", "/sandbox/settings?door=mobile&\(setting)").status == 204)
    }
    set("omit-has-more=true")
    #expect(try !client.list("Big")["hasMore"].exists)
    set("date-shape=http")
    #expect(try client.list("Big", "limit=1")["items"][0]["modifiedOn"].string?.hasSuffix("GMT") == true)
    set("status-as-text=true")
    #expect(client.send("GET", "/mobile/platform/nothing").bodyText.contains("\"status\":\"404\""))
    set("strict=true")
    #expect(client.send("GET", "\(MobileClient.storage)/Big/objects?page=2").status == 400)
    #expect(client.send("GET", "\(MobileClient.storage)/Big/objects?_=123").status == 200)
    #expect(client.send("POST", "/sandbox/settings?door=mobile&colour=red").status == 400)
  }

  @Test func `an unknown method is named with what is allowed`() throws {
    let response = try MobileClient.basic("ada").send("DELETE", "\(MobileClient.storage)/Big")
    #expect(response.status == 405)
    #expect(response.header("Allow") == "GET")
  }
}
