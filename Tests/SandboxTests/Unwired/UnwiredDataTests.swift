import HTTPServer
import JSON
import Testing

@testable import Sandbox

@Suite struct UnwiredDataTests {
  let field = FieldClient()

  init() throws { try field.register() }

  private func path(_ link: String?) -> String {
    String(link?.dropFirst("http://127.0.0.1:8080/SUP101/".count) ?? "")
  }

  @Test func `data without a connection id is 403`() {
    field.connection = nil
    #expect(field.get("Customers").status == 403)
  }

  @Test func `pages lead through the whole set, each row once, to a delta link`() {
    var next: String? = "Customers?$format=json&$inlinecount=allpages"
    var ids: [Int] = []
    var pages = 0
    while let target = next, pages < 10 {
      let answer = field.get(target).json["d"]
      ids += answer["results"].elements.compactMap { $0["id"].int }
      if pages == 0 { #expect(answer["__count"].string == "2500") }
      next = answer["__next"].string.map { path($0) }
      if next == nil { #expect(answer["__delta"].string?.contains("!deltatoken='") == true) }
      pages += 1
    }
    #expect(pages == 5)
    #expect(ids == Array(101..<2_601))
  }

  @Test(arguments: [
    ("id eq 105", 1), ("id lt 103 or id gt 2598", 4), ("startswith(fname,'S') and not (id gt 102)", nil),
    ("company_name eq null", nil), ("substringof('a',lname)", nil), ("(id mod 100) eq 1", 25),
    ("length(state) eq 2 and state ne null", nil), ("lname eq 'O''Hara'", 0),
  ])
  func `filters are evaluated`(_ filter: String, _ count: Int?) {
    let answer = field.get("Customers/$count?$filter=\(PercentCoding.encode(filter))")
    #expect(answer.status == 200)
    if let count { #expect(answer.bodyText == String(count)) }
  }

  @Test(arguments: ["id eq", "nothing eq 1", "id eq 'x", "foo(id)", "(id eq 1", "id eq 1)", "$x"])
  func `broken filters are 400`(_ filter: String) {
    #expect(field.get("Customers?$filter=\(PercentCoding.encode(filter))").status == 400)
  }

  @Test func `order, top, skip and select shape the page`() {
    let answer = field.get("SalesOrders?$orderby=id%20desc&$top=3&$skip=1&$select=id,region").json["d"]
    #expect(answer["results"].elements.compactMap { $0["id"].int } == [31_999, 31_998, 31_997])
    #expect(answer["results"][0]["order_date"].exists == false)
    #expect(answer["__next"].exists == false)
    #expect(answer["__delta"].exists == false)
  }

  @Test func `composite keys and navigation find their rows`() {
    #expect(field.get("SalesOrderItems(line_id=1,id=2001)").json["d"]["line_id"].int == 1)
    #expect(field.get("SalesOrderItems(2001)").status == 400)
    let orders = field.get("Customers(101)/SalesOrders").json["d"]["results"]
    #expect(orders.count == 12)
    #expect(field.get("SalesOrders(2001)/Customer").json["d"]["id"].int == 101)
    let expanded = field.get("SalesOrders(2001)?$expand=SalesOrderItems,Customer").json["d"]
    #expect(expanded["SalesOrderItems"]["results"].count == 1)
    #expect(expanded["Customer"]["id"].int == 101)
    #expect(expanded["order_date"].string?.hasPrefix("/Date(") == true)
  }

  @Test func `a write needs the token and the session it came with`() throws {
    let refused = field.send("POST", "/SUP101/Customers", "{\"fname\":\"Ada\",\"lname\":\"Byron\"}")
    #expect(refused.status == 403)
    #expect(refused.header("X-CSRF-Token") == "Required")
    try field.fetchToken()
    let made = field.send("POST", "/SUP101/Customers", "{\"fname\":\"Ada\",\"lname\":\"Byron\"}")
    #expect(made.status == 201)
    #expect(made.header("Location") == "http://127.0.0.1:8080/SUP101/Customers(2601)")
    #expect(made.header("ETag") == "W/\"1\"")
    field.cookies = []
    #expect(field.send("DELETE", "/SUP101/Customers(2601)").status == 403)
  }

  @Test func `a request id is answered once more, not done once more`() throws {
    try field.fetchToken()
    let body = "{\"fname\":\"Ada\",\"lname\":\"Byron\"}"
    let ids = (0..<3).map { _ in
      field.send(
        "POST", "/SUP101/Customers", body, [("RequestID", "4F0C"), ("RepeatabilityCreation", "2026-11-30T10:05:00Z")]
      )
      .json["d"]["id"].int
    }
    #expect(ids == [2_601, 2_601, 2_601])
    #expect(field.get("Customers/$count").bodyText == "2501")
  }

  @Test func `a stale ETag is 412, a fresh one 204`() throws {
    try field.fetchToken()
    let change = "{\"city\":\"London\"}"
    #expect(
      field.send("MERGE", "/SUP101/Customers(101)", change, [("If-Match", "W/\"1\"")]).header("ETag") == "W/\"2\"")
    #expect(field.send("MERGE", "/SUP101/Customers(101)", change, [("If-Match", "W/\"1\"")]).status == 412)
    #expect(field.get("Customers(101)").json["d"]["city"].string == "London")
    let tunnelled = field.send(
      "POST", "/SUP101/Customers(101)", change, [("X-HTTP-METHOD", "MERGE"), ("If-Match", "*")])
    #expect(tunnelled.status == 204)
    field.door.suffer(.conflict)
    #expect(field.send("MERGE", "/SUP101/Customers(102)", change, [("If-Match", "W/\"1\"")]).status == 412)
  }

  @Test(arguments: [
    "{\"fname\":null,\"lname\":\"x\"}", "{\"fname\":\"a\",\"lname\":\"b\",\"shape\":1}",
    "{\"id\":101,\"fname\":\"a\",\"lname\":\"b\"}",
    "{\"fname\":\"a\",\"lname\":\"b\",\"state\":\"much too long\"}", "[]", "{",
  ])
  func `bad rows are 400`(_ body: String) throws {
    try field.fetchToken()
    #expect(field.send("POST", "/SUP101/Customers", body).status == 400)
  }

  @Test func `a delta names what was made, changed and deleted, until its link expires`() throws {
    try field.fetchToken()
    var next: String? = "Customers"
    var delta = ""
    while let target = next {
      let answer = field.get(target).json["d"]
      next = answer["__next"].string.map { path($0) }
      delta = path(answer["__delta"].string)
    }
    #expect(field.send("MERGE", "/SUP101/Customers(150)", "{\"city\":\"Oslo\"}").status == 204)
    #expect(field.send("DELETE", "/SUP101/Customers(151)").status == 204)
    let changes = field.get(delta).json["d"]
    #expect(changes["results"].elements.compactMap { $0["id"].int } == [150])
    #expect(changes["__deleted"][0]["uri"].string?.hasSuffix("Customers(151)") == true)
    #expect(field.get(path(changes["__delta"].string)).json["d"]["results"].count == 0)
    let atom = field.get(delta, [("Accept", "application/atom+xml")]).bodyText
    #expect(atom.contains("<at:deleted-entry ref=\"http://127.0.0.1:8080/SUP101/Customers(151)\""))
    field.clock.advance(seconds: 25 * 3_600)
    #expect(field.get(delta).status == 410)
  }

  @Test func `the fourth version writes its own JSON`() throws {
    field.app = "SUP101V4"
    field.connection = nil
    try field.register()
    let page = field.get("Customers?$count=true", [("Prefer", "odata.maxpagesize=100,odata.track-changes")]).json
    #expect(page["value"].count == 100)
    #expect(page["@odata.count"].int == 2_500)
    #expect(page["@odata.nextLink"].string?.contains("skiptoken") == true)
    #expect(page["value"][0]["@odata.etag"].string == "W/\"1\"")
    let order = field.get("SalesOrders(2001)").json
    #expect(order["order_date"].string == "2022-01-03")
    #expect(order["@odata.context"].string?.hasSuffix("$metadata#SalesOrders/$entity") == true)
    let filtered = field.get("SalesOrders/$count?$filter=order_date%20lt%202022-01-04")
    #expect(Int(filtered.bodyText) ?? 0 > 1)
  }

  @Test func `metadata names every property`() {
    let schema = field.get("$metadata").bodyText
    for set in SUP101Model.sets {
      #expect(schema.contains("<EntityType Name=\"\(set.type)\">"))
      for property in set.properties { #expect(schema.contains("Name=\"\(property.name)\"")) }
    }
  }

  @Test func `replays can be ordered to fail`() throws {
    try field.fetchToken()
    #expect(field.send("POST", "/field-admin/switch?replay=503").status == 204)
    #expect(field.send("DELETE", "/SUP101/Customers(200)").status == 503)
    #expect(field.send("DELETE", "/SUP101/Customers(200)").status == 204)
    #expect(field.send("DELETE", "/SUP101/Customers(200)").status == 404)
  }
}
