import Glibc
import Model
import TestKit
import Testing

@testable import Store

/// The keeper that speaks to `secret-tool`, with a script of that name in its place.
@Suite(.bounded) struct SecretServiceTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Keeps each secret in a file, and a record of the arguments it was called with.
  ///
  /// Another process writes it: one that this one starts meanwhile could still hold it open, and then it would not run.
  private func install(_ body: String = SecretServiceTests.working) async throws {
    try directory.write("#!/bin/sh\ncd \(directory.path)\necho \"$*\" >> calls\n" + body, to: "body")
    let made = try await ProcessRun.of(
      "/bin/sh", ["-c", "cp \"$1/body\" \"$1/secret-tool\" && chmod 700 \"$1/secret-tool\"", "sh", directory.path],
      environment: ["PATH": "/usr/bin:/bin"])
    #expect(made.status == 0, "\(made.errors)")
  }

  private static let working = """
    word=$1; shift
    while [ $# -gt 1 ]; do last=$2; shift; done
    file=kept-$(printf %s "$last" | tr / _)
    case $word in
      store) cat > "$file" ;;
      lookup) [ -f "$file" ] || exit 1; cat "$file" ;;
      clear) [ -f "$file" ] || exit 1; rm "$file" ;;
    esac
    """

  private func keeper(limit: Duration = .seconds(30)) -> SecretServiceKeeper {
    SecretServiceKeeper(
      environment: ["PATH": "\(directory.path):/usr/bin:/bin"], directory: directory.file("offline"), limit: limit)
  }

  @Test func `what is kept is there for the next process, and goes when it is removed`() async throws {
    try await install()
    let text = "tök€n, with \"quotes\"\nand a second line"
    #expect(keeper().isLasting)
    #expect(try await keeper().secret(named: "bank/token") == nil)
    try await keeper().keep(Secret(text), named: "bank/token")
    #expect(try await keeper().secret(named: "bank/token") == Secret(text))
    #expect(try await keeper().requiredSecret(named: "bank/token") == Secret(text))
    try await keeper().remove(named: "bank/token")
    try await keeper().remove(named: "bank/token")
    #expect(try await keeper().secret(named: "bank/token") == nil)
  }

  @Test func `a secret is in no argument`() async throws {
    try await install()
    try await keeper().keep(Secret("hunter2-hunter2"), named: "bank/token")
    _ = try await keeper().secret(named: "bank/token")
    let calls = try #require(directory.text("calls"))
    #expect(
      calls == """
        store --label=Atrium: bank/token application atrium entry bank/token
        lookup application atrium entry bank/token

        """)
  }

  @Test func `a large secret goes through whole`() async throws {
    try await install()
    let text = String(repeating: "0123456789abcdef", count: 3_000)
    try await keeper().keep(Secret(text), named: "big")
    #expect(try await keeper().secret(named: "big") == Secret(text))
  }

  @Test func `where the program is missing it is named with the way to get it`() async throws {
    let keeper = SecretServiceKeeper(environment: ["PATH": directory.path], directory: directory.path)
    let error = await #expect(throws: ServiceError.self) { try await keeper.keep(Secret("x"), named: "n") }
    #expect(error?.code == .vaultLocked)
    #expect(error?.line.contains("secret-tool is not installed") == true, "\(error?.line ?? "")")
    #expect(error?.advice.contains("libsecret-tools") == true)
  }

  @Test func `its own words are passed on when it fails`() async throws {
    try await install("cat > /dev/null; echo 'secret-tool: Cannot autolaunch D-Bus without X11 $DISPLAY' >&2; exit 1")
    for work in [
      { (keeper: SecretServiceKeeper) in _ = try await keeper.secret(named: "n") },
      { try await $0.keep(Secret("x"), named: "n") }, { try await $0.remove(named: "n") },
      { _ = try await $0.place(of: "field") },
    ] as [@Sendable (SecretServiceKeeper) async throws -> Void] {
      let error = await #expect(throws: ServiceError.self) { try await work(keeper()) }
      #expect(error?.detail == "secret-tool: Cannot autolaunch D-Bus without X11 $DISPLAY")
      #expect(error?.code == .vaultLocked)
    }
  }

  @Test func `a program that never answers is ended`() async throws {
    try await install("sleep 1000")
    let error = await #expect(throws: ServiceError.self) {
      try await keeper(limit: .milliseconds(200)).secret(named: "n")
    }
    #expect(error?.detail?.contains("did not answer") == true)
  }

  @Test func `an offline store's key is made once and kept there`() async throws {
    try await install()
    let first = try await keeper().place(of: "field")
    let second = try await keeper().place(of: "field")
    #expect(first.isNew && !second.isNew && first.key == second.key)
    #expect(directory.text("kept-field_encryption-key") == first.key.reveal())
  }

  @Test func `an entry that the configuration names and nobody kept is a sign-in to do`() async throws {
    try await install()
    let error = await #expect(throws: ServiceError.self) { try await keeper().requiredSecret(named: "gone") }
    #expect(error?.code == .signInNeeded)
    #expect(error?.line.contains("the Secret Service has no such entry") == true)
  }
}
