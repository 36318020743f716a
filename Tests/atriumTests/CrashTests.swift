import Glibc
import JSON
import Model
import Sandbox
import Store
import TestKit
import Testing

/// Ends the program with a signal it cannot catch, at points spread over its run, and looks at what is left.
///
/// `ATRIUM_CRASH_ROUNDS` asks for more rounds than a quick run of all tests should take.
@Suite(.serialized, .bounded) struct CrashTests {
  private static let pin = "correct horse 7"

  private static var rounds: Int { getenv("ATRIUM_CRASH_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 6 }

  /// A journey with a vault whose PIN costs little.
  private func makeJourney() throws -> (Journey, [String: String]) {
    let journey = try Journey(SandboxOptions(documents: 1)) {
      $0.replacing("    app: SUP101\n", with: "    app: SUP101\n    sets: [Customers]\n")
    }
    try journey.directory.write(Self.pin + "\n", to: "pin")
    try vault(of: journey).create(pin: Secret(Self.pin), cost: VaultCost(logN: 4))
    return (journey, ["ATRIUM_PIN_FILE": journey.directory.file("pin")])
  }

  private func vault(of journey: Journey) -> Vault {
    Vault(name: "default", directory: journey.directory.file(".local/share/atrium"), clock: StubClock())
  }

  /// Runs the program and kills it after so long; nil when it was ended before it had an exit status of its own.
  private func run(
    _ words: [String], _ journey: Journey, _ more: [String: String], killedAfter delay: Duration
  ) async throws -> Int32? {
    // A process of its own looks at the clock: the test's threads may be busy with other tests.
    let (seconds, attoseconds) = delay.components
    let microseconds = String(attoseconds / 1_000_000_000_000 + 1_000_000).dropFirst()
    let run = try await ProcessRun.of(
      "/usr/bin/timeout", ["-s", "KILL", "\(seconds).\(microseconds)", Journey.program] + words,
      environment: journey.environment.merging(more) { $1 }, seconds: 120)
    return run.status == 128 + SIGKILL ? nil : run.status
  }

  /// Points between nothing and somewhat more than a whole run, never twice the same (multiples of the golden ratio).
  private func point(_ round: Int, of whole: Duration) -> Duration {
    let part = (Double(round) * 0.618_033_988_75).truncatingRemainder(dividingBy: 1)
    return whole * (part * 1.3)
  }

  private func duration(_ words: [String], _ journey: Journey, _ more: [String: String]) async throws -> Duration {
    let start = ContinuousClock.now
    let run = try await ProcessRun.of(
      Journey.program, words, environment: journey.environment.merging(more) { $1 }, seconds: 120)
    #expect(run.status == 0, "\(run.errors)")
    return ContinuousClock.now - start
  }

  @Test func `every acknowledged edit arrives exactly once, wherever the program is killed`() async throws {
    let (journey, more) = try makeJourney()
    _ = try await duration(["sync", "field"], journey, more)
    var acknowledged: [String] = []
    var tried: [String] = []
    func edit(_ name: String) throws -> [String] {
      tried.append(name)
      try journey.directory.write(#"{"fname":"Crash","lname":"\#(name)","city":"Wien"}"#, to: "\(name).json")
      return ["--offline", "put", journey.directory.file("\(name).json"), "field:/data/Customers/"]
    }
    var putting = try await duration(edit("warm-up"), journey, more)
    acknowledged.append("warm-up")
    var syncing = try await duration(["sync", "field"], journey, more)
    var killed = 0
    for round in 0..<Self.rounds {
      // One edit that is whole waits for the synchronisation that is killed.
      _ = try await duration(edit("whole-\(round)"), journey, more)
      acknowledged.append("whole-\(round)")
      let start = ContinuousClock.now
      if try await run(edit("cut-\(round)"), journey, more, killedAfter: point(round, of: putting)) == 0 {
        acknowledged.append("cut-\(round)")
        putting = (putting + (ContinuousClock.now - start)) / 2
      } else {
        killed += 1
      }
      let begin = ContinuousClock.now
      if try await run(["sync", "field"], journey, more, killedAfter: point(round * 3 + 1, of: syncing)) == 0 {
        syncing = (syncing + (ContinuousClock.now - begin)) / 2
      } else {
        killed += 1
      }
    }
    _ = try await duration(["sync", "field"], journey, more)
    let listing = try await ProcessRun.of(
      Journey.program,
      ["ls", "field:/live/Customers", "--where", "fname=Crash", "--all", "--format", "json", "--columns", "lname"],
      environment: journey.environment.merging(more) { $1 })
    let names = try JSONDocument(listing.output).root["rows"].elements.compactMap { $0["lname"].string }
    #expect(Set(names).count == names.count, "some edit arrived twice: \(names)")
    #expect(Set(acknowledged).subtracting(names).isEmpty, "an acknowledged edit is missing")
    #expect(Set(names).subtracting(tried).isEmpty)
    let kept = try await ProcessRun.of(
      Journey.program, ["ls", "field:/data/Customers", "--where", "fname=Crash", "--all", "--columns", "lname"],
      environment: journey.environment.merging(more) { $1 })
    #expect(kept.text.split(separator: "\n").count == names.count)
    print("crash test: killed \(killed) times, \(acknowledged.count) of \(tried.count) edits acknowledged")
  }

  @Test func `a change of the PIN is whole or not there, wherever the program is killed`() async throws {
    let (journey, _) = try makeJourney()
    try vault(of: journey).changePIN(from: Secret(Self.pin), to: Secret(Self.pin))
    let open = vault(of: journey)
    try open.unlock(pin: Secret(Self.pin))
    try open.set(Secret("precious"), named: "bank/token")
    var (current, next) = (Self.pin, "battery staple 8")
    func change() throws -> [String] {
      try journey.directory.write(current + "\n", to: "old")
      try journey.directory.write(next + "\n", to: "new")
      return [
        "vault", "change-pin", "--pin-file", journey.directory.file("old"), "--new-pin-file",
        journey.directory.file("new"),
      ]
    }
    let whole = try await duration(change(), journey, [:])
    swap(&current, &next)
    for round in 0..<Self.rounds {
      let status = try await run(change(), journey, [:], killedAfter: point(round, of: whole))
      let after = vault(of: journey)
      if (try? after.unlock(pin: Secret(next))) != nil {
        swap(&current, &next)
      } else {
        #expect(status != 0, "an acknowledged change was lost")
        try after.unlock(pin: Secret(current))
      }
      #expect(try after.string(named: "bank/token") == Secret("precious"))
    }
  }
}
