import Glibc
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
    ],
    arguments: 0...0, fullScreen: true, run: run)

  private static func run(_ session: Session) async throws(ServiceError) -> Int32 {
    let size = session.invocation.value("size").flatMap(SandboxOptions.Size.init) ?? .small
    // A terminal that cannot show the browser is told of before a server is started for nobody.
    let sandbox = try SandboxCommand.open(try SandboxCommand.options(session, size: size))
    defer { sandbox.stop() }
    let scratch = try scratchDirectory()
    defer { remove(scratch) }
    let questions = QuestionQueue()
    let configuration = try Configuration(
      parsing: Array(sandbox.configuration.utf8), path: FilePath.joined(scratch, "config.yaml")
    ).asking
    let parts = session.parts(asker: questions, paths: StandardPaths(under: scratch))
    let service = ServiceLayer(configuration, parts)
    return try await Browsing(session, service, questions, isDemo: true).run()
  }

  private static func scratchDirectory() throws(ServiceError) -> String {
    var template = Array("/tmp/atrium-demo-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw ServiceError(
        .failed, "open the demo", detail: "no temporary directory can be made: \(String(cString: strerror(errno)))")
    }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes the directory and what the demo left in it.
  private static func remove(_ directory: String) {
    for name in Files.names(in: directory) {
      let path = FilePath.joined(directory, name)
      if Files.isDirectory(path) { remove(path) } else { unlink(path) }
    }
    rmdir(directory)
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
