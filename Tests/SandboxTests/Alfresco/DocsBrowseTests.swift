import HTTPServer
import JSON
import Testing

@testable import Sandbox

@Suite struct DocsBrowseTests {
  let docs = DocsClient()

  @Test func `a request without credentials is 401 with a ticket challenge`() {
    var anonymous = docs
    anonymous.user = nil
    let answer = anonymous.get("nodes/-root-")
    #expect(answer.status == 401)
    #expect(answer.header("WWW-Authenticate") == "AlfTicket realm=\"Alfresco -default- tenant\"")
    #expect(answer.json["error"]["statusCode"].int == 401)
  }

  @Test func `the root lists what a new installation holds, folders first by name`() {
    let answer = docs.get("nodes/-root-/children?maxItems=3&includeSource=true")
    #expect(answer.names == ["Data Dictionary", "Guest Home", "Imap Attachments"])
    let pagination = answer.json["list"]["pagination"]
    #expect(pagination["hasMoreItems"].bool == true)
    #expect(pagination["totalItems"].int == 7)
    #expect(answer.json["list"]["source"]["name"].string == "Company Home")
  }

  @Test func `pages follow one another without a gap`() throws {
    let archive = try docs.id(at: "Shared/Archive")
    var seen: [String] = []
    for skip in stride(from: 0, to: 20, by: 7) {
      seen += docs.get("nodes/\(archive)/children?skipCount=\(skip)&maxItems=7").names
    }
    #expect(seen == docs.get("nodes/\(archive)/children").names)
    #expect(seen.count == 20)
  }

  @Test(arguments: [
    ("skipCount=-1", "Negative values not supported for skipCount."),
    ("maxItems=0", "Only positive values supported for maxItems."),
    ("skipCount=x", "Invalid paging parameter skipCount:x"),
  ])
  func `wrong paging is refused`(_ query: String, _ text: String) {
    let answer = docs.get("nodes/-root-/children?\(query)")
    #expect(answer.status == 400)
    #expect(answer.json["error"]["briefSummary"].string?.hasSuffix(text) == true)
  }

  @Test func `a node comes with properties, and with its path on request`() throws {
    let id = try docs.id(at: "Sites/harbour-loans/documentLibrary/Term sheets/Quay 7 facility.pdf")
    let node = docs.get("nodes/\(id)?include=path,allowableOperations,isFavorite").json["entry"]
    #expect(node["properties"]["cm:versionLabel"].string == "1.1")
    #expect(node["path"]["name"].string == "/Company Home/Sites/harbour-loans/documentLibrary/Term sheets")
    #expect(node["isFavorite"].bool == true)
    #expect(Set(node["allowableOperations"].elements.compactMap(\.string)).isSuperset(of: ["delete", "update"]))
    #expect(node["createdAt"].string?.hasSuffix("+0000") == true)
    #expect(node["createdAt"].string?.count == 28)
  }

  @Test func `a missing node is 404 and what nobody may read is missing by path`() {
    #expect(docs.get("nodes/nothing").status == 404)
    #expect(docs.get("nodes/-root-?relativePath=Sites/board").status == 404)
    #expect(docs.get("nodes/-root-?relativePath=Shared/nothing").status == 404)
  }

  @Test func `the error summary begins with the month counted from zero`() {
    let summary = docs.get("nodes/nothing").json["error"]["briefSummary"].string ?? ""
    #expect(summary.hasPrefix("10"))
    #expect(summary.dropFirst(8).first == " ")
  }

  @Test func `a person without a home gets 404 for it`() {
    var nils = docs
    nils.user = "nils"
    #expect(nils.get("nodes/-my-").status == 404)
    #expect(docs.get("nodes/-my-/children").names == ["Drafts", "Einkaufsliste.txt", "Travel expenses.csv"])
  }

  @Test func `fields cut entries down`() {
    let entry = docs.get("nodes/-root-/children?maxItems=1&fields=id,name").entries.first
    #expect(entry?.members.map(\.key) == ["id", "name"])
  }

  @Test(arguments: [
    ("orderBy=name%20DESC", ["User Homes", "Sites"]), ("where=(isFile=true)", []),
    ("orderBy=isFolder,createdAt", nil as [String]?),
  ])
  func `children are ordered and filtered as asked`(_ query: String, _ first: [String]?) {
    let names = docs.get("nodes/-root-/children?\(query)").names
    if let first { #expect(Array(names.prefix(2)) == first) } else { #expect(names.count == 7) }
  }

  @Test(arguments: ["orderBy=shape", "where=(shape=1)", "where=(isFile=true%20AND%20isFolder=true)", "where=isFile"])
  func `unknown orders and predicates are 400`(_ query: String) {
    #expect(docs.get("nodes/-root-/children?\(query)").status == 400)
  }

  @Test func `a file has no children`() throws {
    let id = try docs.id(at: "Shared/Awkward names/empty.txt")
    #expect(docs.get("nodes/\(id)/children").status == 400)
  }

  @Test func `a container's id is a node`() throws {
    let container = docs.get("sites/harbour-loans/containers/documentLibrary").json["entry"]
    #expect(container["folderId"].string == "documentLibrary")
    #expect(docs.get("nodes/\(try #require(container["id"].string))/children").names.contains("Term sheets"))
    #expect(docs.get("sites/board").status == 404)
    #expect(docs.get("people/-me-/sites").entries.map { $0["id"].string }.contains("harbour-loans"))
  }

  @Test func `the server says who and what it is`() {
    #expect(docs.get("people/-me-").json["entry"]["capabilities"]["isAdmin"].bool == false)
    #expect(docs.send("GET", "/alfresco/api/discovery").json["entry"]["repository"]["edition"].string == "Community")
    var anonymous = docs
    anonymous.user = nil
    #expect(anonymous.send("GET", "/alfresco/api/discovery").status == 401)
    #expect(anonymous.send("GET", "/alfresco/service/api/server").json["data"]["schema"].string == "19100")
  }

  @Test func `equal seeds hold equal trees`() throws {
    let other = DocsClient()
    #expect(docs.get("nodes/-shared-/children").bodyText == other.get("nodes/-shared-/children").bodyText)
  }
}
