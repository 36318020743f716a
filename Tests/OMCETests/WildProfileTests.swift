import Model
import TestKit
import Testing

@testable import OMCE

/// Profiles as they are found: other generations, other tools, other spellings (reference, sections 1.4 to 1.7).
@Suite struct WildProfileTests {
  @Test func `trap 28: both spellings at once: the first counts, and both lines are named`() throws {
    let profile = try Samples.profile(
      """
      <plist version="1.0"><dict>
      <key>oAuthTokenEndPoint</key><string>https://one.example</string>
      <key>oAuthTokenEndpoint</key><string>https://two.example</string>
      <key>mobileBackend</key><dict><key>baseURL</key><string>https://b.example</string>
      <key>authentication</key><dict><key>oauth</key><dict>
      <key>clientID</key><string>c</string><key>clientSecret</key><string>s</string></dict></dict></dict>
      </dict></plist>
      """)
    #expect(profile.tokenURL == "https://one.example/oauth2/v1/token")
    #expect(profile.warnings.contains { $0.contains("lines 2 and 3") })
  }

  @Test func `Oracle's JavaScript configuration, with numbers for levels and flat keys`() throws {
    let profile = try Samples.profile(
      """
      {"logLevel": 3, "logHTTP": true, "oAuthTokenEndPoint": "https://id.example/oauth2/v1/token",
       "mobileBackend": {"name": "App", "baseUrl": "https://b.example", "authentication": {"type": "token",
         "token": {"clientId": "c-1", "clientSecret": "s-1", "mobileBackendId": "m-1", "anonymousKey": "k-1"}}}}
      """)
    #expect(profile.method == .tokenExchange)
    #expect(profile.logLevel == "info" && profile.logsHTTP)
    #expect(profile.oauth?.clientID == "c-1")
    #expect(profile.basic?.mobileBackendID == "m-1")
    #expect(profile.tokenURL == "https://id.example/oauth2/v1/token")
  }

  @Test func `the older JavaScript configuration with named backends`() throws {
    let profile = try Samples.profile(
      """
      {"mobileBackends": {"Old": {"default": true, "baseUrl": "https://old.example", "applicationKey": "a-1",
        "authorization": {"authType": "basicAuth", "basicAuth": {"backendId": "m-1", "anonymousToken": "k-1"}}}}}
      """)
    #expect(profile.method == .basic && profile.name == "Old")
    #expect(profile.basic?.mobileBackendID == "m-1")
    #expect(profile.basic?.anonymousKey != nil)
    #expect(profile.applicationKey == "a-1")
  }

  @Test(arguments: [
    """
    {"apiName":"orders","baseUrl":"https://b.example","tokenEndpoint":"https://id.example/oauth2/v1/token",
     "backend":{"backendId":"m-1","backendName":"App","authorization":{"anonymousKey":"k","clientId":"c","clientSecret":"s"}},
     "tools":{"authorization":{"clientId":"team","clientSecret":"team-secret"}}}
    """,
    """
    {"apiName":"orders","baseUrl":"https://b.example","authorization":{"mobileBackendID":"m-1","anonymousKey":"k",
     "oauth":{"tokenEndpoint":"https://id.example/oauth2/v1/token","clientId":"c","clientSecret":"s"}},
     "tools":{"authorization":{"clientId":"team","clientSecret":"team-secret"}}}
    """,
  ])
  func `the tools' file in both layouts, never with the team's own client`(_ text: String) throws {
    let profile = try Samples.profile(text)
    #expect(profile.method == .oauth)
    #expect(profile.oauth?.clientID == "c")
    #expect(profile.basic?.mobileBackendID == "m-1")
    #expect(profile.tokenURL == "https://id.example/oauth2/v1/token")
    #expect(profile.scope == "https://b.example" + MobileProfile.scopeSuffix)
  }

  @Test func `a fragment without prolog and outer table is a backend`() throws {
    let profile = try Samples.profile(
      """
      <key>baseURL</key><string>https://b.example</string>
      <key>authentication</key><dict><key>type</key><string>basic</string>
      <key>basic</key><dict><key>mobileBackendID</key><string>m-1</string></dict></dict>
      """)
    #expect(profile.basic?.mobileBackendID == "m-1")
  }

  @Test func `two ways to synchronise exclude each other`() {
    #expect(throws: ServiceError.self) {
      try Samples.profile(
        """
        {"mobileBackend":{"baseURL":"https://b.example","authentication":{"type":"basic","basic":{"mobileBackendID":"m"}},
         "sync":{},"syncExpress":{}}}
        """)
    }
  }

  @Test(arguments: [
    """
    <!DOCTYPE plist [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><plist version="1.0"><dict></dict></plist>
    """,
    "<plist version=\"1.0\"><dict><key>a</key><string>&b;</string></dict></plist>",
  ])
  func `entities are refused, whoever declares them`(_ text: String) {
    #expect(throws: ServiceError.self) { try ProfileFile.read(Samples.bytes(text), named: "OMC.plist") }
  }

  @Test func `trap 29: an import tells what it understood, with secrets masked, and what is missing`() throws {
    let (tree, _) = try ProfileFile.read(Samples.bytes(Samples.malformed), named: "OMC.plist")
    let summary = try ProfileSummary(tree, named: "OMC.plist")
    let lines = Dictionary(summary.lines.map { ($0.title, $0.text) }, uniquingKeysWith: { $1 })
    #expect(lines["Token address"] == "https://id.acme.example/oauth2/v1/token")
    #expect(lines["Scope"] == "https://omce.acme.example:7201urn:opc:resource:consumer::all")
    #expect(lines["Client secret"] == "…0001")
    #expect(lines["Log"] == "debug, with headers and bodies")
    #expect(summary.missing.isEmpty)
    let text = Samples.malformed.replacing("11112222333344445555666677778888", with: "MY_CLIENT_ID")
      .replacing("<key>oAuthTokenEndPoint</key>", with: "<key>other</key>")
    let (poor, _) = try ProfileFile.read(Samples.bytes(text), named: "OMC.plist")
    let missing = try ProfileSummary(poor, named: "OMC.plist").missing
    #expect(missing.count == 2)
    #expect(missing.contains { $0.contains("oAuthTokenEndPoint") })
    #expect(missing.contains { $0.contains("MY_CLIENT_ID") })
  }

  @Test func `trap 34: what the log shows is cut to the profile's bounds`() throws {
    let connection = Connection(
      name: "m", kind: .omce,
      settings: Settings([
        (
          key: "backend",
          entry: .table(
            Settings([
              (key: "logHTTP", entry: .text("true", .init())),
              (key: "logHTTPMaxHeaderSize", entry: .text("5", .init())),
              (key: "logHTTPMaxBodySize", entry: .text("3", .init())),
              (
                key: "mobileBackend",
                entry: .table(
                  Settings([
                    (key: "baseURL", entry: .text("https://b.example", .init())),
                    (
                      key: "authentication",
                      entry: .table(
                        Settings([
                          (key: "type", entry: .text("basic", .init())),
                          (
                            key: "basic",
                            entry: .table(Settings([(key: "mobileBackendID", entry: .text("m", .init()))]))
                          ),
                        ]))
                    ),
                  ]))
              ),
            ]))
        )
      ]))
    let logging = try #require(ProfileLogging(connection))
    #expect(logging.showsHTTP)
    #expect(logging.cut(header: "123456") == "12345...")
    #expect(logging.cut(header: "12345") == "12345")
    #expect(logging.cut(body: Array("abcd".utf8)) == "abc...")
    #expect(logging.cut(body: [0, 1]) == nil)
  }
}
