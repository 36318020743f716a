import Glibc
import Model
import Service
import Store

enum GetCommand {
  static let command = Command(
    "get", ["LOCATION [-o FILE|-]"], "download content",
    details: [
      "Unfinished bytes live in FILE.part; running it again continues them when the content is still the same.",
      "Without -o the server's name is used, in this directory, beside any file that has it already.",
    ],
    options: [Option("output", short: "o", value: "FILE|-", "where to; - is standard output")],
    arguments: 1...1, run: run)

  private static func run(_ session: Session) async throws(ServiceError) -> Int32 {
    let location = try session.location(session.arguments[0])
    let service = try session.service()
    if session.invocation.value("output") == "-" {
      let sink = OutputSink(session.output)
      _ = try await service.download(location, to: sink)
      try sink.finish()
      return ExitStatus.done
    }
    let path = try await destination(of: location, session, service)
    let meter = ProgressLine(session.errors, FilePath.lastName(of: path))
    do throws(ServiceError) {
      let head = try await service.download(location, toFile: path, progress: meter.progress)
      meter.clear()
      session.say(.info, "\(head.name) is in \(path)")
      if session.errors.isTerminal, session.invocation.value("output") == nil { session.tell("Saved as \(path)") }
      return ExitStatus.done
    } catch {
      meter.clear()
      guard error.code == .cancelled, Files.exists(path + ".part") else { throw error }
      throw ServiceError(
        .cancelled, error.operation, remedy: "\(path).part is kept; run it again to continue", cause: error.cause)
    }
  }

  private static func destination(
    of location: Location, _ session: Session, _ service: ServiceLayer
  ) async throws(ServiceError) -> String {
    let here = FilePath.workingDirectory
    if let named = session.invocation.value("output") {
      let path = FilePath.joined(here, named)
      guard !Files.isDirectory(path) else {
        return FilePath.joined(path, FileName.free(try await service.fileName(of: location), in: path))
      }
      return path
    }
    return FilePath.joined(here, FileName.free(try await service.fileName(of: location), in: here))
  }
}
