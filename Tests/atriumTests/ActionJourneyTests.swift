import Glibc
import JSON
import Sandbox
import TestKit
import Testing

@Suite(.bounded) struct ActionJourneyTests {
  private func account(_ journey: Journey) async throws -> String {
    try #require(
      try await journey.json("ls", "bank:/accounts", "--format", "json", "--limit", "1")["rows"][0]["location"].string)
  }

  @Test func `an action is done with its fields, and shown afterwards`() async throws {
    let journey = try Journey()
    let account = try await account(journey)
    let done = try await journey.run("do", account, "rename", "label=Kitchen money", "--format", "json")
    #expect(done.status == 0, "\(done.errors)")
    #expect(try JSONDocument(done.output).root["message"].string?.contains("Kitchen money") == true)
    #expect(try await journey.json("show", account, "--format", "json")["fields"]["label"].string == "Kitchen money")
    #expect(try await journey.run("do", account).text.contains("rename"))
  }

  @Test func `what is misspelt is named with what there is`() async throws {
    let journey = try Journey()
    let account = try await account(journey)
    let action = try await journey.run("do", account, "renam", "label=x")
    #expect(action.status == 2)
    #expect(action.errors.contains("Did you mean rename?"), "\(action.errors)")
    let field = try await journey.run("do", account, "rename", "lable=x")
    #expect(field.status == 2)
    #expect(field.errors.contains("Fields: label"), "\(field.errors)")
  }

  @Test func `a read-only connection changes nothing`() async throws {
    let journey = try Journey { $0.replacing("    kind: openbank\n", with: "    kind: openbank\n    readOnly: true\n") }
    let account = try await account(journey)
    let run = try await journey.run("do", account, "rename", "label=x", "--format", "json")
    #expect(run.status == 1)
    #expect(run.errors.contains("read-only"), "\(run.errors)")
    let call = try await journey.run("call", "bank", "POST", "/banks", "--data", "{}")
    #expect(call.status == 1)
    #expect(call.errors.contains("read-only"), "\(call.errors)")
    #expect(!journey.sandbox.hall.journal.entries.contains { $0.method == "POST" && $0.path.hasPrefix("/obp") })
  }

  @Test func `a search finds, with facets and plain snippets`() async throws {
    let journey = try Journey()
    let found = try await journey.json("search", "docs", "report", "--format", "json", "--limit", "5")
    #expect(found["rows"].count > 0)
    #expect(found["facets"].kind == .array)
    #expect(found["suggestions"].kind == .array)
    for row in found["rows"].elements { #expect(row["snippet"].string?.contains("<em>") != true) }
  }

  @Test func `a download that was interrupted goes on where it was`() async throws {
    let journey = try Journey()
    // The first answer stops in its middle until the client goes: no machine is faster than that.
    let proxy = try FaultProxy(to: journey.sandbox.port)
    defer { proxy.stop() }
    try journey.directory.write(
      journey.sandbox.configuration.replacing(journey.sandbox.origin, with: proxy.origin), to: "config.yaml")
    proxy.arm(strikes: { $0.target.hasSuffix("/ledger.bin") }) { _, _, relay in
      [.send(Array(relay().prefix(2 << 20))), .silence]
    }
    let place = "mobile:/storage/Archive/ledger.bin"
    let path = journey.directory.file("ledger.bin")
    let running = try journey.start("get", place, "-o", path)
    running.write("")
    while size(path + ".part") < 1 << 20 { try await Task.sleep(for: .milliseconds(2)) }
    running.signal(SIGINT)
    let first = await running.end()
    proxy.disarm()
    #expect(first.status == 130)
    #expect(first.errors.contains("ledger.bin.part is kept"), "\(first.errors)")
    #expect(size(path) == 0)
    let second = try await journey.run("get", place, "-o", path)
    #expect(second.status == 0, "\(second.errors)")
    #expect(size(path) == 5 << 20)
    #expect(journey.sandbox.hall.journal.entries.contains { $0.status == 206 })
  }

  private func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}
