import Glibc
import JSON
import Sandbox
import TestKit
import Testing

@Suite(.bounded) struct SecretsJourneyTests {
  /// Everything in the sandbox's configuration that stands under a secret's name.
  private func secrets(_ configuration: String) -> [String] {
    let names = ["password", "consumerSecret", "clientSecret", "pin"]
    return configuration.split(separator: "\n").flatMap { line in
      names.compactMap { name -> String? in
        guard let start = line.firstRange(of: "\(name): ")?.upperBound else { return nil }
        return line[start...].split { ",} \"".contains($0) }.first.map(String.init)
      }
    }
  }

  @Test(arguments: [
    ["ls", "bank:/accounts"], ["ls", "docs:/files"], ["ls", "mobile:/storage"],
    ["show", "mfp:/resources/My resource"], ["ls", "field:/live/Customers"], ["login", "bank"],
  ]) func `no secret of the configuration is in the trace or in any output`(_ words: [String]) async throws {
    let journey = try Journey()
    let trace = journey.directory.file("trace.har")
    let run = try await ProcessRun.of(
      Journey.program, words + ["--trace", trace, "--log-level", "debug"], environment: journey.environment)
    #expect(run.status == 0, "\(run.errors)")
    let text = try #require(journey.directory.text("trace.har"))
    let log = try JSONDocument(Array(text.utf8)).root["log"]
    #expect(log["version"].string == "1.2")
    #expect(log["entries"].count > 0)
    let secrets = secrets(journey.sandbox.configuration)
    #expect(secrets.count >= 4, "\(secrets)")
    for secret in secrets {
      #expect(!text.contains(secret), "\(secret)")
      #expect(!run.errors.contains(secret), "\(secret)")
      #expect(!run.text.contains(secret), "\(secret)")
    }
    var status = stat()
    #expect(stat(trace, &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test func `a password given on standard input signs in and is shown nowhere`() async throws {
    let journey = try Journey { text in
      text.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("      password:") }
        .joined(separator: "\n")
    }
    let password = try #require(secretOfBank(journey.sandbox.configuration))
    let run = try await journey.run(
      "login", "bank", "--user", "susan", "--password-stdin", input: password + "\nrest\n")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.contains("Signed in to bank as susan."))
    #expect(run.errors.contains("there is no vault"))
    #expect(!run.errors.contains(password))
    let unattended = try await journey.run("login", "bank")
    #expect(unattended.status == 3)
  }

  private func secretOfBank(_ configuration: String) -> String? {
    configuration.split(separator: "\n").first { $0.hasPrefix("      password: ") }
      .map { $0.dropFirst(16).filter { $0 != "\"" } }
  }
}
