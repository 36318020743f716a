import HTTPServer
import JSON
import Testing

@testable import Sandbox

/// Ranges, pivots and stats of a search, and what administrators and managers do.
@Suite struct DocsStatisticsTests {
  private let client = DocsClient()

  private func facets(_ more: [(String, JSONNode)]) -> [JSONValue] {
    let answer = client.find("TYPE:'cm:content'", more)
    #expect(answer.status == 200)
    return Array(answer.json["list"]["context"]["facets"].elements)
  }

  private func count(_ bucket: JSONValue) -> Int {
    bucket["metrics"][0]["value"]["count"].string.flatMap { Int($0) } ?? -1
  }

  @Test func `ranges count every hit once, and each bucket's query finds as many`() throws {
    let found = facets([
      ("ranges", [["field": "content.size", "start": "0", "end": "100000000", "gap": "50000000", "label": "size"]])
    ])
    let range = try #require(found.first { $0["type"].string == "range" })
    #expect(range["label"].string == "size")
    let buckets = Array(range["buckets"].elements)
    #expect(buckets.count == 2)
    #expect(buckets[0]["bucketInfo"]["start"].string == "0")
    #expect(buckets[0]["bucketInfo"]["endInclusive"].bool == false)
    for bucket in buckets {
      let filter = try #require(bucket["filterQuery"].string)
      let again = client.find("TYPE:'cm:content'", [("filterQueries", [["query": .string(filter)]])])
      #expect(again.json["list"]["pagination"]["totalItems"].int == count(bucket))
    }
    let total = client.find("TYPE:'cm:content'").json["list"]["pagination"]["totalItems"].int
    #expect(buckets.reduce(0) { $0 + count($1) } == total)
  }

  @Test func `ranges of dates go by months`() throws {
    let found = facets([
      ("ranges", [["field": "cm:created", "start": "2020-01-01", "end": "2020-07-01", "gap": "+1MONTH"]])
    ])
    #expect(found.first?["buckets"].elements.count(where: { _ in true }) == 6)
  }

  @Test(arguments: ["start", "end", "gap", "field"]) func `a range without one of its parts is refused`(_ part: String)
  {
    var range: JSONNode = ["field": "content.size", "start": "0", "end": "10", "gap": "5"]
    range[part] = nil
    #expect(client.find("*", [("ranges", [range])]).status == 400)
  }

  @Test func `pivots nest field facets by their labels`() throws {
    let fields: JSONNode = [
      "facets": [["field": "creator", "label": "who"], ["field": "content.mimetype", "label": "type"]]
    ]
    let found = facets([
      ("facetFields", fields), ("pivots", [["key": "who", "pivots": [["key": "type"]]]]),
    ])
    let pivot = try #require(found.first { $0["type"].string == "pivot" })
    #expect(pivot["label"].string == "who,type")
    for bucket in pivot["buckets"].elements {
      let inner = bucket["facets"][0]["buckets"].elements.reduce(0) { $0 + count($1) }
      #expect(inner == count(bucket))
    }
    #expect(client.find("*", [("facetFields", fields), ("pivots", [["key": "nowhere"]])]).status == 400)
  }

  @Test func `stats are sums over all hits`() throws {
    let found = facets([("stats", [["field": "content.size", "label": "size", "countDistinct": true, "mean": false]])])
    let stats = try #require(found.first { $0["type"].string == "stats" })
    let metrics = Array(stats["buckets"][0]["metrics"].elements)
    let names = metrics.compactMap { $0["type"].string }
    #expect(names.contains("countDistinct") && !names.contains("mean"))
    func value(_ name: String) -> Double {
      metrics.first { $0["type"].string == name }?["value"][name].text.flatMap { Double($0) } ?? .nan
    }
    #expect(value("max") == Double(64 << 20))
    #expect(value("sum") >= value("max"))
    #expect(value("min") == 0)
    let total = client.find("TYPE:'cm:content'").json["list"]["pagination"]["totalItems"].int
    #expect(Int(value("countValues") + value("missing")) == total)
  }

  @Test func `changes are noted in the audit, reading is not`() {
    var administrator = client
    administrator.user = "admin"
    let path = "audit-applications/alfresco-access/audit-entries"
    #expect(client.get(path).status == 403)
    let before = administrator.get(path).json["list"]["pagination"]["totalItems"].int ?? -1
    _ = client.get("nodes/-my-")
    _ = client.post("nodes/-my-/children", ["name": "audited", "nodeType": "cm:folder"])
    let after = administrator.get("\(path)?include=values&orderBy=createdAt%20DESC")
    #expect(after.json["list"]["pagination"]["totalItems"].int == before + 1)
    let entry = after.json["list"]["entries"][0]["entry"]
    #expect(entry["id"].int != nil)
    #expect(entry["createdByUser"]["id"].string == "susan")
    #expect(administrator.get("\(path)?where=(createdByUser='omar')").json["list"]["pagination"]["count"].int == 0)
  }

  @Test func `a site keeps its last manager`() {
    #expect(client.put("sites/harbour-loans/members/susan", ["role": "SiteConsumer"]).status == 422)
    #expect(client.delete("sites/harbour-loans/members/susan").status == 422)
    #expect(client.post("sites/harbour-loans/members", ["id": "nils", "role": "SiteManager"]).status == 201)
    #expect(client.put("sites/harbour-loans/members/susan", ["role": "SiteConsumer"]).status == 200)
    #expect(client.post("sites/harbour-loans/members", ["id": "eleni", "role": "SiteConsumer"]).status == 403)
  }

  @Test func `only administrators change categories, and what goes leaves the nodes`() throws {
    #expect(client.post("categories/-root-/subcategories", ["name": "Mine"]).status == 403)
    var administrator = client
    administrator.user = "admin"
    let made = administrator.post("categories/-root-/subcategories", ["name": "Ours"])
    let id = try #require(made.json["entry"]["id"].string)
    #expect(administrator.post("categories/-root-/subcategories", ["name": "Ours"]).status == 409)
    let node = try client.id(at: "Shared/Media/crane.png")
    #expect(administrator.post("nodes/\(node)/category-links", ["categoryId": .string(id)]).status == 201)
    #expect(administrator.delete("categories/\(id)").status == 204)
    #expect(client.get("nodes/\(node)/category-links").json["list"]["pagination"]["count"].int == 0)
    #expect(client.get("categories/\(id)").status == 404)
  }
}
