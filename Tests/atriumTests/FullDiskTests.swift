import Glibc
import Model
import Sandbox
import Store
import TestKit
import Testing

/// A disk that takes no more, and directories that take nothing: a clear line, and what was there is still there.
@Suite(.bounded) struct FullDiskTests {
  /// Whether this user may mount a file system of its own, in a name space of its own.
  private static let mayMount = system("/usr/bin/unshare -rm /bin/mount -t tmpfs none /tmp >/dev/null 2>&1") == 0

  /// Runs the program where no file can grow beyond so many bytes: what a full disk is to a writer, without one.
  private func run(_ words: [String], _ journey: Journey, mostBytes: Int, input: String = "") async throws -> ProcessRun
  {
    try await ProcessRun.of(
      "/usr/bin/prlimit", ["--fsize=\(mostBytes)", Journey.program] + words, environment: environment(journey),
      input: input, seconds: 60)
  }

  /// With the PIN at hand, where a test has written one.
  private func environment(_ journey: Journey) -> [String: String] {
    let pin = journey.directory.exists("pin") ? ["ATRIUM_PIN_FILE": journey.directory.file("pin")] : [:]
    return journey.environment.merging(pin) { $1 }
  }

  private func expectClear(_ run: ProcessRun, _ reasons: [String] = ["no space", "too large"]) {
    #expect(run.status == 1, "\(run.status) \(run.errors)")
    #expect(run.errors.hasPrefix("atrium: ") && run.errors.split(separator: "\n").count == 1, "\(run.errors)")
    #expect(reasons.contains { run.errors.lowercased().contains($0) }, "\(run.errors)")
  }

  @Test func `a download that the disk cannot take says so, and goes on later`() async throws {
    let journey = try Journey()
    let path = journey.directory.file("ledger.bin")
    let words = ["get", "mobile:/storage/Archive/ledger.bin", "-o", path]
    expectClear(try await run(words, journey, mostBytes: 1 << 20))
    #expect(!journey.directory.exists("ledger.bin"))
    let later = try await ProcessRun.of(Journey.program, words, environment: journey.environment)
    #expect(later.status == 0, "\(later.errors)")
    #expect(try Files.read(path, maxBytes: 64 << 20).count == 5 << 20)
  }

  @Test func `an edit that the disk cannot take leaves the configuration alone`() async throws {
    let journey = try Journey()
    let before = try #require(journey.directory.text("config.yaml"))
    let run = try await run(["connections", "edit", "bank", "--set", "readOnly=true"], journey, mostBytes: 100)
    #expect(run.status != 0 && run.errors.split(separator: "\n").count == 1, "\(run.errors)")
    #expect(journey.directory.text("config.yaml") == before)
    #expect(journey.directory.names.filter { $0.contains("config") } == ["config.yaml"])
  }

  @Test func `a vault that the disk cannot take is not half a vault`() async throws {
    let journey = try Journey(SandboxOptions(documents: 1))
    try journey.directory.write("correct horse 7\n", to: "pin")
    let words = ["vault", "create", "--pin-file", journey.directory.file("pin")]
    let run = try await run(words, journey, mostBytes: 60)
    #expect(run.status != 0 && run.errors.split(separator: "\n").count == 1, "\(run.errors)")
    let status = try await journey.run("vault", "status", "--format", "json")
    #expect(status.text.contains("\"exists\":false"), "\(status.text)")
  }

  @Test func `a synchronisation that the disk cannot take says so, and goes on later`() async throws {
    let journey = try Journey(SandboxOptions(documents: 1)) {
      $0.replacing("    app: SUP101\n", with: "    app: SUP101\n    sets: [Customers]\n")
    }
    try journey.directory.write("correct horse 7\n", to: "pin")
    try Vault(name: "default", directory: journey.directory.file(".local/share/atrium"), clock: StubClock())
      .create(pin: Secret("correct horse 7"), cost: VaultCost(logN: 4))
    let words = ["sync", "field"]
    let full = try await run(words, journey, mostBytes: 48 << 10)
    #expect(full.status != 0, "\(full.text)")
    #expect(full.errors.hasPrefix("atrium: ") && full.errors.split(separator: "\n").count == 1, "\(full.errors)")
    let later = try await ProcessRun.of(Journey.program, words, environment: environment(journey), seconds: 60)
    #expect(later.status == 0, "\(later.errors)")
    let rows = try await ProcessRun.of(
      Journey.program,
      ["ls", "field:/data/Customers", "--all", "--columns", "id"], environment: environment(journey))
    #expect(rows.text.split(separator: "\n").count > 100, "\(rows.errors)")
  }

  @Test func `a trace that the disk cannot take does not stop the command`() async throws {
    let journey = try Journey()
    let words = ["ls", "bank:/banks", "--trace", journey.directory.file("t.har")]
    let run = try await run(words, journey, mostBytes: 200)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.contains("the trace could not be written"), "\(run.errors)")
  }

  /// `/sys` takes no file from anybody, root included.
  @Test(arguments: [
    ["get", "mobile:/storage/Archive/ledger.bin", "-o", "/sys/ledger.bin"],
    ["ls", "bank:/banks", "--trace", "/sys/trace.har"],
    [
      "connections", "add", "x", "--kind", "unwired", "--url", "https://x.example", "--config",
      "/sys/atrium/config.yaml",
    ],
  ]) func `a directory that takes nothing is named`(_ words: [String]) async throws {
    let journey = try Journey()
    let run = try await ProcessRun.of(Journey.program, words, environment: journey.environment)
    #expect([1, 2].contains(run.status), "\(run.status) \(run.errors)")
    #expect(run.errors.split(separator: "\n").count == 1 && run.errors.contains("/sys"), "\(run.errors)")
  }

  @Test(arguments: ["XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"])
  func `a home that takes nothing does not stop what needs none`(_ variable: String) async throws {
    let journey = try Journey()
    let run = try await journey.run("ls", "bank:/banks", environment: [variable: "/sys/nowhere"])
    #expect(run.status == 0, "\(run.errors)")
  }

  @Test(.enabled(if: mayMount, "this user may mount nothing")) func `a small disk that is full is a clear error`()
    async throws
  {
    let journey = try Journey()
    let script = """
      mkdir -p "$HOME/disk" && mount -t tmpfs -o size=1m none "$HOME/disk" || exit 99
      "$0" get mobile:/storage/Archive/ledger.bin -o "$HOME/disk/ledger.bin"; status=$?
      ls "$HOME/disk"; exit $status
      """
    let run = try await ProcessRun.of(
      "/usr/bin/unshare", ["-rm", "/bin/sh", "-c", script, Journey.program], environment: journey.environment)
    expectClear(run)
    #expect(!run.text.split(separator: "\n").contains("ledger.bin"), "\(run.text)")
  }
}
