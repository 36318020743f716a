import Glibc
import Model
import Sandbox
import Service
import Store

/// A sandbox in this process and a service layer on its five connections; nothing of the person's own is touched.
struct DemoHouse {
  let service: ServiceLayer
  /// What the back ends ask the person; in plain mode the terminal asks itself.
  let questions: QuestionQueue
  /// Where downloads of a tape go, so that playing it leaves nothing behind.
  let scratch: String
  private let sandbox: Sandbox

  /// What a tape's connections show as their address, whatever port was free.
  private static let address = "127.0.0.1:8080"

  /// - Parameter clock: What the sandbox goes by; with it the addresses are always the same too.
  init(_ session: Session, _ options: SandboxOptions, clock: (any WallClock)? = nil) throws(ServiceError) {
    let time = clock.map { clock in SandboxClock { SandboxTime(milliseconds: clock.now().milliseconds) } }
    scratch = try DemoHouse.scratchDirectory()
    sandbox = try SandboxCommand.open(options, clock: time ?? .system)
    questions = QuestionQueue()
    let origin = clock == nil ? sandbox.origin : "http://\(DemoHouse.address)"
    let configuration = try Configuration(
      parsing: Array(sandbox.hall.configuration(origin: origin).utf8), path: FilePath.joined(scratch, "config.yaml")
    ).asking
    let parts = session.parts(
      asker: session.isPlain ? TerminalAsker(session) : questions, paths: StandardPaths(under: scratch),
      detour: clock == nil ? nil : "\(DemoHouse.address):127.0.0.1:\(sandbox.port)")
    service = ServiceLayer(configuration, parts)
  }

  func close() {
    sandbox.stop()
    DemoHouse.remove(scratch)
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
