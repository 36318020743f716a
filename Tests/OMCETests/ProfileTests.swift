import FoundationEssentials
import Model
import TestKit
import Testing

@testable import OMCE

@Suite struct ProfileTests {
  @Test func `the malformed sample is read as it comes`() throws {
    let profile = try Samples.profile(Samples.malformed)
    #expect(profile.name == "Field & Co")
    #expect(profile.baseURL == "https://omce.acme.example:7201")
    #expect(profile.tokenURL == "https://id.acme.example/oauth2/v1/token")
    #expect(profile.scope == "https://omce.acme.example:7201urn:opc:resource:consumer::all")
    #expect(profile.method == .oauth)
    #expect(profile.oauth?.clientID == "11112222333344445555666677778888")
    #expect(profile.basic == nil)
    #expect(profile.logsHTTP)
    #expect(profile.logLevel == "debug")
    #expect(profile.warnings.contains { $0.contains("line 28") && $0.contains("basic") })
  }

  @Test func `the second spelling and another letter case are the same key`() throws {
    let profile = try Samples.profile(Samples.basic)
    #expect(profile.baseURL == "http://127.0.0.1:8080")
    #expect(profile.method == .basic)
    #expect(profile.basic?.mobileBackendID == "4a8b2c10-0000-4000-8000-000000000002")
  }

  @Test func `a fragment without its outer table is read`() throws {
    let fragment = "<key>mobileBackend</key>" + Samples.basic.split(separator: "<key>mobileBackend</key>")[1]
    #expect(try Samples.profile(fragment.replacing("</dict></plist>", with: "")).method == .basic)
  }

  @Test func `the older form gives its default backend, a complete token address and its domain`() throws {
    let profile = try Samples.profile(Samples.old)
    #expect(profile.name == "Second")
    #expect(profile.baseURL == "https://two.example")
    #expect(profile.tokenURL == "https://id.example/oam/oauth2/tokens")
    #expect(profile.scope == nil)
    #expect(profile.identityDomain == "acme")
    #expect(profile.applicationKey == "app-key-1")
    #expect(!profile.enablesOffline)
  }

  @Test func `the tools' own file is a profile, too`() throws {
    let profile = try Samples.profile(
      """
      {"apiName":"x","baseUrl":"https://b.example","tokenEndpoint":"https://id.example/oauth2/v1/token",
       "backend":{"backendId":"b-1","backendName":"B","authorization":{"anonymousKey":"k","clientId":"c","clientSecret":"s"}}}
      """)
    #expect(profile.method == .oauth)
    #expect(profile.oauth?.clientID == "c")
    #expect(profile.basic?.mobileBackendID == "b-1")
  }

  @Test func `a binary property list is read`() throws {
    let tree: [String: [String: [String: [String: String]]]] = [
      "mobileBackend": ["authentication": ["basic": ["mobileBackendID": "b-1"]]]
    ]
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    let (read, _) = try ProfileFile.read(Array(try encoder.encode(tree)), named: "x")
    #expect(read["mobileBackend"]?["authentication"]?["basic"]?["mobileBackendID"]?.text == "b-1")
  }

  @Test(arguments: [
    ("https://id.example", "https://id.example/oauth2/v1/token"),
    ("https://id.example/", "https://id.example/oauth2/v1/token"),
    ("https://id.example/oauth2/v1/token", "https://id.example/oauth2/v1/token"),
    ("https://id.example/oam/oauth2/tokens/", "https://id.example/oam/oauth2/tokens"),
  ])
  func `trap 1: the token address is made whole once`(_ written: String, _ whole: String) {
    #expect(ProfileReading.tokenURL(written) == whole)
  }

  struct Wrong: Sendable, CustomTestStringConvertible {
    let change: (String, String)
    let says: String
    var testDescription: String { "\(change.1) says \(says)" }
  }

  @Test(arguments: [
    Wrong(change: ("https://omce.acme.example:7201/", "https://MY_CLOUD_DOMAIN"), says: "MY_CLOUD_DOMAIN"),
    Wrong(change: ("https://id.acme.example/", "MY_TOKEN_ENDPOINT"), says: "oAuthTokenEndPoint"),
    Wrong(change: ("11112222333344445555666677778888", "YOUR_CLIENT_ID"), says: "clientID"),
    Wrong(change: ("c0ffee00-0000-4000-8000-000000000001", "MY_CLIENT_SECRET"), says: "clientSecret"),
    Wrong(change: ("<string>oauth</string>", "<string>kerberos</string>"), says: "kerberos"),
    Wrong(change: ("<string>oauth</string>", "<string>basic</string>"), says: "mobileBackendID"),
    Wrong(change: ("<key>baseURL</key>", "<key>baseAddress</key>"), says: "baseURL"),
    Wrong(change: ("<dict>", "<pict>"), says: "<pict>"),
    Wrong(change: ("<string>debug</string>", "<string>&bomb;</string>"), says: "&bomb;"),
  ])
  func `what is missing or still a placeholder is named, as a fault of the configuration`(_ wrong: Wrong) {
    let text = Samples.malformed.replacing(wrong.change.0, with: wrong.change.1)
    let error = #expect(throws: ServiceError.self) { try Samples.profile(text) }
    #expect(error?.code == .configuration)
    #expect(error?.message.contains(wrong.says) ?? false)
    #expect(error.map { !$0.message.contains("c0ffee00") } ?? false)
  }

  @Test(arguments: [
    "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><dict/></plist>", "<plist><dict><key>a</key><string>x</dict></plist>",
    "", "no property list",
  ])
  func `a file that cannot be read safely is refused`(text: String) {
    let error = #expect(throws: ServiceError.self) { try Samples.profile(text) }
    #expect(error?.code == .configuration)
  }

  @Test func `nesting beyond all sense is refused`() {
    let text = String(repeating: "<array>", count: 5000)
    #expect(throws: ServiceError.self) { try Samples.profile(text) }
  }

  @Test func `a property list is found relative to the configuration`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "omce-\(UInt64.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(Samples.basic.utf8).write(to: folder.appending(path: "OMC.plist"))
    let settings = Settings([(key: "plist", entry: .text("OMC.plist", .init()))], directory: folder.path())
    #expect(try OMCESettings(settings).profile.method == .basic)
    let missing = Settings([(key: "plist", entry: .text("other.plist", .init()))], directory: folder.path())
    let error = #expect(throws: ServiceError.self) { try OMCESettings(missing) }
    #expect(error?.code == .configuration)
  }
}
