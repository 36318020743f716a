import HTTPServer
import JSON
import Testing

@testable import Sandbox

/// What an administrator can switch while the server runs, each switch by itself.
@Suite struct UnwiredSwitchTests {
  let field = FieldClient()

  init() throws { try field.register() }

  private func turn(_ switches: String) { #expect(field.send("POST", "/field-admin/switch?\(switches)").status == 204) }

  private var path: String { "\(FieldClient.connections())('\(field.connection ?? "")')" }

  /// The link to later changes, behind the last page.
  private func delta(_ query: String = "") throws -> String {
    var link = "Customers\(query)"
    while true {
      let answer = field.get(link).json["d"]
      let next = answer["__next"].string ?? answer["__delta"].string
      link = String(try #require(next).dropFirst("http://127.0.0.1:8080/SUP101/".count))
      if answer["__delta"].exists { return link }
    }
  }

  @Test func `a setting is changed for every registration, and its ETag with it`() {
    let before = field.send("GET", path).json["d"]
    turn("ConnectionLogLevel=DEBUG&PasswordPolicyMinLength=12&PasswordPolicyEnabled=false")
    let after = field.send("GET", path).json["d"]
    #expect(after["ConnectionLogLevel"].string == "DEBUG" && after["PasswordPolicyMinLength"].int == 12)
    #expect(after["PasswordPolicyEnabled"].bool == false)
    #expect(after["ETag"].string != before["ETag"].string)
    for wrong in ["PasswordPolicyMinLength=long", "DeviceModel=x", "PasswordPolicyEnabled=1"] {
      #expect(field.send("POST", "/field-admin/switch?\(wrong)").status == 400)
    }
  }

  @Test(arguments: [401, 403, 404]) func `a connection id is refused as often as ordered`(_ status: Int) {
    turn("appcid=\(status)&times=2")
    #expect(
      [field.get("Customers?$top=1"), field.send("GET", path), field.get("Customers?$top=1")].map(\.status) == [
        status, status, 200,
      ])
  }

  @Test(arguments: [401, 403, 409, 412, 500, 503]) func `writes fail as often as ordered`(_ status: Int) throws {
    try field.fetchToken()
    turn("replay=\(status)&times=2")
    let statuses = (0..<3).map { _ in field.send("MERGE", "/SUP101/Customers(101)", "{}").status }
    #expect(statuses == [status, status, 204])
  }

  @Test func `an outlived session is 401 only where that is switched on`() throws {
    try field.fetchToken()
    field.cookies = ["X-SMP-SESSID=gone"]
    #expect(field.get("Customers?$top=1").status == 200)
    turn("sessions=strict")
    #expect(field.get("Customers?$top=1").status == 401)
    field.cookies = []
    #expect(field.get("Customers?$top=1").status == 200)
  }

  @Test func `sessions and delta links can be made to expire`() throws {
    let link = try delta()
    #expect(field.get(link).status == 200)
    turn("delta=expire")
    #expect(field.get(link).status == 410)
    turn("delta=off")
    #expect(field.get("Customers?$skip=2400").json["d"]["__delta"].exists == false)
  }

  @Test func `without JSON the connections service takes and answers Atom`() {
    turn("json=off")
    #expect(field.send("POST", FieldClient.connections(), "{}").status == 415)
    #expect(field.send("GET", path).bodyText.contains("<d:ApplicationConnectionId>"))
  }

  @Test func `two templates refuse a registration, anonymity lets everybody in`() {
    turn("templates=2")
    #expect(field.send("POST", FieldClient.connections(), "{}").status == 500)
    turn("templates=1&anonymous=on")
    field.connection = nil
    #expect(field.send("GET", "/SUP101/Customers?$top=1", isSigned: false).status == 200)
  }

  @Test func `deleted rows go unnamed in JSON, in Atom, or in neither`() throws {
    try field.fetchToken()
    let link = try delta()
    #expect(field.send("DELETE", "/SUP101/Customers(151)").status == 204)
    func named() -> [Bool] {
      let atom = field.get(link, [("Accept", "application/atom+xml")]).bodyText
      return [field.get(link).json["d"]["__deleted"].exists, atom.contains("deleted-entry")]
    }
    #expect(named() == [true, true])
    turn("deleted=off")
    #expect(named() == [false, true])
    turn("tombstones=off")
    #expect(named() == [false, false])
  }

  @Test func `a dropped registration is unknown from then on`() {
    turn("drop=\(field.connection ?? "")")
    #expect(field.send("GET", path).status == 404)
    #expect(field.get("Customers?$top=1").status == 403)
  }

  @Test func `a personalisation key narrows rows, counts and changes`() throws {
    try field.fetchToken()
    let city = try #require(field.get("Customers(120)").json["d"]["city"].string)
    let key = PercentCoding.encode(city)
    let count = Int(field.get("Customers/$count?city=\(key)").bodyText) ?? 0
    #expect(count > 0 && count < 2_500)
    let link = try delta("?city=\(key)")
    #expect(field.send("MERGE", "/SUP101/Customers(120)", #"{"city":"Elsewhere"}"#).status == 204)
    let changes = field.get(link).json["d"]
    #expect(changes["results"].count == 0 && changes["__deleted"].count == 1)
  }

  @Test(arguments: ["X-SMP-APPCID", "X-SUP-APPCID"]) func `old and new header names mean the same`(_ name: String) {
    let id = field.connection ?? ""
    field.connection = nil
    #expect(field.get("Customers?$top=1").status == 403)
    #expect(field.get("Customers?$top=1", [(name, id)]).status == 200)
    #expect(field.get("Customers?$top=1", [("Cookie", "\(name)=\(id)")]).status == 200)
    let own = field.send("POST", FieldClient.connections(), "{}", [(name, "my-own")])
    #expect(own.json["d"]["ApplicationConnectionId"].string == "my-own")
  }

  @Test func `a back end is asked for by address only when it is allowed`() {
    for name in ["X-SMP-BACKEND-URL", "X-SUP-BACKEND-URL"] {
      for other in ["http://evil.example", "http://backend.internal:8080.evil.example/"] {
        #expect(field.get("Customers?$top=1", [(name, other)]).status == 403)
      }
      let allowed = field.get("Customers?$top=1", [(name, "http://backend.internal:8080/sup101")])
      #expect(allowed.bodyText.contains("http://backend.internal:8080/sup101/Customers(101)"))
    }
  }
}
