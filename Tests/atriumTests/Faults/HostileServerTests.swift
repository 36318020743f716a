import Glibc
import JSON
import Model
import Sandbox
import Service
import Store
import Synchronization
import TestKit
import Testing

/// Servers of every kind whose texts are hostile, field by field: what reaches a cell, a line or a directory is harmless.
@Suite(.bounded) struct HostileServerTests {
  struct Place: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let isItem: Bool
    init(_ place: String, item: Bool = false) {
      testDescription = place
      isItem = item
    }
  }

  static let places = [
    Place("bank:/banks"), Place("bank:/accounts"), Place("bank:ACCOUNT", item: true),
    Place("bank:ACCOUNT/transactions"),
    Place("bank:ACCOUNT/counterparties"), Place("bank:/me", item: true), Place("bank:/banks/kiln.01.fi/branches"),
    Place("docs:/files"), Place("docs:/files/Shared"), Place("docs:/files/Shared", item: true), Place("docs:/sites"),
    Place("docs:/people"), Place("docs:/files/Shared/kept.txt", item: true),
    Place("docs:/files/Shared/kept.txt/@versions"), Place("mobile:/storage"), Place("mobile:/storage/Names"),
    Place("mobile:/storage/Empty", item: true),
    Place("mobile:/me", item: true), Place("mfp:/resources/My resource", item: true), Place("field:/live/Customers"),
    Place("field:/live/Customers/101", item: true), Place("field:/connection", item: true),
  ]

  @Test(arguments: places) func `every field may be hostile`(_ place: Place) async throws {
    var bench = try await Bench()
    let location = try Location(
      parsing: place.testDescription.replacing("bank:ACCOUNT", with: bench.account.text))
    let keys = Mutex(Set<String>())
    bench.proxy.arm(strikes: { _ in true }) { _, _, relay in
      let answer = relay()
      keys.withLock { $0.formUnion(HostileServer.textKeys(in: answer)) }
      return [.send(answer)]
    }
    let first = await texts(of: location, place, bench)
    #expect(first.error == nil && !first.texts.isEmpty, "\(first.error?.line ?? "")")
    let found = keys.withLock { $0 }
    #expect(!found.isEmpty)
    var seen = 0
    for key in found.sorted() {
      bench.proxy.arm(strikes: { _ in true }) { _, _, relay in
        [.send(HostileServer.spoiled(relay(), adding: HostileText.everything, to: [key]))]
      }
      let (texts, error) = await texts(of: location, place, bench)
      if texts.contains(where: { $0.contains("\u{1B}") }) { seen += 1 }
      for text in texts { expectHarmless(text, "\(place.testDescription), \(key)") }
      if let error {
        expectHarmless(error.line, "\(place.testDescription), \(key)")
        #expect(error.line.count < 8_000)
        // What a back end has learned from the lie, such as the name of a view, is not the next field's fault.
        bench = try await Bench()
      }
    }
    #expect(seen > 0, "no hostile text came through, so nothing was tested")
  }

  static let absurd: [JSONNode] = [
    .number("9223372036854775807"), .number("-9223372036854775808"), .number("1e999"), .number("-1e308"),
    .string("9223372036854775807"), .string("-9223372036854775808"), .string("/Date(-9223372036854775808)/"),
    .string("9999-12-31T23:59:60.999999999+23:59"), .string("0000-01-01T00:00:00Z"), .string(""), .null, .array([]),
    .object([]), .bool(true),
  ]

  /// A trap here ends the whole run: nothing a server can write may be one.
  @Test(arguments: places) func `every value may be absurd`(_ place: Place) async throws {
    var bench = try await Bench()
    let location = try Location(
      parsing: place.testDescription.replacing("bank:ACCOUNT", with: bench.account.text))
    let keys = Mutex(Set<String>())
    bench.proxy.arm(strikes: { _ in true }) { _, _, relay in
      let answer = relay()
      keys.withLock { $0.formUnion(HostileServer.valueKeys(in: answer)) }
      return [.send(answer)]
    }
    _ = await texts(of: location, place, bench)
    for (number, key) in keys.withLock({ $0 }).sorted().enumerated() {
      // A few of them for each key, unless all are wanted.
      let step = getenv("ATRIUM_CRASH_ROUNDS") == nil ? 5 : 1
      for value in stride(from: number % step, to: Self.absurd.count, by: step).map({ Self.absurd[$0] }) {
        bench.proxy.arm(strikes: { _ in true }) { _, _, relay in
          [.send(HostileServer.replaced(relay(), key, with: value))]
        }
        let (texts, error) = await texts(of: location, place, bench)
        #expect(error == nil || texts.isEmpty)
        if let error { #expect(!error.reason.isEmpty && error.code != .cancelled, "\(key): \(error.line)") }
      }
      bench = try await Bench()
    }
  }

  /// Everything of a place that somebody may see.
  private func texts(
    of location: Location, _ place: Place, _ bench: Bench
  ) async -> (texts: [String], error: ServiceError?) {
    do throws(ServiceError) {
      guard place.isItem else {
        let listing = try await bench.service.list(location)
        let cells = listing.rows.flatMap { $0.values.map(\.exactText) + [$0.location.text] }
        return ([listing.title] + listing.notices + listing.columns.map(\.title) + cells, nil)
      }
      let item = try await bench.service.item(location)
      let fields = item.sections.flatMap { [$0.title] + $0.fields.flatMap { [$0.title, $0.value.exactText] } }
      let more = item.related.map(\.title) + item.actions.flatMap { [$0.title, $0.disabled ?? "", $0.warning ?? ""] }
      return ([item.title] + item.notices + fields + more, nil)
    } catch {
      return ([], error)
    }
  }

  private func expectHarmless(_ text: String, _ comment: String) {
    var buffer = CellBuffer(size: Size(columns: 80, rows: 2))
    buffer.put(text, column: 3, row: 0, columns: 70)
    #expect(HostileCells.faults(in: buffer).isEmpty, "\(comment)")
    #expect(!Visible.printed(text).unicodeScalars.contains(where: Visible.isActedOn), "\(comment)")
    #expect(!Visible.escaped(text).unicodeScalars.contains(where: Visible.isActedOn), "\(comment)")
  }

  @Test(arguments: HostileText.fileNames) func `a file name never leads out of the directory`(_ name: String) {
    let safe = FileName.safe(name)
    #expect(!safe.isEmpty && safe != "." && safe != ".." && safe.utf8.count <= 255, "\(safe.debugDescription)")
    #expect(!safe.contains { "/\\\0".contains($0) } && !safe.hasPrefix(".") && !safe.hasPrefix("-"))
    #expect(!safe.unicodeScalars.contains(where: Visible.isActedOn))
    #expect(FilePath.directory(of: FilePath.joined("/tmp/chosen", safe)) == "/tmp/chosen")
  }

  @Test(arguments: ["docs:/files/Shared/kept.txt", "mobile:/storage/Empty/kept.txt"])
  func `a download under a hostile name stays where it belongs`(_ place: String) async throws {
    let ground = try await Ground.shared.value
    for name in ["/../../escaped", "/etc/cron.d/x", "\u{1B}[2J\u{202E}x", "\\..\\..\\escaped"] {
      let proxy = try FaultProxy(to: ground.sandbox.port)
      defer { proxy.stop() }
      proxy.arm(strikes: { _ in true }) { _, _, relay in
        [.send(HostileServer.spoiled(relay(), adding: name, to: ["name"]))]
      }
      let outer = try TemporaryDirectory()
      let inner = outer.file("a/b")
      try #require(mkdir(outer.file("a"), 0o700) == 0 && mkdir(inner, 0o700) == 0)
      try outer.write(
        ground.sandbox.configuration.replacing(ground.sandbox.origin, with: proxy.origin), to: "config.yaml")
      let run = try await ProcessRun.of(
        "/bin/sh", ["-c", "cd \"$1\" && exec \"$0\" get \"$2\"", Journey.program, inner, place],
        environment: ["HOME": outer.path, "PATH": "/usr/bin:/bin", "ATRIUM_CONFIG": outer.file("config.yaml")])
      #expect(run.status == 0, "\(name.debugDescription): \(run.errors)")
      #expect(outer.names.filter { !$0.hasPrefix(".") } == ["a", "config.yaml"])
      let files = Files.names(in: inner)
      #expect(files.count == 1 && Files.names(in: outer.file("a")) == ["b"], "\(files)")
    }
  }

  /// The real browser on servers that say nothing harmless, looked at from outside.
  @Test(arguments: ["bank:/banks", "docs:/files/Shared", "mobile:/storage", "field:/live/Customers"])
  func `the screen stays whole on a hostile server`(_ place: String) async throws {
    let ground = try await Ground.shared.value
    let proxy = try FaultProxy(to: ground.sandbox.port)
    defer { proxy.stop() }
    let evil = "\u{1B}[2J\u{1B}[H\u{1B}]0;owned\u{7}\u{9B}5;5H\u{1B}[?1049l\u{202E}z\u{300}\u{301}\u{302}\u{303}👩‍🚀"
    proxy.arm(strikes: { $0.method == "GET" }) { _, _, relay in
      [
        .send(
          HostileServer.spoiled(
            relay(), adding: evil, to: ["full_name", "short_name", "name", "description", "fname", "lname", "city"]))
      ]
    }
    let directory = try TemporaryDirectory()
    try directory.write(
      ground.sandbox.configuration.replacing(ground.sandbox.origin, with: proxy.origin), to: "config.yaml")
    let program = try TerminalProcess(
      Journey.program, [],
      environment: [
        "HOME": directory.path, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TERM": "xterm-256color",
        "ATRIUM_CONFIG": directory.file("config.yaml"),
      ], directory: directory, size: Size(columns: 96, rows: 24))
    defer { program.stop() }
    try await program.shows("a door")
    program.type(":\u{15}\(place)\r")
    let screen = try await program.shows("␛[2J")
    #expect(screen.isAlternate)
    #expect(screen.lines[0].contains(place.prefix { $0 != ":" }), "\(screen.text)")
    #expect(screen.lines[23].contains("a actions"), "\(screen.text)")
    #expect(screen.text.contains("␛]0;owned␇"), "\(screen.text)")
    program.type("jjkG\r")
    _ = try await program.screen("a screen with its header") { $0.lines[0].contains(place.prefix { $0 != ":" }) }
    program.type(":quit\r")
    #expect(try await program.end() == 0)
    #expect(program.isAsFound && !program.screen.isAlternate)
  }
}
