import Glibc
import JSON
import Sandbox
import TestKit
import Testing

@Suite(.bounded) struct TransferJourneyTests {
  private struct NoFile: Error {}

  /// The first file below a folder that has bytes.
  private func file(_ journey: Journey, below folder: String = "docs:/files") async throws -> (
    location: String, size: Int
  ) {
    var folders = [folder]
    while !folders.isEmpty {
      let folder = folders.removeFirst()
      for row in try await journey.json("ls", folder, "--format", "json", "--limit", "30")["rows"].elements {
        guard let location = row["location"].string else { continue }
        if row["kind"].string == "folder" { folders.append(location) }
        if let size = row["size"].int, size > 200 { return (location, size) }
      }
    }
    throw NoFile()
  }

  @Test func `a download is whole, and to standard output the same bytes`() async throws {
    let journey = try Journey()
    let (location, size) = try await file(journey)
    let path = journey.directory.file("content")
    let run = try await journey.run("get", location, "-o", path)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors == "")
    #expect(!journey.directory.exists("content.part"))
    let piped = try await journey.run("get", location, "-o", "-")
    #expect(piped.output.count == size)
    var status = stat()
    #expect(stat(path, &status) == 0 && Int(status.st_size) == size)
  }

  @Test func `a download into a link or a device leaves link and device`() async throws {
    let journey = try Journey()
    let (location, size) = try await file(journey)
    let link = journey.directory.file("link")
    symlink("target", link)
    #expect(try await journey.run("get", location, "-o", link).status == 0)
    #expect(journey.directory.text("target")?.utf8.isEmpty == false)
    var status = stat()
    #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(stat(link, &status) == 0 && Int(status.st_size) == size)
    let full = try await journey.run("get", location, "-o", "/dev/full")
    #expect(full.status == 1 && full.errors.lowercased().contains("no space"), "\(full.errors)")
    #expect(stat("/dev/full", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
  }

  @Test func `an action that takes a file uploads it`() async throws {
    let journey = try Journey()
    try journey.directory.write("{\"a\":1}", to: "o.json")
    let file = "file=" + journey.directory.file("o.json")
    let run = try await journey.run("do", "mobile:/storage/Empty", "upload", file, "--format", "json")
    #expect(run.status == 0, "\(run.errors)")
    let location = try #require(try JSONDocument(run.output).root["location"].string)
    try journey.directory.write("{\"b\":2}", to: "o.json")
    #expect(try await journey.run("do", location, "replace", file).status == 0)
    #expect(try await journey.run("get", location, "-o", "-").text == "{\"b\":2}")
  }

  @Test(arguments: [
    ("bank", "/banks/nosuch", "OBP-30001"),
    ("docs", "/api/-default-/public/alfresco/versions/1/nodes/nosuch", "EntityNotFound"),
  ]) func `a raw call carries the server's own code`(_ connection: String, _ path: String, _ code: String) async throws
  {
    let journey = try Journey()
    let run = try await journey.run("call", connection, "GET", path)
    #expect(run.status == 4, "\(run.errors)")
    #expect(run.errors.contains("[\(code)]"), "\(run.errors)")
    #expect(run.text.contains(code))
  }

  @Test func `a download that breaks off keeps its part, and the file is not there`() async throws {
    let journey = try Journey()
    let (location, _) = try await file(journey)
    journey.sandbox.hall.faults.order(FaultPlan.Fault(.cut, target: "docs"))
    let path = journey.directory.file("content")
    let run = try await journey.run("get", location, "-o", path)
    #expect(run.status == 5, "\(run.errors)")
    #expect(!journey.directory.exists("content"))
    journey.sandbox.hall.faults.reset()
    #expect(try await journey.run("get", location, "-o", path).status == 0)
    #expect(journey.directory.exists("content"))
    #expect(!journey.directory.exists("content.part"))
  }

  @Test func `what is put can be got, replaced and removed`() async throws {
    let journey = try Journey()
    try journey.directory.write("hello", to: "note.txt")
    let put = try await journey.run("put", journey.directory.file("note.txt"), "docs:/files/Shared/")
    #expect(put.status == 0, "\(put.errors)")
    let location = put.text.split(separator: "\n").first.map(String.init) ?? ""
    #expect(location.hasPrefix("docs:/"))
    #expect(try await journey.run("get", location, "-o", "-").text == "hello")
    let again = try await journey.run("put", "-", location, input: "changed")
    #expect(again.status == 0, "\(again.errors)")
    #expect(try await journey.run("get", location, "-o", "-").text == "changed")
    #expect(try await journey.run("rm", location, "--yes").status == 0)
    #expect(try await journey.run("show", location).status == 4)
  }

  @Test func `a stored object is put with its type, and a stale tag is a conflict`() async throws {
    let journey = try Journey()
    let collections = try await journey.json("ls", "mobile:/storage", "--format", "json")["rows"]
    let collection = try #require(collections.elements.first { $0["isolated"].bool != true }?["location"].string)
    let put = try await journey.run("put", "-", collection + "/", "--type", "application/json", input: "{\"a\":1}")
    #expect(put.status == 0, "\(put.errors)")
    let location = put.text.split(separator: "\n").first.map(String.init) ?? ""
    #expect(try await journey.run("get", location, "-o", "-").text == "{\"a\":1}")
    let stale = try await journey.run("put", "-", location, "--if-match", "\"no-such-tag\"", input: "{}")
    #expect(stale.status == 6, "\(stale.errors)")
  }
}
