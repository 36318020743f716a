import HTTPServer
import JSON
import Testing

@testable import Sandbox

@Suite struct DocsSearchTests {
  let docs = DocsClient(documents: 60)

  @Test func `words are found in names, titles and text, and marked`() {
    let answer = docs.find(
      "keywords:(\"quay*\" AND \"facil*\")",
      [
        ("templates", [["name": "keywords", "template": "%(cm:name cm:title cm:description TEXT TAG)"]]),
        ("highlight", ["prefix": "<", "postfix": ">", "fields": [["field": "cm:name"], ["field": "cm:content"]]]),
      ])
    #expect(answer.names.first == "Quay 7 facility.pdf")
    let search = answer.entries.first?["search"] ?? .absent
    #expect(search["highlight"][0]["snippets"][0].string == "<Quay> 7 <facility>.pdf")
    #expect(search["score"].double ?? 0 > 0)
    #expect(docs.find("quay").entries.first?["search"].exists == false)
  }

  @Test func `the default operator is OR unless the request says AND`() {
    let either = docs.find("auditor pilot").json["list"]["pagination"]["totalItems"].int ?? 0
    let both =
      docs.find("auditor pilot", [("defaults", ["defaultFTSOperator": "AND"])])
      .json["list"]["pagination"]["totalItems"].int ?? 0
    #expect(both < either)
    #expect(both > 0)
  }

  @Test(arguments: [
    ("cm:name:\"View 01.png\"", 1), ("=cm:name:\"view 01.png\"", 1), ("cm:name:\"view 1\"", 0),
    ("TYPE:\"st:site\"", 4), ("SITE:museum AND TYPE:\"cm:content\"", 26), ("cm:creator:yuki AND cm:name:view*", 12),
    ("ASPECT:'st:siteContainer'", 4), ("content.mimetype:\"image/png\" AND SITE:museum", 12),
    ("content.size:[67108864 TO MAX]", 1), ("content.size:<67108864 TO MAX]", 0),
    ("PATH:\"/app:company_home/st:sites/cm:museum/cm:documentLibrary/cm:Pictures/*\"", 12),
    ("cm:modified:[NOW TO MAX]", 0), ("PNAME:\"0/wiki\"", 0), ("EXISTS:\"cm:versionLabel\" AND cm:name:crane*", 1),
    ("cm:name:view* AND -PNAME:\"0/wiki\"", 12), ("企業口座", nil),
  ])
  func `conditions select nodes`(_ query: String, _ count: Int?) {
    let answer = docs.find(query, [("paging", ["maxItems": 100, "skipCount": 0])])
    #expect(answer.status == 200)
    let total = answer.json["list"]["pagination"]["totalItems"].int ?? -1
    if let count { #expect(total == count) } else { #expect(total > 0) }
  }

  @Test func `what may not be read is not found`() {
    #expect(docs.find("cm:name:\"Confidential strategy\"").names.isEmpty)
    var omar = docs
    omar.user = "omar"
    #expect(omar.find("cm:name:\"Confidential strategy\"").names == ["Confidential strategy.txt"])
  }

  @Test func `ANCESTOR takes a node reference or a bare id`() throws {
    let id = try docs.id(at: "Sites/harbour-loans/documentLibrary/Minutes")
    for form in [id, "workspace://SpacesStore/\(id)"] {
      #expect(docs.find("ANCESTOR:\"\(form)\"").json["list"]["pagination"]["totalItems"].int == 11)
    }
  }

  @Test(arguments: [
    ("quay (", 500), ("a/b", 500), ("=cm:title:x", 501), ("cm:created:nonsense", 500), ("content.size:x", 500),
  ])
  func `a query that the engine refuses`(_ query: String, _ status: Int) {
    #expect(docs.find(query).status == status)
  }

  @Test func `bodies are checked before anything is searched`() {
    #expect(docs.find("x", [("paging", ["skipCount": 100])]).status == 400)
    #expect(docs.find("x", [("include", ["shape"])]).status == 400)
    #expect(docs.find("x", [("sort", [["field": "cm:name"]])]).status == 500)
    #expect(docs.find("x", [("facetQueries", [["query": "{!afts}x"]])]).status == 400)
    #expect(docs.find("x", [("spellcheck", [:])]).status == 400)
    #expect(docs.find("x", [("localization", ["timezone": "Nowhere"])]).status == 400)
    #expect(docs.send("POST", DocsClient.search, Array("{}".utf8)).status == 400)
    let cmis: JSONNode = ["language": "cmis", "query": "select * from cmis:document"]
    let sorted: JSONNode = ["query": cmis, "sort": [["type": "FIELD", "field": "cm:name"]]]
    #expect(docs.send("POST", DocsClient.search, sorted.encoded()).status == 400)
  }

  @Test func `facets count the hits, in both forms`() {
    let facets: JSONNode = ["facets": [["field": "creator", "label": "who"]]]
    let queries: JSONNode = [["query": "cm:name:view*", "label": "views"]]
    let old = docs.find("SITE:museum", [("facetFields", facets), ("facetQueries", queries)]).json["list"]["context"]
    #expect(old["facetsFields"][0]["buckets"][0]["label"].string == "yuki")
    #expect(old["facetsFields"][0]["buckets"][0]["count"].int ?? 0 > 20)
    #expect(old["facetQueries"][0]["count"].int == 12)
    let new = docs.find("SITE:museum", [("facetFields", facets), ("facetFormat", "V2")]).json["list"]["context"]
    #expect(new["facets"][0]["buckets"][0]["metrics"][0]["value"]["count"].string != nil)
    #expect(new["facets"][0]["buckets"][0]["filterQuery"].string == "creator:\"yuki\"")
    let intervals: JSONNode = [
      "sets": [
        ["label": "small", "start": "0", "end": "1000"],
        ["label": "large", "start": "1000", "end": "MAX", "startInclusive": false],
      ],
      "intervals": [["field": "content.size", "label": "size"]],
    ]
    let sized = docs.find("TYPE:\"cm:content\"", [("facetIntervals", intervals)]).json["list"]["context"]["facets"][0]
    #expect(sized["type"].string == "interval")
    #expect(sized["buckets"].count == 2)
  }

  @Test func `filters narrow without counting towards the score`() {
    let all = docs.find("facility").entries
    let filtered = docs.find("facility", [("filterQueries", [["query": "TYPE:\"cm:content\""]])])
    #expect(filtered.entries.count == all.count)
    #expect(docs.find("facility", [("filterQueries", [["query": "cm:name:nothing"]])]).entries.isEmpty)
  }

  @Test func `sorting by a field and paging`() {
    let sort: JSONNode = [["type": "FIELD", "field": "cm:name", "ascending": false]]
    let first = docs.find("cm:name:view*", [("sort", sort), ("paging", ["maxItems": 5, "skipCount": 0])])
    let second = docs.find("cm:name:view*", [("sort", sort), ("paging", ["maxItems": 5, "skipCount": 5])])
    #expect(first.names.first == "View 12.png")
    #expect(second.names.first == "View 07.png")
    #expect(first.json["list"]["pagination"]["hasMoreItems"].bool == true)
  }

  @Test func `a mistyped word is corrected and searched instead`() {
    let answer = docs.find("facilty", [("spellcheck", ["query": "facilty"])])
    let spelling = answer.json["list"]["context"]["spellCheck"]
    #expect(spelling["type"].string == "searchInsteadFor")
    #expect(spelling["suggestions"][0].string == "facility")
    #expect(!answer.names.isEmpty)
  }

  @Test(arguments: [
    ("select * from cmis:document where cmis:name like 'View%' order by cmis:name desc", "View 12.png"),
    ("select * from cmis:folder where cmis:name = 'Pictures'", "Pictures"),
    ("select * from cmis:document where contains('cm:name:\"crane*\"')", "crane.png"),
    ("select * from cmis:document where cmis:contentStreamLength > 60000000", "survey-scan.bin"),
  ])
  func `CMIS statements`(_ statement: String, _ first: String) {
    let query: JSONNode = ["query": ["language": "cmis", "query": .string(statement)]]
    #expect(docs.send("POST", DocsClient.search, query.encoded()).names.first == first)
  }

  @Test func `Lucene field syntax`() {
    let query: JSONNode = ["query": ["language": "lucene", "query": "@cm\\:name:\"crane*\""]]
    #expect(docs.send("POST", DocsClient.search, query.encoded()).names == ["crane.png"])
  }

  @Test func `searching while typing takes a phrase of three letters`() {
    #expect(docs.get("queries/nodes?term=qu").status == 400)
    #expect(docs.get("queries/nodes").status == 400)
    #expect(docs.get("queries/nodes?term=x&rootNodeId=nothing").status == 400)
    #expect(docs.get("queries/nodes?term=quay%207%20facility").names == ["Quay 7 facility.pdf"])
    #expect(docs.get("queries/nodes?term=facility%20quay").names.contains("Quay 7 facility.pdf") == false)
    #expect(docs.get("queries/sites?term=mus").entries.first?["id"].string == "museum")
    #expect(docs.get("queries/people?term=har").json["list"]["pagination"]["count"].int == 0)
  }

  @Test func `a deleted file is no longer found, a renamed one by its new name`() throws {
    let id = try #require(docs.upload("-shared-", "platypus.txt", Array("one".utf8)).json["entry"]["id"].string)
    #expect(docs.find("cm:name:platypus*").names.count == 1)
    _ = docs.put("nodes/\(id)", ["name": "wombat.txt"])
    #expect(docs.find("cm:name:platypus*").names.isEmpty)
    #expect(docs.find("cm:name:wombat*").names.count == 1)
    _ = docs.delete("nodes/\(id)")
    #expect(docs.find("cm:name:wombat*").names.isEmpty)
  }
}
