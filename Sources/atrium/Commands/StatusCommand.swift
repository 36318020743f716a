import JSON
import Model
import Service

enum StatusCommand {
  static let command = Command(
    "status", ["[CONNECTION]"], "say who is signed in where",
    details: ["Signs in where the configuration holds all that it needs; asks nobody."],
    options: [ListingOptions.form],
    arguments: 0...1, run: run)

  private static let columns = [
    Column("connection", "Connection", rank: 0), Column("kind", "Kind"), Column("signedIn", "Signed in", .flag),
    Column("user", "User"), Column("expires", "Expires", .time),
  ]

  private static func run(_ session: Session) async throws(ServiceError) -> Int32 {
    let service = try session.service(asker: NobodyToAsk())
    var names = service.connections.map(\.name)
    if let argument = session.arguments.first { names = [try session.connectionName(argument)] }
    let results = await ConnectionCheck.signIns(names, service)
    if names.count == 1, session.arguments.count == 1, case .failure(let error) = results[0] { throw error }
    var rows: [Row] = []
    var failure: ServiceError?
    for (name, result) in zip(names, results) {
      guard let connection = service.configuration.connection(named: name) else { continue }
      var state = SignInState(isSignedIn: false)
      switch result {
      case .success(let found): state = found
      case .failure(let error):
        failure = failure ?? error
        session.say(.error, "\(name): \(error.line)")
      }
      rows.append(
        Row(
          connection.root,
          [
            .text(name), .text(connection.kind.rawValue), .flag(state.isSignedIn), .optional(state.user),
            .optional(state.expires),
          ]))
    }
    try RecordPrinter.print(rows, columns, session)
    return failure.map(ExitStatus.of) ?? ExitStatus.done
  }
}
