import Model
import TestKit
import Wire

@testable import Unwired

/// A back end on a scripted server, connected unless told otherwise.
struct Field {
  static let connections = "/odata/applications/latest/SUP101/Connections"
  static let root = "/SUP101"

  let stub = StubTransport()
  let asker: StubAsker
  let keeper: StubKeeper
  let backend: UnwiredBackend

  init(
    settings more: KeyValuePairs<String, String> = [:], sets: [String]? = nil, asked: [[String: String]] = [],
    kept: [String: Secret] = [:], connected: Bool = true
  ) throws {
    asker = StubAsker(asked)
    keeper = StubKeeper(kept)
    var members = Settings.table(more).members
    members.append((key: "url", entry: .text("http://127.0.0.1:1/", Settings.Origin())))
    members.append((key: "app", entry: .text("SUP101", Settings.Origin())))
    if let sets {
      members.append((key: "sets", entry: .list(sets.map { .text($0, Settings.Origin()) }, Settings.Origin())))
    }
    backend = try UnwiredBackend(
      connection: Connection(name: "field", kind: .unwired, settings: Settings(members)), transport: stub,
      surroundings: .stub(asker: asker, keeper: keeper))
    if connected {
      backend.client.session.use(user: "ada", password: Secret("secret-password"))
      backend.client.session.connected(as: "id-1")
    }
  }

  func at(_ text: String) throws -> Location { try Location(parsing: "field:\(text)") }

  var lines: [String] { stub.requests.map(\.line) }

  @discardableResult
  func describes(_ body: String = Sample.metadata) -> Field {
    stub.on("GET", "\(Self.root)/$metadata", headers: ["Content-Type": "application/xml"], body: body)
    return self
  }
}

enum Sample {
  static let metadata = #"""
    <?xml version="1.0" encoding="utf-8"?>
    <!-- <EntityType Name="No"/> -->
    <edmx:Edmx Version="1.0" xmlns:edmx="http://schemas.microsoft.com/ado/2007/06/edmx"><edmx:DataServices>
     <Schema Namespace="SUP101">
      <EntityType Name="Customer"><Key><PropertyRef Name="id"/></Key>
       <Property Name="id" Type="Edm.Int32" Nullable="false"/><Property Name="fname" Type="Edm.String" Nullable="false"/>
       <Property Name="since" Type="Edm.DateTime"/><Property Name="note" Type="Edm.String"/>
       <NavigationProperty Name="orders" Relationship="x"/></EntityType>
      <EntityType Name="Item"><Key><PropertyRef Name="id"/><PropertyRef Name="line_id"/></Key>
       <Property Name="id" Type="Edm.Int32"/><Property Name="line_id" Type="Edm.Int32"/></EntityType>
      <EntityType Name="Code"><Key><PropertyRef Name="code"/></Key><Property Name="code" Type="Edm.String"/></EntityType>
      <EntityContainer Name="C"><EntitySet Name="Customers" EntityType="SUP101.Customer"/>
       <EntitySet Name="Items" EntityType="SUP101.Item"/><EntitySet Name="Codes" EntityType="SUP101.Code"/></EntityContainer>
     </Schema></edmx:DataServices></edmx:Edmx>
    """#

  static let registration = #"""
    {"d":{"__metadata":{"uri":"x","type":"applications.Connection"},"ETag":"2026-11-30 10:00:00.0",
     "ApplicationConnectionId":"id-1","UserName":"ada","DeviceType":"Unknown","ProxyPushEndpoint":null,
     "PasswordPolicyMinLength":8,"CustomCustom1":" ","CreatedAt":"/Date(1796040000000)/","Capability":{"results":[]}}}
    """#

  static func customer(_ id: Int, _ name: String, tag: String = "1") -> String {
    #"""
    {"__metadata":{"uri":"http://inside:8080/SUP101/Customers(\#(id))","etag":"W/\"\#(tag)\"","type":"SUP101.Customer"},
     "id":\#(id),"fname":"\#(name)","since":"/Date(1796040000000)/","note":null,
     "orders":{"__deferred":{"uri":"http://inside:8080/SUP101/Customers(\#(id))/orders"}}}
    """#
  }

  static func page(_ rows: [String], count: Int? = nil, next: String? = nil) -> String {
    let count = count.map { #","__count":"\#($0)""# } ?? ""
    let next = next.map { #","__next":"\#($0)""# } ?? ""
    return #"{"d":{"results":[\#(rows.joined(separator: ","))]\#(count)\#(next)}}"#
  }
}
