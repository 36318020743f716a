import JSON
import Sandbox
import TestKit
import Testing

@Suite(.bounded) struct ListingJourneyTests {
  /// Column ids that every version keeps, by place.
  @Test(arguments: [
    ("bank:/banks", ["id", "short_name", "full_name"]),
    ("bank:/accounts", ["id", "bank", "label", "number", "iban", "type", "currency", "balance"]),
    ("docs:/files", ["id", "name", "kind", "mime", "size", "modified", "modifier"]),
    ("docs:/sites", ["id", "title", "visibility", "role"]),
    ("mobile:/storage", ["id", "description", "contentLength", "isolated"]),
    ("mfp:/resources", ["name", "path", "scope", "state"]),
    ("mfp:/checks", ["name", "state", "remaining", "expires"]),
  ]) func `a listing has the columns the contract keeps, in every form`(_ place: String, _ ids: [String]) async throws {
    let journey = try Journey()
    let document = try await journey.json("ls", place, "--format", "json")
    let columns = document["columns"].elements.compactMap { $0["id"].string }
    #expect(Set(ids).isSubset(of: columns), "\(columns)")
    #expect(document["location"].string == place)
    let rows = Array(document["rows"].elements)
    #expect(!rows.isEmpty)
    for row in rows {
      #expect(row["location"].string?.hasPrefix(place) == true || row["location"].string?.contains(":/") == true)
      for id in columns { #expect(row[id].exists, "\(id)") }
    }
    let csv = try await journey.run("ls", place, "--format", "csv")
    #expect(csv.text.hasPrefix(columns.joined(separator: ",") + "\r\n"))
    let lines = try await journey.run("ls", place)
    #expect(lines.text.split(separator: "\n").count == rows.count)
  }

  @Test func `every printed location is accepted back`() async throws {
    let journey = try Journey()
    for place in ["bank:/", "docs:/", "mobile:/", "mfp:/", "field:/"] {
      for row in try await journey.json("ls", place, "--format", "json")["rows"].elements {
        let location = try #require(row["location"].string)
        let run = try await journey.run("ls", location, "--limit", "3")
        if run.status == 0 { continue }
        // Synchronised data waits for a vault; the place is known all the same.
        if run.status == 3, location.hasPrefix("field:") { continue }
        #expect(try await journey.run("show", location).status == 0, "\(location): \(run.errors)")
      }
    }
  }

  @Test func `limit, next, all, sort and where count every transaction once`() async throws {
    let journey = try Journey()
    let account = try #require(
      try await journey.json("ls", "bank:/accounts", "--format", "json", "--limit", "1")["rows"][0]["location"].string)
    let place = account + "/transactions"
    let all = try await journey.json("ls", place, "--all", "--format", "json")
    let ids = all["rows"].elements.compactMap { $0["id"].string }
    #expect(ids.count == 130)
    #expect(Set(ids).count == 130)
    #expect(all["next"].isNull)

    var walked: [String] = []
    var words = ["ls", place, "--limit", "47", "--format", "json"]
    while true {
      let run = try await ProcessRun.of(Journey.program, words, environment: journey.environment)
      let page = try JSONDocument(run.output).root
      walked += page["rows"].elements.compactMap { $0["id"].string }
      guard let next = page["next"].string else { break }
      words = ["ls", place, "--limit", "47", "--format", "json", "--cursor", next]
    }
    #expect(walked == ids)

    let sorted = try await journey.json("ls", place, "--sort", "amount", "--limit", "5", "--format", "json")
    let amounts = sorted["rows"].elements.compactMap { $0["amount"].string.flatMap(Double.init) }
    let known = all["rows"].elements.compactMap { $0["amount"].string.flatMap(Double.init) }
    #expect(amounts == Array(known.sorted().prefix(5)))

    let descriptions = all["rows"].elements.compactMap { $0["description"].string }
    let word = try #require(descriptions.first?.split(separator: " ").first.map(String.init))
    let filtered = try await journey.json(
      "ls", place, "--all", "--where", "description=\(word.uppercased())", "--format", "json")
    let expected = descriptions.filter { $0.lowercased().contains(word.lowercased()) }
    #expect(filtered["rows"].count == expected.count)
  }

  @Test func `an item has its fields and actions, and its answer as it came`() async throws {
    let journey = try Journey()
    let account = try #require(
      try await journey.json("ls", "bank:/accounts", "--format", "json", "--limit", "1")["rows"][0]["location"].string)
    let shown = try await journey.json("show", account, "--format", "json")
    #expect(shown["location"].string == account)
    #expect(shown["fields"]["balance"].string != nil)
    #expect(shown["actions"].elements.contains { $0["id"].string == "pay" })
    let raw = try await journey.run("show", account, "--raw")
    #expect(try JSONDocument(raw.output).root.kind == .object)
  }

  @Test func `connections and status are arrays`() async throws {
    let journey = try Journey()
    let connections = try await journey.json("connections", "--format", "json")
    #expect(connections.elements.compactMap { $0["name"].string } == ["bank", "docs", "mobile", "mfp", "field"])
    let status = try await journey.json("status", "bank", "--format", "json")
    #expect(status[0]["connection"].string == "bank")
    #expect(status[0]["signedIn"].bool == true)
    #expect(status[0]["user"].string?.isEmpty == false)
  }

  @Test func `a raw call goes through with the connection's authorisation`() async throws {
    let journey = try Journey()
    let run = try await journey.run("call", "bank", "get", "/users/current", "--include")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text.hasPrefix("HTTP/1.1 200\r\n"))
    let missing = try await journey.run("call", "bank", "GET", "/nowhere")
    #expect(missing.status == 4)
    #expect(!missing.output.isEmpty)
    #expect(try await journey.run("call", "bank", "GET", "/nowhere", "--expect", "404").status == 0)
  }

  @Test func `a reader that goes away is no error`() async throws {
    let journey = try Journey()
    let run = try await ProcessRun.of(
      "/bin/sh", ["-c", "\(Journey.program) ls bank:/banks | true"], environment: journey.environment)
    #expect(run.errors == "")
  }
}
