import JSON
import Sandbox
import TestKit
import Testing

@Suite(.bounded) struct ErrorJourneyTests {
  struct Mistake: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let words: [String]
    let status: Int32
    let says: String
    init(_ description: String, _ words: [String], ends status: Int32, says: String) {
      testDescription = description
      self.words = words
      self.status = status
      self.says = says
    }
  }

  @Test(arguments: [
    Mistake("an unknown command", ["lss"], ends: 2, says: "did you mean ls?"),
    Mistake("an unknown option", ["ls", "bank:/", "--al"], ends: 2, says: "did you mean --all?"),
    Mistake("no argument", ["show"], ends: 2, says: "show needs more"),
    Mistake("no location", ["ls", "/banks"], ends: 2, says: "CONNECTION:/path"),
    Mistake("an unknown connection", ["ls", "bnak:/banks"], ends: 4, says: "Did you mean bank?"),
    Mistake("an unknown column", ["ls", "bank:/banks", "--columns", "idd"], ends: 2, says: "Columns here: id"),
    Mistake("an unknown path", ["ls", "bank:/nowhere"], ends: 4, says: "no such thing"),
    Mistake("a missing configuration", ["ls", "bank:/", "--config", "/nonexistent.yaml"], ends: 2, says: "--config"),
    Mistake("deleting without anybody to ask", ["rm", "docs:/files/a"], ends: 2, says: "--yes"),
    Mistake("synchronising without a vault", ["sync", "field"], ends: 3, says: "no vault"),
    Mistake("a theme that is not there", ["ls", "bank:/banks", "--theme", "nonsuch"], ends: 2, says: "Themes: "),
    Mistake("a directory as configuration", ["ls", "bank:/", "--config", "/tmp"], ends: 2, says: "Name the file"),
    Mistake("no such action", ["do", "docs:/files", "nosuch"], ends: 2, says: "no action “nosuch”"),
    Mistake("an unknown setting", ["connections", "edit", "bank", "--set", "redOnly=1"], ends: 2, says: "readOnly"),
    Mistake("no such profile", ["connections", "add", "n", "--plist", "/nonexistent"], ends: 4, says: "no such file"),
    Mistake("a profile that is none", ["connections", "add", "n", "--plist", "/etc/passwd"], ends: 2, says: "passwd"),
    Mistake("a list of what holds nothing", ["ls", "mobile:/me"], ends: 2, says: "atrium show"),
    Mistake("the same of another kind", ["ls", "field:/connection"], ends: 2, says: "atrium show"),
    Mistake("a search where there is none", ["search", "mobile", "x"], ends: 1, says: "no content search"),
  ]) func `a mistake is one clear line with its exit status`(_ mistake: Mistake) async throws {
    let journey = try Journey()
    let run = try await ProcessRun.of(Journey.program, mistake.words, environment: journey.environment)
    #expect(run.status == mistake.status)
    #expect(run.errors.hasPrefix("atrium: "))
    #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
    #expect(run.errors.contains(mistake.says), "\(run.errors)")
    #expect(run.errors.hasSuffix(")\n"))
    #expect(run.output.isEmpty)
  }

  @Test func `a broken line of the configuration is named`() async throws {
    let journey = try Journey { $0 + "  - name: [\n" }
    let run = try await journey.run("ls", "bank:/banks")
    #expect(run.status == 2)
    #expect(run.errors.contains("config.yaml:"))
    #expect(run.errors.split(separator: "\n").count == 1)
  }

  @Test func `an unknown key is a warning, and the command works`() async throws {
    let journey = try Journey { $0.replacing("    kind: openbank\n", with: "    kind: openbank\n    colour: red\n") }
    let run = try await journey.run("ls", "bank:/banks")
    #expect(run.status == 0)
    #expect(run.errors.contains("unknown key “colour”; did you mean “color”?"))
    #expect(try await journey.run("ls", "bank:/banks", "--log-level", "none").errors == "")
  }

  @Test(arguments: ["bank:/banks", "docs:/files"]) func `a server that is not there ends with 5`(_ place: String)
    async throws
  {
    let journey = try Journey()
    journey.sandbox.stop()
    let run = try await journey.run("ls", place, "--format", "json")
    #expect(run.status == 5)
    #expect(run.errors.contains("could not be reached"), "\(run.errors)")
    let error = try JSONDocument(run.output).root["error"]
    #expect(error["kind"].string == "unreachable")
    #expect(error["message"].string?.isEmpty == false)
  }

  @Test(arguments: [
    ("bank", "bank:/banks"), ("docs", "docs:/files"), ("mobile", "mobile:/storage"), ("field", "field:/live/Customers"),
  ]) func `a server that breaks in its own ways ends with 5 and one line`(_ door: String, _ place: String) async throws
  {
    for kind in [FaultPlan.Kind.status(500), .truncated, .cut] {
      let journey = try Journey()
      journey.sandbox.hall.faults.order(FaultPlan.Fault(kind, target: door))
      let run = try await journey.run("ls", place)
      #expect(run.status == 5, "\(kind): \(run.errors)")
      #expect(run.errors.split(separator: "\n").count == 1, "\(kind): \(run.errors)")
      #expect(!run.errors.contains("<html"), "\(kind): \(run.errors)")
    }
  }

  @Test(arguments: [
    ("/obp", ["ls", "bank:/banks"]), ("/alfresco/api", ["ls", "docs:/sites"]),
    ("/mobile/platform/storage", ["ls", "mobile:/storage"]), ("/getBalance", ["show", "mfp:/resources/Balance"]),
    ("/SUP101", ["ls", "field:/live/Customers"]), ("/obp", ["call", "bank", "GET", "/banks"]),
  ]) func `a busy server is waited for as it asks, and a long wait is told`(_ path: String, _ words: [String])
    async throws
  {
    let journey = try Journey()
    journey.sandbox.hall.faults.order(FaultPlan.Fault(.busy(retryAfter: 1), target: path, times: 1))
    let start = ContinuousClock.now
    let run = try await ProcessRun.of(Journey.program, words, environment: journey.environment)
    #expect(run.status == 0, "\(run.errors)")
    #expect(start.duration(to: .now) >= .seconds(1))
    journey.sandbox.hall.faults.order(FaultPlan.Fault(.busy(retryAfter: 600), target: path))
    let impatient = try await ProcessRun.of(Journey.program, words, environment: journey.environment)
    #expect(impatient.status == 5, "\(impatient.errors)")
    #expect(impatient.errors.contains("600 s"), "\(impatient.errors)")
  }

  @Test(arguments: [("bank", "bank:/accounts"), ("docs", "docs:/files"), ("mobile", "mobile:/storage")])
  func `a wrong password ends with 3`(_ name: String, _ place: String) async throws {
    let journey = try Journey { text in
      text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
        line.contains("password:") && !line.contains("{") ? line.prefix { $0 != ":" } + ": wrong-password" : line
      }.joined(separator: "\n")
    }
    let run = try await journey.run("ls", place)
    #expect(run.status == 3, "\(run.errors)")
    #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
    #expect(!run.errors.contains("wrong-password"))
  }
}
