import Model
import Store
import TestKit
import Testing
import Wire

/// The example of docs/write-a-backend.md: it compiles, keeps the contract, and stands in the guide as it is here.
@Suite(.bounded) struct NotesBackendTests {
  private static let note = #"{"id": 1, "title": "Milk", "body": "Two of them.", "changed": "2026-03-02T09:30:00Z"}"#

  private func backend() throws -> NotesBackend {
    let transport = StubTransport()
      .on("GET", "/notes", body: "[\(Self.note)]").on("GET", "/notes/1", body: Self.note)
      .on("DELETE", "/notes/1", status: 204).on("GET", "/notes/2", status: 404, body: "{}")
    let url = (key: "url", entry: Settings.Entry.text("http://127.0.0.1:1", Settings.Origin()))
    return try NotesBackend(
      connection: Connection(name: "notes", kind: .omce, settings: Settings([url])), transport: transport,
      surroundings: .stub())
  }

  @Test func `it keeps what every back end promises`() async throws {
    let report = await BackendContract(try backend(), connection: "notes").walk()
    #expect(report.violations == [])
    #expect(report.listings == 1)
    #expect(report.items == 1)
    #expect(report.downloads >= 1)
  }

  @Test func `it reads, downloads and deletes`() async throws {
    let backend = try backend()
    let note = Location(connection: "notes", path: ["1"])
    #expect(try await backend.item(note).title == "Milk")
    let sink = MemorySink()
    #expect(try await backend.download(note, DownloadRequest(), to: sink) { _, _ in }.name == "1.txt")
    #expect(sink.text == "Two of them.")
    #expect(try await backend.delete(note).message == "Deleted note 1.")
  }

  @Test func `what is not there is said so`() async throws {
    let backend = try backend()
    let error = await #expect(throws: ServiceError.self) {
      try await backend.item(Location(connection: "notes", path: ["2"]))
    }
    #expect(error?.code == .notFound)
  }

  @Test func `the guide shows exactly this code`() throws {
    let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let code = try #require(text(of: root + "/Tests/atriumTests/NotesBackend.swift"))
    let guide = try #require(text(of: root + "/docs/write-a-backend.md"))
    #expect(guide.contains("```swift\n\(code)```"), "copy NotesBackend.swift into the guide")
  }

  private func text(of path: String) -> String? {
    (try? Files.read(path)).map { String(decoding: $0, as: UTF8.self) }
  }
}
