import Glibc
import Model
import Sandbox
import Service
import Store
import TestKit
import Testing
import Wire

@testable import atrium

/// Signs in by every method, uses everything, and looks for what went over the wire wherever something is kept.
@Suite(.bounded) struct EverySecretTests {
  @Test func `no secret of any sign-in is in the trace, the log, the vault's file, the store or an error`() async throws
  {
    let bench = try SecretsBench()
    // Side by side: some wait for a person, or between two questions.
    let signedIn = await withTaskGroup { group in
      for connection in bench.service.connections {
        group.addTask {
          do throws(ServiceError) {
            _ = try await bench.service.signIn(connection.name)
            try await bench.use(connection)
            return 1
          } catch {
            Issue.record("\(connection.name): \(error.line)")
            return 0
          }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(signedIn == bench.service.connections.count)
    _ = try await bench.service.synchronize("field")
    var errors: [String] = []
    for connection in bench.service.connections {
      bench.proxy.arm(strikes: { $0.target.contains("nosuch") }) { _, request, _ in
        // A server that says back whatever it was told.
        let echo = String(decoding: request.bytes.filter { $0 != 13 }, as: UTF8.self).replacing("\n", with: " ")
        return [WireFault.answer("400 Bad Request", "{\"error\":\"\(echo.replacing("\"", with: "'"))\"}")]
      }
      let path = connection.kind == .mobilefirst ? "/resources/nosuch" : "/nosuch"
      let call = RawCall("GET", path)
      do throws(ServiceError) {
        _ = try await bench.service.call(connection.name, call, to: Drain())
      } catch {
        errors += [error.line, error.debugDescription]
      }
    }
    for connection in bench.service.connections { try? await bench.service.signOut(connection.name) }
    bench.trace.close()
    #expect(bench.secrets.all.count > 25, "\(bench.secrets.all.count)")
    let detector = LeakDetector(bench.secrets.all)
    let kept = bench.kept()
    #expect(kept.count >= 3 && kept.contains { $0.path.hasSuffix("trace.har") }, "\(kept.map(\.path))")
    for (path, bytes) in kept { #expect(detector.leaks(in: bytes) == [], "\(path)") }
    #expect(bench.log.exchanges.count > 30)
    for exchange in bench.log.exchanges {
      let bytes = Array(exchange.text.utf8) + exchange.requestBody.bytes + exchange.responseBody.bytes
      #expect(detector.leaks(in: bytes) == [], "exchange \(exchange.id): \(exchange.method) \(exchange.url)")
    }
    #expect(detector.leaks(in: Array(errors.joined(separator: "\n").utf8)) == [])
  }

  @Test(arguments: [
    "s3cret/wörds+1", "s3cret\\/wörds+1", "s3cret%2Fw%C3%B6rds%2B1", "s3cret%2fw%c3%b6rds%2b1", "a s3cret/wörds+1 b",
    "czNjcmV0L3fDtnJkcysx", "Basic c3VzYW46czNjcmV0L3fDtnJkcysx", "eHg6czNjcmV0L3fDtnJkcysxIQ==",
  ]) func `a secret is found however it is written`(_ text: String) {
    let detector = LeakDetector(["s3cret/wörds+1", "another one"])
    #expect(detector.leaks(in: Array("{\"x\":\"\(text)\"}".utf8)) == ["s3cret/wörds+1"])
    #expect(detector.leaks(in: [0] + Array(text.utf8) + [0]) == ["s3cret/wörds+1"])
    #expect(detector.leaks(in: Array("{\"x\":\"\(text.dropLast(6))\"}".utf8)) == [])
  }

  /// The program as others see it while it runs, and what it leaves when it crashes.
  @Test func `no secret is in the arguments, the environment, or a core file`() async throws {
    let ground = try await Ground.shared.value
    let server = try FaultServer(.silence)
    defer { server.stop() }
    let directory = try TemporaryDirectory()
    let text = ground.sandbox.configuration.replacing(ground.sandbox.origin, with: server.origin)
      .replacing("    kind:", with: "    timeout: 600\n    kind:")
    try directory.write(text, to: "config.yaml")
    let password = try #require(text.split(separator: "\n").first { $0.contains("password: ") })
    let secret = password.split(separator: " ").last.map { $0.filter { $0 != "\"" } } ?? ""
    #expect(secret.count >= 12)
    let script = "cd \"$HOME\" && ulimit -c unlimited && exec \"$0\" ls bank:/accounts"
    let running = try RunningProcess(
      "/bin/sh", ["-c", script, Journey.program],
      environment: ["HOME": directory.path, "PATH": "/usr/bin:/bin", "ATRIUM_CONFIG": directory.file("config.yaml")])
    running.write("")
    while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    for name in ["cmdline", "environ", "comm", "status"] {
      let bytes = try Self.bytes("/proc/\(running.identifier)/\(name)")
      #expect(!String(decoding: bytes, as: UTF8.self).contains(secret), "\(name)")
    }
    // The script allowed core files of any size; the program takes that back before it reads a secret.
    let limits = String(decoding: try Self.bytes("/proc/\(running.identifier)/limits"), as: UTF8.self)
    let core = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
    #expect(core.split(separator: " ").dropFirst(4).first == "0", "\(core)")
    // Its memory would go to a file by default; none is left, in its directory or where a pattern of the kernel says.
    running.signal(SIGSYS)
    let run = await running.end()
    #expect(run.status == 128 + SIGSYS)
    #expect(!run.hasDumpedCore)
    #expect(!directory.names.contains { $0.hasPrefix("core") }, "\(directory.names)")
    #expect(!run.errors.contains(secret) && !run.text.contains(secret))
  }

  private static func bytes(_ path: String) throws -> [UInt8] {
    let file = try #require(fopen(path, "r"))
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = fread(&buffer, 1, buffer.count, file)
    return Array(buffer[..<count])
  }
}

/// The program's own parts over a vault and a trace, with every method of signing in configured.
private final class SecretsBench: Sendable {
  let proxy: FaultProxy
  let secrets = WireSecrets()
  let service: ServiceLayer
  let log = ExchangeLog(clock: SystemClock())
  let trace: HARFile
  private let sandbox: Sandbox
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    sandbox = try Sandbox(SandboxOptions(accounts: 4, transactions: 10, documents: 20, objects: 10))
    proxy = try FaultProxy(to: sandbox.port)
    // One set to synchronise: a store of ninety thousand rows holds no other kinds of fields than one of thousands.
    let text = sandbox.configuration.replacing(sandbox.origin, with: proxy.origin)
      .replacing("    kind: unwired\n", with: "    kind: unwired\n    sets: [Customers]\n")
    let configuration = try Configuration(
      parsing: Array((text + Self.more(text, sandbox, proxy.origin)).utf8), path: "config.yaml")
    trace = try HARFile(path: directory.file("trace.har"), log: log, version: "0")
    let pin = Secret("correct horse 7")
    let paths = StandardPaths(under: directory.file("home"))
    let vault = Vault(name: "default", directory: paths.data, clock: SystemClock())
    try vault.create(pin: pin, cost: VaultCost(logN: 4))
    try vault.unlock(pin: pin)
    let visitor = RedactedAsker(WebVisitor(try Self.people(configuration)), log.redactor)
    let keeper = VaultKeeper(
      vault, pins: PINSource(asker: visitor), offersVault: { false }, directory: paths.offline)
    let surroundings = Surroundings(
      asker: visitor, secrets: RedactedSecrets(SecretSources(environment: [:], lasting: keeper), log.redactor),
      keeper: RedactedKeeper(keeper, log.redactor), clock: SystemClock(), randomBytes: SystemRandom.bytes,
      stores: keeper)
    service = ServiceLayer(
      configuration,
      ServiceLayer.Parts(
        makers: BackendMakers.all,
        transport: { [log] settings, name in
          RetryingTransport(CurlTransport(settings, log: log, connection: name), clock: SystemClock())
        }, log: log, surroundings: surroundings, environment: [:], paths: paths))
    secrets.add(pin.reveal())
    proxy.arm(strikes: { _ in true }) { [secrets] _, request, relay in
      let answer = relay()
      secrets.read(request.bytes)
      secrets.read(answer)
      return [.send(answer)]
    }
  }

  deinit {
    proxy.stop()
    sandbox.stop()
  }

  /// The sign-in methods that the sandbox's own configuration leaves out.
  private static func more(_ text: String, _ sandbox: Sandbox, _ origin: String) throws -> String {
    let configuration = try Configuration(parsing: Array(text.utf8), path: "config.yaml")
    func setting(_ connection: String, _ path: String) throws -> String {
      try configuration.requiredConnection(named: connection).settings.requiredText(path)
    }
    let confidential = try #require(sandbox.credentials.first { $0.contains("confidential") })
    let secret = try #require(confidential.split(separator: "test / ").last?.split(separator: " ").first)
    let docs = "kind: alfresco, url: '\(origin)/alfresco', auth:"
    let issuer = "issuer: '\(origin)/auth/realms/alfresco', clientID: atrium"
    let basic =
      "mobileBackendID: '\(try setting("mobile", "backend.mobileBackend.authentication.basic.mobileBackendID"))'"
    let anonymous = try setting("mobile", "backend.mobileBackend.authentication.basic.anonymousKey")
    let user = "user: ada, password: '\(try setting("mobile", "auth.password"))'"
    // An identity provider's token, for the address that the connection has.
    let provider = try RawClient(port: sandbox.port)
    let host = origin.replacing("http://", with: "")
    try provider.send("GET /idp/jwt?user=ada HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
    let jwt = try #require(try provider.receiveAll().split { $0.isWhitespace }.last { $0.hasPrefix("eyJ") })
    let social = sandbox.credentials.joined(separator: " ").split(separator: " ")
    let facebook = try #require(social.firstIndex(of: "facebook").map { social[$0 + 2] })
    let keys = "basic: { \(basic), anonymousKey: '\(anonymous)' }"
    let client =
      "oauth: { clientID: \(try setting("mobile", "backend.mobileBackend.authentication.oauth.clientID")), "
      + "clientSecret: '\(try setting("mobile", "backend.mobileBackend.authentication.oauth.clientSecret"))' }"
    let exchange =
      "backend: { mobileBackend: { baseURL: '\(origin)', authentication: { tokenExchange: { \(client) } } } }"
    let graph = "backend: { mobileBackend: { baseURL: '\(origin)', authentication: { facebook: { \(keys) } } } }"
    let backend =
      "backend: { mobileBackend: { baseURL: '\(origin)', authentication: { type: basic, basic: { \(basic), "
      + "anonymousKey: '\(anonymous)' } } } }"
    return """
        - { name: bank1, kind: openbank, url: '\(origin)/obp/v5.1.0', authURL: '\(origin)', auth: { method: oauth1, \
      consumerKey: '\(try setting("bank", "auth.consumerKey"))', \
      consumerSecret: '\(try setting("bank", "auth.consumerSecret"))' } }
        - { name: ticket, \(docs) { method: ticket, user: susan, password: '\(try setting("docs", "auth.password"))' } }
        - { name: pkce, \(docs) { method: pkce, \(issuer) } }
        - { name: device, \(docs) { method: device, \(issuer) } }
        - { name: basic, kind: omce, \(backend), auth: { \(user) } }
        - { name: anonymous, kind: omce, \(backend), auth: { method: anonymous } }
        - { name: exchange, kind: omce, \(exchange), auth: { method: exchange, token: '\(jwt)' } }
        - { name: facebook, kind: omce, \(graph), auth: { method: facebook, token: '\(facebook)' } }
        - { name: bank2, kind: openbank, url: '\(origin)/obp/v5.1.0', authURL: '\(origin)', auth: { method: oidc, \
      \(issuer) } }
        - { name: client, kind: mobilefirst, url: '\(origin)/mfp', resourceURL: '\(origin)', app: com.example.app, \
      auth: { method: confidential, clientID: test, clientSecret: '\(secret)' } }

      """
  }

  private static func people(_ configuration: Configuration) throws -> [String: (name: String, password: String)] {
    let bank = try configuration.requiredConnection(named: "bank").settings.requiredText("auth.password")
    let docs = try configuration.requiredConnection(named: "docs").settings.requiredText("auth.password")
    return ["bank1": ("susan", bank), "pkce": ("susan", docs), "device": ("susan", docs), "bank2": ("susan", docs)]
  }

  /// A list and, where there is one, an item that need the sign-in.
  func use(_ connection: Connection) async throws(ServiceError) {
    let path =
      switch connection.kind {
      case .openbank: ["accounts"]
      case .alfresco: ["files"]
      case .omce: ["storage"]
      case .mobilefirst: ["tokens"]
      case .unwired: ["live", "Customers"]
      }
    let listing = try await service.list(Location(connection: connection.name, path: path))
    if let row = listing.rows.first, connection.kind != .mobilefirst, connection.kind != .omce {
      _ = try await service.item(row.location)
    }
    if connection.name == "mfp" {
      _ = try await service.item(Location(connection: "mfp", path: ["resources", "My resource"]))
    }
  }

  /// Every file below the directory.
  func kept() -> [(path: String, bytes: [UInt8])] {
    var files: [(String, [UInt8])] = []
    func walk(_ folder: String) {
      for name in Files.names(in: folder) {
        let path = "\(folder)/\(name)"
        if Files.isDirectory(path) {
          walk(path)
        } else {
          files.append((path, (try? Files.read(path, maxBytes: 64 << 20)) ?? []))
        }
      }
    }
    walk(directory.path)
    return files
  }
}
