import Glibc
import TestKit
import Testing

@testable import atrium

/// Every command of every kind meets a fault in the one request it is about, sign-in being whole: the exit codes of the
/// contract, section 5.
@Suite(.bounded) struct FaultCommandTests {
  struct Command: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let words: [String]
    /// Method (any when empty) and the mark in the target of the request that the command is about.
    let method: String
    let mark: String

    /// - Parameter words: `ACCOUNT` stands for an account, `FILE` for a file to send or to write, `NEW` for a fresh name.
    init(_ words: String..., about method: String, _ mark: String) {
      testDescription = words.joined(separator: " ")
      self.words = words
      self.method = method
      self.mark = mark
    }
  }

  static let commands = [
    Command("show", "bank:ACCOUNT", about: "GET", "/account"),
    Command("call", "bank", "GET", "/banks", about: "GET", "/banks"),
    Command("do", "bank:ACCOUNT", "pay", "PAYMENT", "--yes", about: "POST", "/transaction-requests"),
    Command("show", "docs:/files/Shared/kept.txt", about: "GET", "relativePath=Shared"),
    Command("get", "docs:/files/Shared/kept.txt", "-o", "FILE.out", about: "GET", "/content"),
    Command("put", "FILE", "docs:/files/Shared/NEW", about: "POST", "/children"),
    Command("do", "docs:/files/Shared/kept.txt", "comment", "text=well", about: "POST", "/comments"),
    Command("show", "mobile:/storage/Empty", about: "GET", "/collections/Empty"),
    Command("get", "mobile:/storage/Empty/kept.txt", "-o", "FILE.out", about: "GET", "/objects/kept.txt"),
    Command("put", "FILE", "mobile:/storage/Empty/NEW", about: "PUT", "/objects"),
    Command("show", "mfp:/resources/My resource", about: "GET", "/MyProtectedProcedure"),
    Command("get", "mfp:/resources/My resource", "-o", "FILE.out", about: "GET", "/MyProtectedProcedure"),
    Command(
      "call", "mfp", "POST", "/MyResource/MyProtectedProcedure", "--data", "{}", about: "POST", "/MyProtectedProcedure"),
    Command("show", "field:/live/Customers/101", about: "GET", "/Customers(101)"),
    Command("call", "field", "GET", "/SUP101/Customers", about: "GET", "/SUP101/Customers"),
    Command(
      "call", "field", "POST", "/SUP101/Customers", "--data", #"{"fname":"Some","lname":"Body"}"#, "--header",
      "Content-Type: application/json", about: "POST", "/SUP101/Customers"),
  ]

  struct Fault: Sendable {
    let name: String
    let steps: [FaultServer.Step]
    let statuses: Set<Int32>
    /// Requests it may strike: repeats where they are harmless, and one renewal.
    var most = 4
  }

  private static let faults = [
    Fault(name: "resets", steps: [.reset], statuses: [5], most: 6),
    Fault(
      name: "cuts the body", steps: [.send("\(WireFault.head)Content-Length: 10\r\n\r\n{\"a\""), .close], statuses: [5]),
    Fault(name: "does not know it", steps: [WireFault.answer("404 Not Found", "{}")], statuses: [4]),
    Fault(name: "refuses", steps: [WireFault.answer("401 Unauthorized", "{}")], statuses: [3]),
    Fault(name: "forbids", steps: [WireFault.answer("403 Forbidden", "{}")], statuses: [1, 3]),
    Fault(name: "has an error of its own", steps: [WireFault.answer("500 Internal Server Error", "{}")], statuses: [5]),
    Fault(
      name: "is too busy",
      steps: [WireFault.answer("429 Too Many Requests", "{}", headers: "Retry-After: 600\r\n")], statuses: [5]),
    Fault(
      name: "points elsewhere",
      steps: [WireFault.answer("302 Found", "", headers: "Location: http://127.0.0.2/x\r\n")], statuses: [1]),
  ]

  @Test(arguments: commands) func `a command ends with the status that the fault has`(_ command: Command) async throws {
    let ground = try await Ground.shared.value
    let proxy = try FaultProxy(to: ground.sandbox.port)
    defer { proxy.stop() }
    let directory = try TemporaryDirectory()
    try directory.write("some text", to: "FILE")
    try directory.write(
      ground.sandbox.configuration.replacing(ground.sandbox.origin, with: proxy.origin), to: "config.yaml")
    let whole = try await run(command, ground, directory)
    #expect(whole.status == 0, "\(whole.errors)")
    for fault in Self.faults {
      proxy.arm(strikes: { request in
        (command.method.isEmpty || request.method == command.method) && request.target.contains(command.mark)
      }) { _, _, _ in fault.steps }
      let run = try await run(command, ground, directory)
      let struck = proxy.disarm().count
      let row = "the server \(fault.name): \(run.status), \(struck) requests, \(run.errors)"
      #expect(struck > 0 && struck <= fault.most, "\(row)")
      #expect(fault.statuses.contains(run.status), "\(row)")
      #expect(run.errors.hasPrefix("atrium: could not ") && run.errors.split(separator: "\n").count == 1, "\(row)")
      // `call` hands on the body of a refusal; nothing else prints half of what was asked for.
      #expect(run.output.isEmpty || command.words[0] == "call", "\(row)")
      #expect(!directory.exists("FILE.out"), "\(row)")
    }
  }

  private func run(_ command: Command, _ ground: Ground, _ directory: TemporaryDirectory) async throws -> ProcessRun {
    let words = command.words.flatMap { word -> [String] in
      if word == "PAYMENT" { return ground.payment.map { "\($0.key)=\($0.value)" } }
      let name = "new-\(UInt32.random(in: 0 ... .max)).txt"
      let path = word.hasPrefix("FILE") ? directory.file(word) : word
      return [path.replacing("bank:ACCOUNT", with: ground.account.text).replacing("NEW", with: name)]
    }
    let run = try await ProcessRun.of(
      Journey.program, words,
      environment: ["HOME": directory.path, "ATRIUM_CONFIG": directory.file("config.yaml")])
    if run.status == 0 { unlink(directory.file("FILE.out")) }
    return run
  }
}
