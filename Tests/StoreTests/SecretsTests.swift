import Glibc
import Model
import TestKit
import Testing

@testable import Store

@Suite struct SecretsTests {
  private func resolve(_ source: SecretSource, _ environment: [String: String] = [:]) async throws -> String {
    let keeper = MemoryKeeper()
    keeper.keep(Secret("kept"), named: "field")
    return try await SecretSources(environment: environment, keeper: keeper).resolve(source).reveal()
  }

  @Test func `each source gives its secret`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("s3cret\n", to: "secret")
    #expect(try await resolve(.literal(Secret("plain"))) == "plain")
    #expect(try await resolve(.environment("A"), ["A": "from a"]) == "from a")
    #expect(try await resolve(.file(directory.file("secret"))) == "s3cret")
    #expect(try await resolve(.vault("field")) == "kept")
    #expect(
      try await resolve(.command(["printf", "%s\\nsecond line\\n", "first"]), ["PATH": "/usr/bin:/bin"]) == "first")
  }

  @Test(
    .bounded,
    arguments: [
      (SecretSource.environment("GONE"), "GONE"), (.file("/nonexistent/secret"), "/nonexistent/secret"),
      (.command(["/nonexistent/tool"]), "/nonexistent/tool"), (.command(["false"]), "status 1"),
      (.command(["true"]), "printed nothing"), (.vault("gone"), "no vault"),
    ]) func `a source that has none says what is missing`(_ source: SecretSource, _ words: String) async throws
  {
    let error = await #expect(throws: ServiceError.self) {
      try await resolve(source, ["PATH": "/usr/bin:/bin"])
    }
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    #expect(error?.code == (words == "no vault" ? .vaultLocked : .configuration))
  }

  @Test(.bounded) func `a command that takes too long is ended with what it started`() async throws {
    let output = try await CommandOutput.of(
      ["sh", "-c", "echo $$; sleep 1000"], environment: ["PATH": "/usr/bin:/bin"], limit: .milliseconds(300))
    #expect(output.isOverdue && output.status > 128)
    let process = try #require(Int32(String(decoding: output.bytes, as: UTF8.self).filter(\.isNumber)))
    #expect(kill(process, 0) == -1)
  }

  @Test(.bounded) func `a command ends with the task that waits for it`() async throws {
    let task = Task {
      try await CommandOutput.of(["sleep", "1000"], environment: ["PATH": "/usr/bin:/bin"], limit: .seconds(1000))
    }
    task.cancel()
    #expect(try await task.value.status > 128)
  }
}
