import HTTPServer
import JSON
import Testing

@testable import Sandbox

@Suite struct UnwiredConnectionTests {
  let field = FieldClient()

  @Test func `registering answers 201 with cookies, address and every property`() throws {
    let answer = try field.register()
    #expect(answer.status == 201)
    let id = try #require(field.connection)
    let cookies = answer.headers.filter { $0.name == "Set-Cookie" }.map(\.value)
    #expect(cookies.contains { $0.hasPrefix("X-SMP-SESSID=") })
    #expect(cookies.contains { $0.hasPrefix("X-SMP-APPCID=\(id)") })
    #expect(answer.header("Location") == "http://127.0.0.1:8080/odata/applications/latest/SUP101/Connections('\(id)')")
    let entry = answer.json["d"]
    #expect(entry["CustomCustom1"].string == " ")
    #expect(entry["PasswordPolicyRetryLimit"].int == 10)
    #expect(entry["DeviceModel"].isNull)
    #expect(entry["CreatedAt"].string?.hasPrefix("/Date(") == true)
  }

  @Test func `an unknown application or version is 404, a wrong password 401`() {
    #expect(field.send("POST", FieldClient.connections("latest", "sup101"), "{}").status == 404)
    #expect(field.send("POST", FieldClient.connections("v9"), "{}").status == 404)
    #expect(field.send("POST", FieldClient.connections(), "{}", isSigned: false).status == 401)
    #expect(field.send("POST", "/public\(FieldClient.connections())", "{}", isSigned: false).status == 201)
  }

  @Test func `a device type outside the list is unknown, and settings keep what is not named`() throws {
    try field.register()
    let path = "\(FieldClient.connections())('\(field.connection ?? "")')"
    let before = field.send("GET", path).json["d"]["ETag"].string
    let merged = field.send(
      "POST", path, "{\"DeviceType\":\"Toaster\",\"CustomCustom1\":\"east\"}", [("X-HTTP-METHOD", "MERGE")])
    #expect(merged.status == 204)
    let entry = field.send("GET", path).json["d"]
    #expect(entry["DeviceType"].string == "Unknown")
    #expect(entry["CustomCustom1"].string == "east")
    #expect(entry["ETag"].string != before)
    #expect(field.send("PUT", path, "{\"DeviceModel\":\"x\"}").status == 204)
    #expect(field.send("GET", path).json["d"]["CustomCustom1"].string == " ")
    #expect(field.send("DELETE", path).status == 200)
    #expect(field.send("GET", path).status == 404)
  }

  @Test func `Atom goes in and out, with an ETag of its own form in version 1`() {
    let body = """
      <entry xmlns="http://www.w3.org/2005/Atom" xmlns:m="m" xmlns:d="d"><content type="application/xml"><m:properties>\
      <d:DeviceType>iPad</d:DeviceType><d:DeviceModel>A &amp; B</d:DeviceModel><d:Email m:null="true"/></m:properties></content></entry>
      """
    let answer = field.send(
      "POST", FieldClient.connections("v1"), body,
      [("Content-Type", "application/atom+xml"), ("Accept", "application/atom+xml")])
    #expect(answer.status == 201)
    #expect(answer.bodyText.contains("<d:DeviceModel>A &amp; B</d:DeviceModel>"))
    #expect(answer.bodyText.contains("<d:ETag m:type=\"Edm.DateTime\">2026-11-29T12:00:00"))
    #expect(answer.bodyText.contains("<d:Email m:null=\"true\"/>"))
  }

  @Test func `latest can be switched off`() {
    #expect(field.send("POST", "/field-admin/switch?latest=off").status == 204)
    #expect(field.send("POST", FieldClient.connections(), "{}").status == 404)
    #expect(field.send("POST", FieldClient.connections("v1"), "{}").status == 201)
    #expect(field.send("POST", "/field-admin/switch?nonsense=1").status == 400)
  }

  @Test func `a known id registered again is 409, a foreign one is 403`() throws {
    try field.register()
    #expect(field.send("POST", FieldClient.connections(), "{}").status == 409)
    let mine = try #require(field.connection)
    field.connection = "other"
    #expect(field.send("PUT", "\(FieldClient.connections())('\(mine)')", "{}").status == 403)
  }

  @Test func `a relay server is a prefix with a known farm, and links name a host inside`() throws {
    try field.register()
    let relayed = field.send("GET", "/ias_relay_server/client/rs_client.dll/farm1/SUP101/Customers?$top=1")
    #expect(
      relayed.json["d"]["results"][0]["__metadata"]["uri"].string
        == "http://backend.internal:8080/SUP101/Customers(101)")
    #expect(field.send("GET", "/cli/iasrelayserver/0/SUP101/Customers?$top=1").status == 200)
    #expect(field.send("GET", "/cli/iasrelayserver/nowhere/SUP101/Customers").status == 404)
  }
}
