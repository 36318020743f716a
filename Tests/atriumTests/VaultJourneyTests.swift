import Glibc
import JSON
import Model
import Sandbox
import Store
import TestKit
import Testing

/// The program with a vault: what outlives a process, what is locked, what can be read on the disk.
@Suite(.bounded) struct VaultJourneyTests {
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

  /// The right PIN takes seconds at this cost; that it is being tried is on the disk before.
  @Test func `killing the program during a try does not give the try back`() async throws {
    try vault.create(pin: Secret(Self.pin), cost: VaultCost(logN: 16, p: 16))
    let changes = try DirectoryWatch(journey.directory.file(".local/share/atrium"))
    var environment = journey.environment
    environment["ATRIUM_PIN_FILE"] = journey.directory.file("pin")
    let program = try RunningProcess(Journey.program, ["vault", "unlock"], environment: environment)
    await changes.next()
    kill(program.identifier, SIGKILL)
    #expect(await program.end(seconds: 30).status == 128 + SIGKILL)
    #expect(try vault.triesLeft() == 19)
    #expect(try await run("vault", "unlock", pin: "wrong").errors.contains("18 tries are left"))
  }

  @Test func `rules, entries and other vaults are in reach of the command line`() async throws {
    let weak = try await run("vault", "create", "--require", "upper,special", "--lock-timeout", "60")
    #expect(weak.status == 2 && weak.errors.contains("a capital letter is missing"), "\(weak.errors)")
    try makeVault()
    let rules = try await run("vault", "policy", "--min-length", "10", "--unique", "4", "--format", "json")
    let policy = try JSONDocument(rules.output).root
    #expect(policy["minLength"].int == 10 && policy["minUniqueCharacters"].int == 4, "\(rules.errors)")
    #expect(try await run("vault", "set", "mfp/secret", "--stdin", input: "s3cret-value\n").status == 0)
    let entries = try await run("vault", "entries", "--format", "csv")
    #expect(entries.text == "name,kind\r\nmfp/secret,text\r\n")
    #expect(try await run("vault", "remove", "mfp/secret").status == 2)
    #expect(try await run("vault", "remove", "mfp/secret", "--yes").status == 0)
    #expect(try await run("vault", "entries", "--format", "csv").text == "name,kind\r\n")
    let other = try await run("vault", "create", "--name", "work", "--no-pin")
    #expect(other.status == 0, "\(other.errors)")
    let list = try await run("vault", "list", "--format", "csv")
    #expect(list.text.contains("default,locked,20,true\r\n") && list.text.contains("work,locked,20,false\r\n"))
    let stricter = try await run("vault", "policy", "--require", "upper")
    #expect(stricter.status == 0)
    let refused = try await run("vault", "unlock")
    #expect(refused.status == 3 && refused.errors.contains("no longer strong enough"), "\(refused.errors)")
    try journey.directory.write("Correct Horse 7\n", to: "new")
    #expect(try await run("vault", "change-pin", "--new-pin-file", journey.directory.file("new")).status == 0)
    #expect(try await run("vault", "entries", pin: "new").status == 0)
  }

  @Test func `with the Secret Service as keeper there is no vault and no PIN, and no secret in an argument`()
    async throws
  {
    let text = try #require(journey.directory.text("config.yaml"))
    try journey.directory.write("keeper: secret-service\n" + text, to: "config.yaml")
    let missing = try await run("login", "field", "--password-stdin", pin: nil, input: password + "\n")
    #expect(missing.status == 3 && missing.errors.contains("secret-tool is not installed"), "\(missing.errors)")
    try journey.directory.write(
      """
      #!/bin/sh
      cd \(journey.directory.path)
      echo "$*" >> calls
      word=$1; shift
      while [ $# -gt 1 ]; do last=$2; shift; done
      file=kept-$(printf %s "$last" | tr / _)
      case $word in
        store) cat > "$file" ;;
        lookup) [ -f "$file" ] || exit 1; cat "$file" ;;
        clear) [ -f "$file" ] || exit 1; rm "$file" ;;
      esac
      """, to: "body")
    let tool = journey.directory.file("secret-tool")
    let made = try await ProcessRun.of(
      "/bin/sh", ["-c", "cp \"$1\" \"$2\" && chmod 700 \"$2\"", "sh", journey.directory.file("body"), tool],
      environment: ["PATH": "/usr/bin:/bin"])
    #expect(made.status == 0, "\(made.errors)")
    var environment = journey.environment
    environment["PATH"] = "\(journey.directory.path):/usr/bin:/bin"
    func keeping(_ words: String..., input: String = "") async throws -> ProcessRun {
      try await ProcessRun.of(Journey.program, words, environment: environment, input: input, seconds: 60)
    }
    let login = try await keeping("login", "field", "--password-stdin", input: password + "\n")
    #expect(login.status == 0 && !login.errors.contains("no vault"), "\(login.errors)")
    #expect(try await keeping("ls", "field:/live").status == 0)
    #expect(try await keeping("sync", "field").status == 0)
    #expect(try await keeping("--offline", "ls", "field:/data/Customers", "--limit", "1").status == 0)
    #expect(!vault.exists)
    #expect(journey.directory.text("kept-field") == password)
    let key = try #require(journey.directory.text("kept-field_encryption-key"))
    let calls = try #require(journey.directory.text("calls"))
    #expect(!calls.contains(password) && !calls.contains(key))
    #expect(journey.directory.names.contains("kept-field"))
  }

  @Test func `at a terminal the wrong PIN is asked again until the vault is gone`() async throws {
    try makeVault(retryLimit: 3)
    let program = try TerminalProcess(
      Journey.program, ["sync", "field"], environment: journey.environment, directory: journey.directory)
    defer { program.stop() }
    try await program.shows("PIN:")
    program.type("battery staple\r")
    try await program.shows("2 tries left.")
    program.type("battery staple\r")
    try await program.shows("1 try left.")
    program.type("battery staple\r")
    let screen = try await program.shows("has been deleted")
    #expect(try await program.end() == 3)
    #expect(!screen.text.contains("battery"))
    #expect(program.isAsFound)
    #expect(!vault.exists)
  }

  @Test func `the first secret that is to be kept offers a vault, at a terminal`() async throws {
    let program = try TerminalProcess(
      Journey.program, ["login", "field"], environment: journey.environment, directory: journey.directory)
    defer { program.stop() }
    try await program.shows("User [supuser]:")
    program.type("\r")
    try await program.shows("Password:")
    program.type(password + "\r")
    try await program.shows("New PIN:")
    program.type(Self.pin + "\r")
    try await program.shows("The same again:")
    program.type(Self.pin + "\r")
    try await program.shows("Signed in to field")
    #expect(try await program.end() == 0)
    #expect(try await run("ls", "field:/live").status == 0)
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

  @Test func `what signing in obtains is readable in no file`() async throws {
    try makeVault()
    for connection in ["bank", "mobile", "mfp"] {
      #expect(try await run("login", connection).status == 0)
    }
    #expect(try await run("show", "mfp:/resources/My resource").status == 0)
    #expect(try await run("ls", "bank:/accounts").status == 0)
    let vault = vault
    try vault.unlock(pin: Secret(Self.pin))
    let contents = try vault.contents()
    #expect(contents.count >= 3, "\(contents)")
    var secrets = [Self.pin]
    for content in contents {
      let text = try vault.string(named: content.name)?.reveal() ?? ""
      secrets += text.split { "\"{}[]:, \n\\".contains($0) }.map(String.init).filter { $0.count >= 16 }
    }
    #expect(secrets.count > 5)
    for (path, text) in kept() {
      for secret in secrets { #expect(!text.contains(secret), "in \(path)") }
      for content in contents { #expect(!text.contains(content.name), "\(content.name) in \(path)") }
    }
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
