import Model
import TestKit
import Wire

@testable import OMCE

enum Samples {
  /// Oracle's own sample has a DOCTYPE without its last bracket and a key without a value; the values are invented.
  static let malformed = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd"
    <plist version="1.0">
    <dict>
      <key>logLevel</key>
      <string>debug</string>
      <key>logHTTP</key>
      <true/>
      <key>oAuthTokenEndPoint</key>
      <string>https://id.acme.example/</string>
      <key>mobileBackend</key>
      <dict>
        <key>name</key>
        <string>Field &amp; Co</string>
        <key>baseURL</key>
        <string>https://omce.acme.example:7201/</string>
        <key>authentication</key>
        <dict>
          <key>type</key>
          <string>oauth</string>
          <key>oauth</key>
          <dict>
            <key>clientID</key>
            <string>11112222333344445555666677778888</string>
            <key>clientSecret</key>
            <string>c0ffee00-0000-4000-8000-000000000001</string>
          </dict>
          <key>basic</key>
        </dict>
      </dict>
    </dict>
    </plist>
    """

  static let basic = """
    <plist version="1.0"><dict><key>mobileBackend</key><dict>
      <key>baseUrl</key><string>http://127.0.0.1:8080</string>
      <key>authentication</key><dict><key>type</key><string>Basic</string>
        <key>basic</key><dict>
          <key>mobileBackendID</key><string>4a8b2c10-0000-4000-8000-000000000002</string>
          <key>anonymousKey</key><string>QUNNRV9BTk9OOnNlY3JldC1rZXk=</string>
        </dict></dict></dict></dict></plist>
    """

  static let old = """
    <plist version="1.0"><dict><key>mobileBackends</key><dict>
      <key>First</key><dict><key>baseURL</key><string>https://one.example</string></dict>
      <key>Second</key><dict>
        <key>default</key><true/>
        <key>appKey</key><string>app-key-1</string>
        <key>baseURL</key><string>https://two.example</string>
        <key>authorization</key><dict>
          <key>authenticationType</key><string>OAuth</string>
          <key>offlineAuthenticationEnabled</key><false/>
          <key>OAuth</key><dict>
            <key>tokenEndpoint</key><string>https://id.example/oam/oauth2/tokens</string>
            <key>clientID</key><string>client-1</string><key>clientSecret</key><string>secret-one-1</string>
            <key>identityDomain</key><string>acme</string>
          </dict></dict></dict></dict></dict></plist>
    """

  static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  static func profile(_ text: String, wanted: MobileProfile.Method? = nil) throws -> MobileProfile {
    let (tree, warnings) = try ProfileFile.read(bytes(text), named: "OMC.plist")
    return try MobileProfile(tree, wanted: wanted, warnings: warnings, named: "OMC.plist")
  }
}

/// A back end over a scripted transport; the configuration holds the profile's tree inline.
struct MobileBench {
  let stub = StubTransport()
  let keeper: StubKeeper
  let clock = StubClock()
  let asker: StubAsker
  let backend: OMCEBackend

  enum Profile { case basic, oauth, exchange }

  init(
    _ profile: Profile = .basic, auth: KeyValuePairs<String, String> = ["user": "ada", "password": "s3cret&words"],
    readOnly: Bool = false, asker: StubAsker = StubAsker(), choosing: ChoosingAsker? = nil,
    keeper: StubKeeper = StubKeeper(), stores: any OfflineStores = NoOfflineStores()
  ) throws {
    self.asker = asker
    self.keeper = keeper
    let table: ([(String, Settings.Entry)]) -> Settings.Entry = {
      .table(Settings($0.map { (key: $0.0, entry: $0.1) }))
    }
    let text: (String) -> Settings.Entry = { .text($0, .init()) }
    let basic = table([("mobileBackendID", text("backend-1")), ("anonymousKey", text("QU5PTjprZXk="))])
    let oauth = table([("clientID", text("client-1")), ("clientSecret", text("secret-one-1"))])
    let authentication: Settings.Entry =
      switch profile {
      case .basic: table([("type", text("basic")), ("basic", basic), ("oauth", oauth)])
      case .oauth: table([("type", text("oauth")), ("oauth", oauth)])
      case .exchange:
        table([("type", text("tokenExchange")), ("tokenExchange", table([("basic", basic), ("oauth", oauth)]))])
      }
    let backend = table([
      ("oAuthTokenEndPoint", text("http://127.0.0.1:8080")),
      ("mobileBackend", table([("baseURL", text("http://127.0.0.1:8080")), ("authentication", authentication)])),
    ])
    var settings = [("backend", backend), ("auth", table(auth.map { ($0.key, text($0.value)) }))]
    if readOnly { settings.append(("readOnly", text("true"))) }
    self.backend = try OMCEBackend(
      connection: Connection(
        name: "mobile", kind: .omce, settings: Settings(settings.map { (key: $0.0, entry: $0.1) })),
      transport: stub, surroundings: .stub(asker: choosing ?? asker, keeper: keeper, clock: clock, stores: stores))
  }

  /// A bench whose user has signed in already.
  static func signedIn(
    _ profile: Profile = .basic, readOnly: Bool = false, stores: any OfflineStores = NoOfflineStores()
  ) async throws -> MobileBench {
    let bench = try MobileBench(profile, readOnly: readOnly, stores: stores)
    bench.stub.on("GET", "/mobile/platform/users/login", body: "{}")
    bench.stub.on("POST", "/oauth2/v1/token", body: #"{"access_token":"tok-1234","expires_in":3600}"#)
    _ = try await bench.backend.signIn(SignInRequest())
    return bench
  }

  func location(_ path: String) throws -> Location { try Location(parsing: "mobile:\(path)") }
  var lines: [String] { stub.requests.map(\.line) }
}

extension Listing {
  /// The rows as exact texts, null shown as such.
  var texts: [[String]] { rows.map { $0.values.map { $0.isNull ? "null" : $0.exactText } } }
}
