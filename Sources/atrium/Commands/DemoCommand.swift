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
      Option("size", value: "small|large", "how much the sandbox holds"),
      Option("transactions", value: "N", "transactions of each account"),
      Option("seed", value: "N", "what everything is made from"),
    ],
    arguments: 0...0, run: run)

  private static func run(_ session: Session) async throws(ServiceError) -> Int32 {
    let word = session.invocation.value("size") ?? "small"
    guard let size = SandboxOptions.Size(rawValue: word) else {
      throw .usage("--size is small or large, not “\(word)”", command)
    }
    // A terminal that cannot show the browser is told of before a server is started for nobody.
    let sandbox = try SandboxCommand.open(try SandboxCommand.options(session, size: size))
    defer { sandbox.stop() }
    let scratch = try scratchDirectory()
    defer { remove(scratch) }
    let questions = QuestionQueue()
    let configuration = try Configuration(
      parsing: Array(sandbox.configuration.utf8), path: FilePath.joined(scratch, "config.yaml"))
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
