import Glibc
import Sandbox
import TestKit
import Testing

@Suite(.bounded) struct SignInJourneyTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let words: [String]
    let input: String
    let status: Int32
    let says: String
    init(_ description: String, _ words: String..., input: String = "", ends status: Int32, says: String) {
      testDescription = description
      self.words = ["login"] + words
      self.input = input
      self.status = status
      self.says = says
    }
  }

  @Test(arguments: [
    Case("a token that is none", "mobile", "--token-stdin", input: "junk\n", ends: 3, says: "invalid_grant"),
    Case("a code for a method without one", "bank", "--device", ends: 2, says: "auth.method device"),
    Case("a verifier for a method without one", "docs", "--oob", ends: 2, says: "auth.method oauth1"),
    Case("a check that is not there", "mfp", "--check", "Nope", ends: 4, says: "no check of this name"),
    Case("a configured check", "mfp", "--check", "PinCode", ends: 0, says: "Signed in to mfp"),
    Case("another one", "mfp", "--check", "UserLogin", ends: 0, says: "Signed in to mfp"),
  ]) func `a sign-in ends as the contract says`(_ c: Case) async throws {
    let journey = try Journey()
    let run = try await ProcessRun.of(Journey.program, c.words, environment: journey.environment, input: c.input)
    #expect(run.status == c.status, "\(run.errors)")
    #expect(run.errors.contains(c.says), "\(run.errors)")
  }

  @Test func `without a verifier nobody is signed in`() async throws {
    let journey = try Journey { text in
      text.replacing("method: direct", with: "method: oauth1")
    }
    let run = try await journey.run("login", "bank", "--oob")
    #expect(run.status == 3, "\(run.errors)")
  }

  @Test func `a check without a configured answer says so in a sentence`() async throws {
    let journey = try Journey { text in
      text.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.contains("PinCode:") }
        .joined(separator: "\n")
    }
    let run = try await journey.run("login", "mfp", "--check", "PinCode")
    #expect(run.status == 3, "\(run.errors)")
    #expect(run.errors.contains("could not pass the check “PinCode”"), "\(run.errors)")
  }

  @Test func `none is silent, debug tells of every exchange and of no secret`() async throws {
    let journey = try Journey()
    #expect(try await journey.run("login", "bank", "--log-level", "none").errors == "")
    let words = journey.sandbox.credentials.joined(separator: " ").split(separator: " ").map(String.init)
    let secrets = words.filter {
      $0.count >= 12 && $0.allSatisfy { $0.isLetter || $0.isNumber } && $0.contains(where: \.isNumber)
    }
    #expect(secrets.count > 5)
    for place in ["bank:/banks", "docs:/sites", "mobile:/storage", "mfp:/tokens", "field:/live/Customers"] {
      let command = place.hasPrefix("mfp") ? ["login", "mfp"] : ["ls", place]
      let run = try await ProcessRun.of(
        Journey.program, command + ["--log-level", "debug"], environment: journey.environment)
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.errors.contains("atrium: debug: \(place.prefix { $0 != ":" }): "), "\(run.errors)")
      #expect(run.errors.contains(" ms, sent "), "\(run.errors)")
      for secret in secrets { #expect(!run.errors.contains(secret)) }
    }
  }

  @Test func `a secret's command dies with the program`() async throws {
    let journey = try Journey {
      $0.replacing(
        "      consumerKey:", with: "      consumerKey: { command: [sh, -c, 'echo $$ > pid; sleep 1000'] }\n#")
    }
    let program = try RunningProcess(
      "/bin/sh", ["-c", "cd \(journey.directory.path) && exec \(Journey.program) ls bank:/accounts"],
      environment: journey.environment)
    program.write("")
    for _ in 0..<500 where journey.directory.text("pid")?.hasSuffix("\n") != true {
      try await Task.sleep(for: .milliseconds(20))
    }
    program.signal(SIGTERM)
    let run = await program.end()
    #expect(run.status == 143, "\(run.errors)")
    let process = try #require(Int32(journey.directory.text("pid")?.filter(\.isNumber) ?? ""))
    #expect(try await hasEnded(process))
  }

  /// Whether a process is gone, or nothing of it is left but its entry, which whoever inherited it has to clear.
  private func hasEnded(_ process: pid_t) async throws -> Bool {
    for _ in 0..<500 {
      guard let file = fopen("/proc/\(process)/stat", "r") else { return true }
      defer { fclose(file) }
      var buffer = [UInt8](repeating: 0, count: 512)
      let count = fread(&buffer, 1, buffer.count, file)
      if String(decoding: buffer[..<count], as: UTF8.self).contains(") Z ") { return true }
      try await Task.sleep(for: .milliseconds(20))
    }
    return false
  }
}
