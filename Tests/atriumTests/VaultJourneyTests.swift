import Glibc
import JSON
import Model
import Sandbox
import Store
import TestKit
import Testing

/// The program with a vault: what outlives a process, what is locked, what can be read on the disk.
@Suite(.timeLimit(.minutes(3))) struct VaultJourneyTests {
  private static let pin = "correct horse 7"

  private let journey: Journey
  private let password: String

  init() throws {
    var found = ""
    journey = try Journey(SandboxOptions(documents: 1)) { text in
      let lines = text.split(separator: "\n").map(String.init)
      // The last connection is the mobile platform's: its password moves into the vault.
      found = lines.last { $0.contains("password: ") }?.split(separator: " ").last.map(String.init) ?? ""
      return text.replacing("password: \(found)", with: "password: { vault: field }")
        .replacing("    app: SUP101\n", with: "    app: SUP101\n    sets: [Customers]\n")
    }
    password = found
    try journey.directory.write(Self.pin + "\n", to: "pin")
    try journey.directory.write("battery staple\n", to: "wrong")
  }

  private var vault: Vault {
    Vault(name: "default", directory: journey.directory.file(".local/share/atrium"), clock: StubClock())
  }

  /// A vault whose PIN costs little; the program's own takes a third of a second for each try.
  private func makeVault(retryLimit: Int = 20) throws {
    var policy = VaultPolicy()
    policy.retryLimit = retryLimit
    try vault.create(pin: Secret(Self.pin), policy: policy, cost: VaultCost(logN: 4))
  }

  private func run(_ words: String..., pin: String? = "pin", input: String = "") async throws -> ProcessRun {
    var environment = journey.environment
    if let pin { environment["ATRIUM_PIN_FILE"] = journey.directory.file(pin) }
    return try await ProcessRun.of(Journey.program, words, environment: environment, input: input, seconds: 60)
  }

  @Test func `a password given once signs in from then on, and only with the PIN`() async throws {
    let before = try await run("ls", "field:/live", pin: nil)
    #expect(before.status == 3)
    let unkept = try await run("login", "field", "--password-stdin", pin: nil, input: password + "\n")
    #expect(unkept.status == 0)
    #expect(unkept.errors.contains("there is no vault"))
    try makeVault()
    #expect(try await run("login", "field", "--password-stdin", pin: nil, input: password + "\n").status == 3)
    #expect(try await run("login", "field", "--password-stdin", input: password + "\n").status == 0)
    #expect(try await run("ls", "field:/live").status == 0)
    #expect(try await run("ls", "field:/live", pin: nil).status == 3)
    // What has all it needs in the configuration does not wait for a locked vault.
    #expect(try await run("ls", "bank:/banks", pin: nil).status == 0)
  }

  @Test func `wrong PINs are counted over processes, and the last one deletes the vault`() async throws {
    try makeVault(retryLimit: 3)
    for left in ["2 tries are left", "1 try is left"] {
      let run = try await run("vault", "unlock", pin: "wrong")
      #expect(run.status == 3)
      #expect(run.errors.contains(left) && run.errors.contains("deleted"), "\(run.errors)")
    }
    let last = try await run("vault", "unlock", pin: "wrong")
    #expect(last.status == 3)
    #expect(last.errors.contains("has been deleted"))
    let status = try await run("vault", "status", "--format", "json")
    #expect(try JSONDocument(status.output).root["exists"].bool == false)
    #expect(try await run("vault", "unlock").status == 3)
  }

  @Test func `from the first run to browsing and editing without the server, and nothing readable`() async throws {
    let none = try await run("sync", "field")
    #expect(none.status == 3 && none.errors.contains("no vault"), "\(none.errors)")
    try makeVault()
    #expect(try await run("login", "field", "--password-stdin", input: password + "\n").status == 0)
    let synced = try await run("sync", "field")
    #expect(synced.status == 0, "\(synced.errors)")
    journey.sandbox.stop()
    let rows = try await run("--offline", "ls", "field:/data/Customers", "--sort", "-id", "--limit", "2")
    #expect(rows.status == 0 && rows.text.contains("\"id\":2600"), "\(rows.errors)")
    try journey.directory.write(#"{"city":"Casablanca-Edit"}"#, to: "edit.json")
    let put = try await run("--offline", "put", journey.directory.file("edit.json"), "field:/data/Customers/101")
    #expect(put.status == 0 && put.text == "field:/data/Customers/101\n", "\(put.errors)")
    let shown = try await run("--offline", "show", "field:/data/Customers/101", "--format", "json")
    #expect(try JSONDocument(shown.output).root["fields"]["city"].string == "Casablanca-Edit")
    let pending = try await run("--offline", "sync", "field", "--pending", "--format", "csv")
    #expect(pending.text.contains("Customers,update,101,waiting,"))
    #expect(try await run("--offline", "ls", "field:/live").status == 5)
    #expect(try await run("--offline", "ls", "field:/data/Customers", pin: nil).status == 3)
    for (path, text) in kept() {
      for word in ["Casablanca", "Müller", "Customers", "SUP101", Self.pin, password, "encryption-key"] {
        #expect(!text.contains(word), "\(word) in \(path)")
      }
    }
  }

  @Test func `an imported Oracle configuration works, with its secrets in the vault`() async throws {
    let text = try #require(journey.directory.text("config.yaml"))
    func value(_ key: String) throws -> String {
      let line = try #require(text.split(separator: "\n").first { $0.contains("\(key): ") })
      return line.split(separator: " ").last.map { $0.filter { $0 != "\"" } } ?? ""
    }
    let secret = try value("            clientSecret")
    try journey.directory.write(
      """
      <plist version="1.0"><dict><key>oAuthTokenEndPoint</key><string>\(journey.sandbox.origin)</string>
      <key>mobileBackend</key><dict><key>name</key><string>A &amp; B</string>
      <key>baseURL</key><string>\(journey.sandbox.origin)</string><key>authentication</key><dict>
      <key>type</key><string>oauth</string><key>oauth</key><dict>
      <key>clientID</key><string>\(try value("            clientID"))</string>
      <key>clientSecret</key><string>\(secret)</string></dict></dict></dict></dict></plist>
      """, to: "OMC.plist")
    let add = ["connections", "add", "cloud", "--plist", journey.directory.file("OMC.plist")]
    let refused = try await ProcessRun.of(Journey.program, add, environment: journey.environment)
    #expect(refused.status == 3)
    try makeVault()
    let added = try await run(add[0], add[1], add[2], add[3], add[4])
    #expect(added.status == 0, "\(added.errors)")
    let after = try #require(journey.directory.text("config.yaml"))
    #expect(after.occurrences(of: secret) == text.occurrences(of: secret))
    #expect(after.contains("vault: cloud/mobileBackend/authentication/oauth/clientSecret"))
    #expect(after.contains("A & B"))
  }

  /// Every file below the data, state and cache directories.
  private func kept() -> [(path: String, text: String)] {
    var files: [(String, String)] = []
    func walk(_ directory: String) {
      for name in Files.names(in: directory) {
        let path = "\(directory)/\(name)"
        if Files.isDirectory(path) {
          walk(path)
        } else if let bytes = try? Files.read(path, maxBytes: 64 << 20) {
          files.append((path, String(decoding: bytes, as: UTF8.self)))
        }
      }
    }
    for base in [".local", ".cache"] { walk(journey.directory.file(base)) }
    #expect(!files.isEmpty)
    return files
  }
}

extension String {
  /// How often a text is in it.
  fileprivate func occurrences(of text: String) -> Int { ranges(of: text).count }
}
