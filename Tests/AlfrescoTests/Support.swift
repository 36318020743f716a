import Model
import TestKit
import Wire

@testable import Alfresco

/// A back end on a scripted server, signed in unless told otherwise.
struct Desk {
  static let core = "/alfresco/api/-default-/public/alfresco/versions/1"
  static let search = "/alfresco/api/-default-/public/search/versions/1/search"
  static let tickets = "/alfresco/api/-default-/public/authentication/versions/1/tickets"

  let stub = StubTransport()
  let asker: StubAsker
  let keeper: StubKeeper
  let backend: AlfrescoBackend

  init(
    _ method: String = "basic", signedIn: Bool = true, answers: [[String: String]] = [], kept: [String: Secret] = [:],
    settings more: KeyValuePairs<String, String> = [:], isOffline: Bool = false
  ) throws {
    asker = StubAsker(answers)
    keeper = StubKeeper(kept)
    var members = Settings.table(more).members
    members.append((key: "url", entry: .text("http://127.0.0.1:1/alfresco/", Settings.Origin())))
    if !members.contains(where: { $0.key == "auth" }) {
      members.append((key: "auth", entry: .table(.init([(key: "method", entry: .text(method, Settings.Origin()))]))))
    }
    let connection = Connection(name: "docs", kind: .alfresco, settings: Settings(members))
    backend = try AlfrescoBackend(
      connection: connection, transport: stub,
      surroundings: .stub(asker: asker, keeper: keeper, isOffline: isOffline))
    if signedIn {
      backend.client.session.signedIn(.basic(user: "susan", password: Secret("secret-password")), user: "susan")
    }
  }

  func at(_ text: String) throws -> Location { try Location(parsing: "docs:\(text)") }

  /// The lines of all requests, without the base of the core API.
  var lines: [String] {
    stub.requests.map { $0.line.split(separator: Self.core, maxSplits: 1).joined() }
  }
}

enum Sample {
  static let file = #"""
    {"entry":{"id":"c4b7","name":"Quay 7 facility.pdf","nodeType":"cm:content","isFile":true,"isFolder":false,
     "isLocked":false,"isFavorite":true,"parentId":"3f0e","createdAt":"2026-09-02T07:41:13.208+0000",
     "createdByUser":{"id":"omar","displayName":"Omar Haddad"},"modifiedAt":"2026-11-27T15:02:44.911+0000",
     "modifiedByUser":{"id":"susan","displayName":"Susan Marsh"},
     "content":{"mimeType":"application/pdf","mimeTypeName":"Adobe PDF Document","sizeInBytes":482913,"encoding":"UTF-8"},
     "aspectNames":["cm:titled"],"properties":{"cm:title":"Facility agreement","cm:versionLabel":"1.2",
     "cm:owner":{"id":"omar","displayName":"Omar Haddad"},"cm:taggable":["8d1f","9e2a"]},
     "allowableOperations":["delete","update"],
     "path":{"name":"/Company Home/Term sheets","isComplete":true,"elements":[{"id":"0c1d","name":"Company Home"}]},
     "permissions":{"isInheritanceEnabled":true,"inherited":[{"authorityId":"GROUP_x","name":"SiteManager","accessStatus":"ALLOWED"}],
     "locallySet":[{"authorityId":"omar","name":"Editor","accessStatus":"DENIED"}]}}}
    """#

  static func folder(_ id: String, _ name: String) -> String {
    #"{"entry":{"id":"\#(id)","name":"\#(name)","nodeType":"cm:folder","isFile":false,"isFolder":true}}"#
  }

  static func list(_ entries: [String], more: Bool = false, skip: Int = 0, total: Int? = nil, context: String = "")
    -> String
  {
    let total = total.map { #","totalItems":\#($0)"# } ?? ""
    return #"""
      {"list":{"pagination":{"count":\#(entries.count),"hasMoreItems":\#(more),"skipCount":\#(skip),"maxItems":100\#(total)}\#(context),
      "entries":[\#(entries.joined(separator: ","))]}}
      """#
  }

  static func error(_ status: Int, _ key: String, _ summary: String) -> String {
    #"{"error":{"errorKey":"\#(key)","statusCode":\#(status),"briefSummary":"\#(summary)","logId":"8f0c"}}"#
  }
}
