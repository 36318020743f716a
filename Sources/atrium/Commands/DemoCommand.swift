import Model
import Sandbox
import Service
import Store

/// Opens the browser on a sandbox in the same process; nothing of the person's own is read or written.
enum DemoCommand {
  static let command = Command(
    "demo", [""], "open the browser on a sandbox with all five connections",
    details: ["Nothing of your configuration, vault or cache is touched."],
    options: [
      Option("size", choices: SandboxOptions.Size.allCases.map(\.rawValue), "how much the sandbox holds"),
      Option("transactions", value: "N", "transactions of each account"),
      Option("seed", value: "N", "what everything is made from"),
      Option("tape", value: "FILE", "let this tape press the keys first"),
    ],
    arguments: 0...0, fullScreen: true, run: run)

  private static func run(_ session: Session) async throws(ServiceError) -> Int32 {
    let size = session.invocation.value("size").flatMap(SandboxOptions.Size.init) ?? .small
    let options = try SandboxCommand.options(session, size: size)
    if let path = session.invocation.value("tape") {
      var performance = try Performance(path)
      performance.staysOpen = true
      return try await performance.run(session, sandbox: options)
    }
    let house = try DemoHouse(session, options)
    defer { house.close() }
    if session.isPlain {
      var browser = PlainBrowser(session, house.service, downloads: FilePath.workingDirectory)
      return try await browser.run()
    }
    return try await Browsing(session, house.service, house.questions, isDemo: true).run()
  }
}

extension Configuration {
  /// The same with connections that ask before they sign in although they know the answers: the forms come filled in.
  var asking: Configuration {
    var configuration = self
    configuration.connections = connections.map { connection in
      Connection(name: connection.name, kind: connection.kind, settings: connection.settings.asking)
    }
    return configuration
  }
}

extension Settings {
  /// The same with `auth.ask` set.
  fileprivate var asking: Settings {
    var auth: [(key: String, entry: Entry)] = []
    if case .table(let table)? = self["auth"] { auth = table.members.filter { $0.key != "ask" } }
    auth.append(("ask", .text("true", Origin())))
    let table = Settings(auth, origin: origin, directory: directory)
    let others = members.filter { $0.key != "auth" }
    return Settings(others + [("auth", .table(table))], origin: origin, directory: directory)
  }
}
