import Glibc
import Model
import Sandbox
import Store
import TestKit
import Testing

/// Ends transfers and edits with a signal that nothing can catch, at points spread over their whole length.
///
/// `ATRIUM_CRASH_ROUNDS` asks for more rounds than a quick run of all tests should take.
@Suite(.serialized, .bounded) struct KillTests {
  private static var rounds: Int { getenv("ATRIUM_CRASH_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 6 }

  /// What came of a program that may have been killed.
  private enum End: Equatable { case killed, ended(Int32) }

  private func run(_ words: [String], _ journey: Journey, killedAfter delay: Duration) async throws -> End {
    let microseconds = delay.components.seconds * 1_000_000 + delay.components.attoseconds / 1_000_000_000_000
    let fraction = String(1_000_000 + microseconds % 1_000_000).dropFirst()
    // A process of its own looks at the clock: the test's threads may be busy with other tests.
    let run = try await ProcessRun.of(
      "/usr/bin/timeout", ["-s", "KILL", "\(microseconds / 1_000_000).\(fraction)", Journey.program] + words,
      environment: journey.environment, seconds: 120)
    return run.status == 128 + SIGKILL ? .killed : .ended(run.status)
  }

  private func duration(_ words: [String], _ journey: Journey) async throws -> Duration {
    let start = ContinuousClock.now
    let run = try await ProcessRun.of(Journey.program, words, environment: journey.environment, seconds: 120)
    #expect(run.status == 0, "\(run.errors)")
    return ContinuousClock.now - start
  }

  /// Points over somewhat more than a whole run, never twice the same (multiples of the golden ratio).
  private func point(_ round: Int, of whole: Duration) -> Duration {
    whole * ((Double(round + 1) * 0.618_033_988_75).truncatingRemainder(dividingBy: 1) * 1.2)
  }

  private func bytes(_ path: String) -> [UInt8]? { try? Files.read(path, maxBytes: 64 << 20) }

  @Test func `a killed download is no file, and the next one makes it whole`() async throws {
    let journey = try Journey()
    let whole = journey.directory.file("whole")
    let place = "mobile:/storage/Archive/ledger.bin"
    let length = try await duration(["get", place, "-o", whole], journey)
    let expected = try #require(bytes(whole))
    var killed = 0
    for round in 0..<Self.rounds {
      let path = journey.directory.file("file-\(round % 3)")
      let end = try await run(["get", place, "-o", path], journey, killedAfter: point(round, of: length))
      if end == .killed { killed += 1 }
      if let found = bytes(path) {
        #expect(found == expected, "round \(round): half a file passes as whole")
        unlink(path)
      } else {
        #expect(end == .killed, "round \(round): done, and no file")
      }
    }
    for number in 0..<min(3, Self.rounds) {
      let path = journey.directory.file("file-\(number)")
      _ = try await duration(["get", place, "-o", path], journey)
      #expect(bytes(path) == expected)
      #expect(!journey.directory.exists("file-\(number).part"))
    }
    print("kill test: \(killed) of \(Self.rounds) downloads killed")
  }

  @Test func `a killed upload is whole on the server or not there, and what was acknowledged is`() async throws {
    let journey = try Journey()
    let text = String(repeating: "0123456789abcde\n", count: 40_000)
    try journey.directory.write(text, to: "up.txt")
    func put(_ name: String) -> [String] { ["put", journey.directory.file("up.txt"), "docs:/files/Shared/\(name)"] }
    let length = try await duration(put("warm.txt"), journey)
    var killed = 0
    for round in 0..<Self.rounds {
      let name = "up-\(round).txt"
      let end = try await run(put(name), journey, killedAfter: point(round, of: length))
      if end == .killed { killed += 1 }
      let path = journey.directory.file("down")
      unlink(path)
      let got = try await journey.run("get", "docs:/files/Shared/\(name)", "-o", path)
      if got.status == 0 {
        #expect(journey.directory.text("down") == text, "round \(round): half an upload passes as whole")
      } else {
        #expect(got.status == 4, "\(got.errors)")
        #expect(end == .killed, "round \(round): acknowledged, and not there")
      }
      #expect(end != .ended(5))
    }
    print("kill test: \(killed) of \(Self.rounds) uploads killed")
  }

  @Test func `a killed edit leaves the configuration as it was or as it shall be`() async throws {
    let journey = try Journey()
    let first = try #require(journey.directory.text("config.yaml"))
    func edit(_ value: String) -> [String] { ["connections", "edit", "bank", "--set", "color=\(value)"] }
    let length = try await duration(edit("#000000"), journey)
    var before = try #require(journey.directory.text("config.yaml"))
    #expect(before != first)
    for round in 0..<Self.rounds {
      let color = "#" + String(String(0x100_0000 + round, radix: 16).dropFirst())
      let end = try await run(edit(color), journey, killedAfter: point(round, of: length))
      let after = try #require(journey.directory.text("config.yaml"), "round \(round): the configuration is gone")
      let isDone = after.contains("color: \"\(color)\"")
      #expect(isDone || after == before, "round \(round): \(after)")
      #expect(isDone || end == .killed, "round \(round): an acknowledged edit was lost")
      _ = try Configuration(parsing: Array(after.utf8), path: "config.yaml")
      before = after
    }
    #expect(journey.directory.names.filter { $0.hasPrefix("config.yaml") }.count <= 1 + Self.rounds)
  }

  @Test func `a killed change of the vault loses no entry that was acknowledged`() async throws {
    let pin = "correct horse 7"
    let journey = try Journey(SandboxOptions(documents: 1))
    try journey.directory.write(pin + "\n", to: "pin")
    func vault() throws -> Vault {
      let vault = Vault(name: "default", directory: journey.directory.file(".local/share/atrium"), clock: StubClock())
      return vault
    }
    try vault().create(pin: Secret(pin), cost: VaultCost(logN: 4))
    let text = try #require(journey.directory.text("config.yaml"))
    let line = try #require(text.split(separator: "\n").last { $0.contains("password: ") })
    let password = line.split(separator: " ").last.map { $0.filter { $0 != "\"" } } ?? ""
    try journey.directory.write(text.replacing(line, with: "      password: { vault: field }"), to: "config.yaml")
    let words = ["login", "field", "--password-stdin"]
    let environment = journey.environment.merging(["ATRIUM_PIN_FILE": journey.directory.file("pin")]) { $1 }
    func login(killedAfter limit: Duration) async throws -> Int32 {
      let (seconds, fraction) = limit.components
      let wait = Double(seconds) + Double(fraction) / 1e18
      return try await ProcessRun.of(
        "/usr/bin/timeout", ["-s", "KILL", String(max(0.001, wait)), Journey.program] + words,
        environment: environment, input: password + "\n", seconds: 120
      ).status
    }
    let begin = ContinuousClock.now
    #expect(try await login(killedAfter: .seconds(100)) == 0)
    var length = ContinuousClock.now - begin
    var killed = 0
    for round in 0..<Self.rounds {
      let name = "kept-\(round)"
      let open = try vault()
      try open.unlock(pin: Secret(pin))
      try open.set(Secret(name), named: name)
      let start = ContinuousClock.now
      let status = try await login(killedAfter: point(round, of: length))
      #expect(status == 0 || status == 128 + SIGKILL, "round \(round)")
      if status == 0 { length = (length + (ContinuousClock.now - start)) / 2 } else { killed += 1 }
      let after = try vault()
      try after.unlock(pin: Secret(pin))
      for earlier in 0...round {
        #expect(try after.string(named: "kept-\(earlier)") == Secret("kept-\(earlier)"), "round \(round)")
      }
      #expect(try after.string(named: "field") == Secret(password), "round \(round)")
    }
    print("kill test: \(killed) of \(Self.rounds) sign-ins killed")
  }
}
