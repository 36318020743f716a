import Crypto
import FoundationEssentials
import JSON
import Model
import Sandbox
import Store
import TestKit
import Testing

/// The program with the mobile cloud: from a property list to a conflict that is settled.
@Suite(.bounded) struct MobileJourneyTests {
  private static let pin = "correct horse 7"

  private let journey: Journey

  init() throws {
    journey = try Journey()
    try journey.directory.write(Self.pin + "\n", to: "pin")
    let vault = Vault(name: "default", directory: journey.directory.file(".local/share/atrium"), clock: StubClock())
    // A vault whose PIN costs little; the program's own takes a third of a second for each try.
    try vault.create(pin: Secret(Self.pin), policy: VaultPolicy(), cost: VaultCost(logN: 4))
  }

  private func run(_ words: String..., input: String = "") async throws -> ProcessRun {
    var environment = journey.environment
    environment["ATRIUM_PIN_FILE"] = journey.directory.file("pin")
    return try await ProcessRun.of(Journey.program, words, environment: environment, input: input, seconds: 60)
  }

  private func json(_ words: String...) async throws -> JSONValue {
    var environment = journey.environment
    environment["ATRIUM_PIN_FILE"] = journey.directory.file("pin")
    let run = try await ProcessRun.of(
      Journey.program, words + ["--format", "json"], environment: environment, seconds: 60)
    #expect(run.status == 0, "\(words): \(run.errors)")
    return try JSONDocument(run.output).root
  }

  private func value(_ key: String) throws -> String {
    let text = try #require(journey.directory.text("config.yaml"))
    let mobile = try #require(text.firstRange(of: "kind: omce"))
    let line = try #require(text[mobile.upperBound...].split(separator: "\n").first { $0.contains("\(key): ") })
    return line.split(separator: " ").last.map { $0.filter { $0 != "\"" } } ?? ""
  }

  private func write(_ text: String, _ name: String) throws -> String {
    try journey.directory.write(text, to: name)
    return journey.directory.file(name)
  }

  @Test func `a property list as Oracle prints it is imported and browsed, and its log tells no secret`() async throws {
    let (client, secret, password) = (try value("clientID"), try value("clientSecret"), try value("password"))
    let plist = try write(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd"
      <plist version="1.0">
      <dict>
        <key>logLevel</key><string>debug</string>
        <key>logHTTP</key><true/>
        <key>logHTTPMaxHeaderSize</key><integer>12</integer>
        <key>oAuthTokenEndPoint</key><string>\(journey.sandbox.origin)/</string>
        <key>mobileBackend</key>
        <dict>
          <key>baseURL</key><string>\(journey.sandbox.origin)/</string>
          <key>authentication</key>
          <dict>
            <key>type</key><string>oauth</string>
            <key>oauth</key><dict><key>clientID</key><string>\(client)</string>
              <key>clientSecret</key><string>\(secret)</string></dict>
            <key>basic</key>
          </dict>
        </dict>
      </dict>
      </plist>
      """, "OMC.plist")
    let added = try await run("connections", "add", "cloud", "--plist", plist, "--set", "auth.user=ada")
    #expect(added.status == 0, "\(added.errors)")
    #expect(added.errors.contains("\(journey.sandbox.origin)/oauth2/v1/token"))
    #expect(added.errors.contains("\(journey.sandbox.origin)urn:opc:resource:consumer::all"))
    #expect(added.errors.contains("…\(secret.suffix(4))"))
    #expect(added.errors.contains("“basic” has no value"))
    let login = try await run("login", "cloud", "--password-stdin", input: password + "\n")
    #expect(login.status == 0, "\(login.errors)")
    let trace = journey.directory.file("trace.har")
    let listed = try await run("ls", "cloud:/storage", "--trace", trace)
    #expect(listed.status == 0 && listed.text.contains("FieldPhotos"), "\(listed.errors)")
    let shown = try await run("show", "cloud:/policies/ratio", "--format", "json")
    #expect(shown.text.contains("0.75"))
    // The profile's own level and bound.
    #expect(listed.errors.contains("debug: cloud: GET") && listed.errors.contains("http:"))
    #expect(listed.errors.contains("..."))
    let quiet = try await run("ls", "cloud:/storage", "--log-level", "none")
    #expect(quiet.errors.isEmpty, "\(quiet.errors)")
    let har = try #require(journey.directory.text("trace.har"))
    let session = try await run("status", "cloud")
    for text in [added.errors, login.errors, listed.errors, shown.errors, session.errors, har] {
      for word in [secret, password, "Bearer ey"] { #expect(!text.contains(word)) }
    }
  }

  @Test func `an edit made offline meets a change, and a person settles it`() async throws {
    let file = try write("first\n", "note.txt")
    let put = try await run("put", file, "mobile:/storage/FieldPhotos/note-1")
    #expect(put.status == 0, "\(put.errors)")
    let synced = try await run("sync", "mobile")
    #expect(synced.status == 0, "\(synced.errors)")
    let mine = try write("mine\n", "mine.txt")
    let offline = try await run("--offline", "put", mine, "mobile:/storage/FieldPhotos/note-1")
    #expect(offline.status == 0 && offline.text == "mobile:/storage/FieldPhotos/note-1\n", "\(offline.errors)")
    #expect(try await run("--offline", "get", "mobile:/storage/FieldPhotos/note-1", "-o", "-").text == "mine\n")
    #expect(try await run("get", "mobile:/storage/FieldPhotos/note-1", "-o", "-").text == "mine\n")
    let pending = try await run("--offline", "sync", "mobile", "--pending", "--format", "csv")
    #expect(pending.text.contains("storage/FieldPhotos,update,note-1,waiting,"), "\(pending.text)")
    let theirs = try await run(
      "call", "mobile", "PUT", "/mobile/platform/storage/collections/FieldPhotos/objects/note-1", "--data", "theirs\n")
    #expect(theirs.status == 0, "\(theirs.errors)")
    let conflict = try await run("sync", "mobile")
    #expect(conflict.status == 6, "\(conflict.errors)")
    #expect(conflict.errors.contains("keep-mine") && conflict.errors.contains("mobile:/pending/"))
    let rows = try await json("ls", "mobile:/pending")["rows"]
    #expect(rows.count == 1 && rows[0]["state"].string == "conflict")
    let place = try #require(rows[0]["location"].string)
    let item = try await json("show", place)
    #expect(item["fields"]["mine.content"].string == "mine\n")
    #expect(item["fields"]["theirs.contentLength"].int == 7)
    #expect(item["actions"].elements.contains { $0["id"].string == "keep-both" && !$0["disabled"].exists })
    let settled = try await run("do", place, "keep-mine")
    #expect(settled.status == 0, "\(settled.errors)")
    #expect(try await run("get", "mobile:/storage/FieldPhotos/note-1", "-o", "-").text == "mine\n")
    #expect(try await run("sync", "mobile").status == 0)
    journey.sandbox.stop()
    #expect(try await run("--offline", "ls", "mobile:/storage").status == 0)
    let unreached = try await run("ls", "mobile:/storage/FieldPhotos")
    #expect(unreached.status == 0 && unreached.text.contains("note-1"), "\(unreached.errors)")
  }

  /// Every way to sign in, each with what it must not tell.
  @Test(arguments: ["oauth", "basic", "anonymous", "exchange", "facebook"])
  func `no secret of a sign-in is in the trace or the log, whatever the profile logs`(_ method: String) async throws {
    let origin = journey.sandbox.origin
    let (secret, key, password) = (try value("clientSecret"), try value("anonymousKey"), try value("password"))
    let words = journey.sandbox.credentials.joined(separator: " ").split(separator: " ").map(String.init)
    let social = try #require(words.firstIndex(of: "facebook").map { words[$0 + 2] })
    let jwt = try await run("call", "mobile", "GET", "/idp/jwt?user=ada", "--public").text.filter { !$0.isWhitespace }
    let basic = "basic: { mobileBackendID: \(try value("mobileBackendID")), anonymousKey: '\(key)' }"
    let oauth = "oauth: { clientID: \(try value("clientID")), clientSecret: '\(secret)' }"
    let (type, auth) =
      switch method {
      case "oauth": ("oauth", "user: ada, password: '\(password)'")
      case "basic": ("basic", "user: ada, password: '\(password)'")
      case "anonymous": ("basic", "method: anonymous")
      case "exchange": ("tokenExchange", "method: exchange, token: '\(jwt)'")
      default: ("facebook", "method: facebook, token: '\(social)'")
      }
    let config = try #require(journey.directory.text("config.yaml"))
    let mine = """
        - name: mine
          kind: omce
          auth: { \(auth) }
          backend:
            oAuthTokenEndPoint: '\(origin)'
            logLevel: debug
            logHTTP: true
            logHTTPMaxHeaderSize: 0
            logHTTPMaxBodySize: 0
            mobileBackend:
              baseURL: '\(origin)'
              authentication: { type: \(type), \(oauth), \(basic), tokenExchange: { \(oauth) }, facebook: { \(basic) } }

      """
    try journey.directory.write(config + mine, to: "config.yaml")
    let secrets = WireSecrets()
    for secret in [secret, key, password, jwt, social] { secrets.add(secret) }
    let pair = try #require(Data(base64Encoded: key).map { String(decoding: $0, as: UTF8.self) })
    secrets.add(pair.split(separator: ":", maxSplits: 1).last.map(String.init) ?? pair)
    // Each token of the sandbox begins so.
    secrets.add("eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9")
    #expect(secrets.all.count == 7)
    let trace = journey.directory.file("mine.har")
    let listed = try await run("ls", "mine:/policies", "--trace", trace)
    #expect(listed.status == 0 && listed.text.contains("ratio"), "\(listed.errors)")
    #expect(listed.errors.contains("http:"), "\(listed.errors)")
    let refused = try await run("ls", "mine:/storage/Nothing", "--trace", trace + "2")
    #expect(refused.status != 0)
    let har = try #require(journey.directory.text("mine.har")) + (journey.directory.text("mine.har2") ?? "")
    let detector = LeakDetector(secrets.all)
    for text in [listed.errors, listed.text, refused.errors, har] {
      #expect(detector.leaks(in: Array(text.utf8)) == [], "\(method)")
    }
  }

  @Test func `64 MiB come down and go up again byte for byte, in little memory`() async throws {
    let small = try await run("show", "mobile:/storage/Archive/panorama.bin")
    let file = journey.directory.file("panorama.bin")
    let got = try await run("get", "mobile:/storage/Archive/panorama.bin", "-o", file)
    #expect(got.status == 0, "\(got.errors)")
    // The vault is open, hence the store, which must not take the whole of it in either.
    let put = try await run("put", file, "mobile:/storage/Archive/copy.bin")
    #expect(put.status == 0, "\(put.errors)")
    for run in [got, put] { #expect(run.peakMemory - small.peakMemory < 24 << 20, "\(run.peakMemory) bytes") }
    let again = journey.directory.file("again.bin")
    #expect(try await run("get", "mobile:/storage/Archive/copy.bin", "-o", again).status == 0)
    let same = try await ProcessRun.of("/usr/bin/cmp", [file, again], environment: journey.environment, seconds: 60)
    #expect(same.status == 0, "\(same.text)\(same.errors)")
    let row = try await json("show", "mobile:/storage/Archive/copy.bin")
    #expect(row["fields"]["size"].int == 64 << 20)
  }
}
