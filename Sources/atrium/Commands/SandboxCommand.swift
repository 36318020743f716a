import Model
import Sandbox
import Store

enum SandboxCommand {
  static let command = Command(
    "sandbox", [""], "serve five back ends on 127.0.0.1 until interrupted",
    details: ["Data, names and secrets are made from the seed; without one it is always the same."],
    options: [
      Option("port", value: "N", "the port; a free one unless told"),
      Option("seed", value: "N", "what everything is made from"),
      Option("accounts", value: "N", "bank accounts"),
      Option("transactions", value: "N", "transactions of each account"),
      Option("documents", value: "N", "documents"),
      Option("objects", value: "N", "objects of the largest collection"),
      Option("latency", value: "MS", "milliseconds to wait before each answer"),
      Option("print-config", value: "FILE", "write a ready configuration"),
    ],
    arguments: 0...0, run: run)

  private static func run(_ session: Session) async throws(ServiceError) -> Int32 {
    let sandbox = try open(try options(session))
    if let path = session.invocation.value("print-config") {
      do throws(FileError) {
        try Files.replace(path, with: Array(sandbox.configuration.utf8))
      } catch {
        throw error.serviceError("write the configuration")
      }
    }
    try session.output.write("listening \(sandbox.origin)\n")
    try session.output.flush()
    for line in sandbox.credentials { try session.output.write(line + "\n") }
    try session.output.flush()
    await session.interrupts.wait()
    sandbox.stop()
    return ExitStatus.done
  }

  static func open(_ options: SandboxOptions, clock: SandboxClock = .system) throws(ServiceError) -> Sandbox {
    do {
      return try Sandbox(options, clock: clock)
    } catch {
      throw ServiceError(
        .failed, "open the sandbox", detail: "\(error)", remedy: "Choose another --port, or none for a free one.",
        cause: error)
    }
  }

  static func options(_ session: Session, size: SandboxOptions.Size = .small) throws(ServiceError) -> SandboxOptions {
    let invocation = session.invocation
    let port = try invocation.integer("port") ?? 0
    guard let port = UInt16(exactly: port) else { throw .usage("--port goes up to 65535", invocation.command) }
    return SandboxOptions(
      size: size, port: port, seed: UInt64(try invocation.integer("seed") ?? Int(SandboxOptions.standardSeed)),
      accounts: try invocation.integer("accounts"), transactions: try invocation.integer("transactions"),
      documents: try invocation.integer("documents"), objects: try invocation.integer("objects"),
      latency: try invocation.integer("latency") ?? 0)
  }
}
