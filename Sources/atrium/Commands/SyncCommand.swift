import Model
import Service

enum SyncCommand {
  static let command = Command(
    "sync", ["CONNECTION", "CONNECTION --pending"], "synchronise the encrypted offline store",
    details: [
      "Sends what waits, in order, then fetches what has changed. Ends with 6 while a conflict waits: look at it with",
      "--pending, then drop it (atrium rm CONNECTION:/pending/ID) or send it over the server's change (atrium do … retry).",
    ],
    options: [Option("pending", "list what waits to be sent")] + ListingOptions.options,
    arguments: 1...1, run: run)

  private static func run(_ session: Session) async throws(ServiceError) -> Int32 {
    let name = try session.connectionName(session.arguments[0])
    let service = try session.service(offer: Prompt.isPossible ? .always : .never)
    if session.invocation.has("pending") {
      try await ListCommand.list(Location(connection: name, path: ["pending"]), session)
      return ExitStatus.done
    }
    let outcome = try await service.synchronize(name)
    session.tell(outcome.message)
    return ExitStatus.done
  }
}
