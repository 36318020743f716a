import Glibc
import JSON
import Model
import Sandbox
import Store
import TestKit
import Testing

/// A person in the browser with a vault, offline data and security checks: the real program in a pseudo-terminal.
@Suite(.serialized, .bounded) struct OfflineJourneyTests {
  private static let pin = "correct horse 7"

  /// The sandbox with the mobile platform's password left out, and only one set to keep.
  private func makeJourney(_ edit: (String) -> String = { $0 }) throws -> (journey: Journey, password: String) {
    var password = ""
    let journey = try Journey(SandboxOptions(documents: 1)) { text in
      let lines = text.split(separator: "\n").map(String.init)
      password = lines.last { $0.contains("password: ") }?.split(separator: " ").last.map(String.init) ?? ""
      return edit(
        text.replacing("password: \(password)", with: "password: { vault: field }")
          .replacing("    app: SUP101\n", with: "    app: SUP101\n    sets: [Customers]\n"))
    }
    return (journey, password)
  }

  private func open(_ journey: Journey, _ size: Size = Size(columns: 100, rows: 30)) async throws -> TerminalProcess {
    var environment = journey.environment
    environment["TERM"] = "xterm-256color"
    environment["LC_ALL"] = "C.UTF-8"
    let program = try TerminalProcess(
      Journey.program, [], environment: environment, directory: journey.directory, size: size)
    try await program.shows("Choose a door")
    return program
  }

  private func vault(_ journey: Journey) -> Vault {
    Vault(name: "default", directory: journey.directory.file(".local/share/atrium"), clock: StubClock())
  }

  private func makeVault(_ journey: Journey, _ secrets: [String: String] = [:], retryLimit: Int = 20) throws {
    var policy = VaultPolicy()
    policy.retryLimit = retryLimit
    let vault = vault(journey)
    try vault.create(pin: Secret(Self.pin), policy: policy, cost: VaultCost(logN: 4))
    for (name, secret) in secrets { try vault.set(Secret(secret), named: name) }
  }

  /// Goes to a place, or runs a command by its name.
  private func go(_ program: TerminalProcess, _ words: String) { program.type(":\u{15}\(words)\r") }

  @Test func `from the first run to browsing with the server stopped`() async throws {
    let (journey, password) = try makeJourney()
    let program = try await open(journey)
    defer { program.stop() }
    go(program, "vault")
    try await program.shows("there is none")
    go(program, "field:/live")
    try await program.shows("Sign in to field")
    program.type(password + "\r")
    // The first secret that is to be kept offers a place to keep it.
    try await program.shows("Create a vault")
    program.type("\(Self.pin)\t\(Self.pin)\r")
    try await program.shows("Customers")
    go(program, "sync")
    try await program.shows("never synchronised")
    program.type("Gs")
    try await program.shows("Nothing waits to be sent")
    try await program.shows("✓")
    journey.sandbox.stop()
    go(program, "field:/data/Customers")
    try await program.shows("Customers")
    try await program.screen("rows of the store") { $0.shows("offline") }
    go(program, "vault")
    try await program.shows("field/encryption-key")
    #expect(!program.screen.text.contains(password))
    program.type("\u{3}\u{3}")
    #expect(try await program.end() == 0)
  }

  @Test func `wrong PINs in the browser count down until the vault is gone`() async throws {
    let (journey, _) = try makeJourney()
    try makeVault(journey, retryLimit: 3)
    let program = try await open(journey)
    defer { program.stop() }
    go(program, "vault")
    try await program.shows("● locked")
    for words in ["2 of 3; then everything in it is deleted", "1 of 3; then everything", "there is none"] {
      program.type("\r")
      try await program.shows("Unlock the vault")
      program.type("battery staple\r")
      try await program.shows(words)
    }
    #expect(!vault(journey).exists)
    #expect(!program.screen.text.contains("battery"))
  }

  @Test func `a vault that another process locks is locked in the open browser`() async throws {
    let (journey, _) = try makeJourney()
    try makeVault(journey, ["field": "kept"])
    let program = try await open(journey)
    defer { program.stop() }
    go(program, "vault")
    try await program.shows("● locked")
    program.type("\r")
    try await program.shows("Unlock the vault")
    program.type("\(Self.pin)\r")
    try await program.shows("What is kept, by name")
    let lock = try await journey.run("vault", "lock")
    #expect(lock.status == 0, "\(lock.errors)")
    program.type("r")
    try await program.screen("the locked vault") { $0.shows("● locked") && !$0.shows("What is kept") }
  }

  /// An edit of mine that waits while the server's row has become another one, in the browser at its two sides.
  private func conflicting() async throws -> (Journey, TerminalProcess) {
    let (journey, password) = try makeJourney()
    try makeVault(journey, ["field": password])
    try journey.directory.write(Self.pin + "\n", to: "pin")
    let pin = ["ATRIUM_PIN_FILE": journey.directory.file("pin")]
    func run(_ words: String...) async throws {
      let run = try await ProcessRun.of(
        Journey.program, words, environment: journey.environment.merging(pin) { $1 }, seconds: 60)
      try #require(run.status == 0, "\(words): \(run.errors)")
    }
    try journey.directory.write(#"{"city":"Graz"}"#, to: "mine.json")
    try journey.directory.write(#"{"city":"Wels"}"#, to: "theirs.json")
    try await run("sync", "field")
    try await run("--offline", "put", journey.directory.file("mine.json"), "field:/data/Customers/120")
    try await run("put", journey.directory.file("theirs.json"), "field:/live/Customers/120")
    let program = try await open(journey, Size(columns: 100, rows: 40))
    go(program, "sync")
    try await program.shows("Unlock the vault")
    program.type("\(Self.pin)\r")
    try await program.shows("1 edit waiting")
    program.type("Gs")
    try await program.shows("! 1 conflict")
    program.type("\r")
    try await program.screen("the edits that wait") { $0.shows("field:/pending") && $0.shows("Operation") }
    program.type("\r")
    try await program.screen("both sides") { screen in
      ["field:/pending/1", "Mine", "Theirs", "≠ city", "Graz", "Wels"].allSatisfy(screen.shows)
    }
    return (journey, program)
  }

  private func city(_ journey: Journey, _ place: String) async throws -> String? {
    let run = try await journey.run(
      "show", "field:/\(place)/Customers/120", "--format", "json",
      environment: ["ATRIUM_PIN_FILE": journey.directory.file("pin")])
    return try JSONDocument(run.output).root["fields"]["city"].string
  }

  /// Each way out by its number in the menu, and what the row holds afterwards, there and here.
  @Test(arguments: [("2", "Graz"), ("3t", "Wels"), ("4\u{15}Linz\r", "Linz")])
  func `a conflict is settled at its two sides, and its screen is left`(_ keys: String, _ city: String) async throws {
    let (journey, program) = try await conflicting()
    defer { program.stop() }
    program.type("a")
    try await program.shows("2 Send mine over theirs")
    program.type(keys)
    try await program.screen("the list without the edit") { $0.shows("Nothing here") && !$0.shows("pending/1") }
    #expect(try await self.city(journey, "live") == city)
    #expect(try await self.city(journey, "data") == city)
    program.type("\u{3}\u{3}")
    #expect(try await program.end() == 0)
  }

  @Test func `a conflict that nobody decides waits, and can be dropped`() async throws {
    let (journey, program) = try await conflicting()
    defer { program.stop() }
    program.type("\u{1B}")
    try await program.screen("the list with the edit") { $0.shows("conflict") && !$0.shows("pending/1") }
    let pin = ["ATRIUM_PIN_FILE": journey.directory.file("pin")]
    #expect(try await journey.run("sync", "field", environment: pin).status == 6)
    #expect(try await journey.run("do", "field:/pending/1", "cancel", "--yes", environment: pin).status == 0)
    #expect(try await journey.run("sync", "field", environment: pin).status == 0)
    program.type("r")
    try await program.shows("Nothing here")
    #expect(try await city(journey, "live") == "Wels")
  }

  /// Without configured answers the checks ask.
  private func challenged() async throws -> (Journey, TerminalProcess, password: String) {
    var password = ""
    let (journey, _) = try makeJourney { text in
      let line = text.split(separator: "\n").first { $0.contains("UserLogin: {") } ?? ""
      password = line.split { ",} ".contains($0) }.last.map(String.init) ?? ""
      return text.split(separator: "\n", omittingEmptySubsequences: false)
        .filter { !$0.contains("UserLogin: {") && !$0.contains("PinCode: {") && !$0.hasSuffix("answers:") }
        .joined(separator: "\n")
    }
    let program = try await open(journey)
    go(program, "mfp:/resources/My resource")
    try await program.shows("It wants an answer")
    return (journey, program, password)
  }

  @Test func `a challenge is answered wrongly, then rightly`() async throws {
    let (journey, program, password) = try await challenged()
    defer { program.stop() }
    program.type("susan\twrong\r")
    try await program.screen("the attempts left") { $0.shows("Wrong credentials") && $0.shows("2 attempts left") }
    program.type("susan\t\(password)\r")
    // What was obtained could be kept; without a vault the answer comes all the same.
    try await program.shows("Create a vault")
    program.type("\u{1B}")
    try await program.shows("You have reached")
    go(program, "mfp:/checks")
    try await program.screen("the check's state") { $0.shows("success") && $0.shows("UserLogin") }
    #expect(!program.screen.text.contains(password))
    _ = journey
  }

  @Test func `a challenge that is cancelled ends the request, and comes again with the next`() async throws {
    let (journey, program, _) = try await challenged()
    defer { program.stop() }
    program.type("\u{1B}")
    try await program.shows("try again")
    program.type("r")
    try await program.shows("It wants an answer")
    _ = journey
  }

  @Test func `a challenge whose attempts are used up says so, here and among the checks`() async throws {
    let (journey, program, _) = try await challenged()
    defer { program.stop() }
    for words in ["2 attempts left", "1 attempt left", "Account blocked"] {
      program.type("susan\twrong\r")
      try await program.shows(words)
    }
    go(program, "mfp:/checks")
    try await program.shows("failed")
    _ = journey
  }
}
