import Model
import Service
import Store

enum ConnectionsCommand {
  static let command = Command(
    "connections",
    [
      "[list]", "add NAME --kind KIND [--set PATH=VALUE …]", "add NAME --plist OMC.plist [--reference]",
      "edit NAME [--set PATH=VALUE …] [--unset PATH …]", "remove NAME", "test [NAME]",
    ],
    "list, add, change, remove or test connections",
    details: [
      "PATH names a setting as in config.yaml, for example url, auth.user or tls.ca. A secret is env:NAME, file:PATH,",
      "vault:NAME or the text itself. Comments in the file stay. A missing setting is asked for at a terminal.",
    ],
    options: [
      ListingOptions.form,
      Option("columns", value: "ID,ID", "list these columns, in this order"),
      Option("kind", choices: BackendKind.allCases.map(\.rawValue), "what kind of server it is"),
      Option("url", value: "URL", "its address; the same as --set url=URL"),
      Option("set", value: "PATH=VALUE", repeatable: true, "a setting"),
      Option("unset", value: "PATH", repeatable: true, "remove a setting"),
      Option("plist", value: "FILE", "an Oracle configuration to take"),
      Option("reference", "only point at the plist file; else its secrets go into the vault"),
      Option("yes", "do not ask"),
    ],
    arguments: 0...2, subcommands: ["list", "add", "edit", "remove", "test"], run: run)

  private static func run(_ session: Session) async throws(ServiceError) -> Int32 {
    let name = session.arguments.count > 1 ? session.arguments[1] : nil
    switch session.arguments.first {
    case nil, "list": try list(session)
    case "add": try await add(try required(name, session), session)
    case "edit": try edit(try required(name, session), session)
    case "remove": try await remove(try required(name, session), session)
    case "test": return try await test(name, session)
    case let word?:
      let hint = Spelling.nearest(to: word, among: command.subcommands).map { "; did you mean \($0)?" } ?? ""
      throw .usage("connections cannot “\(word)”\(hint)", command)
    }
    return ExitStatus.done
  }

  private static func required(_ name: String?, _ session: Session) throws(ServiceError) -> String {
    guard let name else { throw .usage("name the connection", command) }
    guard Location.isConnectionName(name) else {
      throw .usage("“\(name)” cannot name a connection: use letters, digits, -, _ and .", command)
    }
    return name
  }

  private static func list(_ session: Session) throws(ServiceError) {
    let columns = [
      Column("name", "Name", rank: 0), Column("kind", "Kind"), Column("url", "Address"), Column("user", "User"),
      Column("color", "Colour", rank: 3), Column("readOnly", "Read-only", .flag, rank: 2),
    ]
    let rows = try session.configuration().connections.map { connection in
      let settings = connection.settings
      return Row(
        connection.root,
        [
          .text(connection.name), .text(connection.kind.rawValue), .optional(address(settings)),
          .optional(try? settings.text("auth.user")), .optional(try? settings.text("color")),
          .flag(connection.isReadOnly),
        ])
    }
    let ids = session.invocation.value("columns").map { $0.split(separator: ",").map(String.init) }
    if rows.isEmpty, session.output.isTerminal {
      return session.tell("There are no connections yet. Add one with atrium connections add, or try atrium demo.")
    }
    try RecordPrinter.print(rows, columns, session, ids: ids)
  }

  /// The server's address; of an Oracle profile the one in it, or the file where it stands.
  private static func address(_ settings: Settings) -> String? {
    let backend = try? settings.table("backend")?.table("mobileBackend")
    return (try? settings.text("url")) ?? (try? backend?.text("baseURL")) ?? (try? settings.text("plist"))
  }

  private static func test(_ name: String?, _ session: Session) async throws(ServiceError) -> Int32 {
    let service = try session.service(asker: NobodyToAsk())
    var names = service.connections.map(\.name)
    if let name { names = [try session.connectionName(name)] }
    let results = await ConnectionCheck.all(names) { name throws(ServiceError) in
      try await ConnectionCheck.reach(name, service)
    }
    var failure: ServiceError?
    for (name, result) in zip(names, results) {
      switch result {
      case .success(let state):
        let who = state.isSignedIn ? "signed in\(state.user.map { " as \($0)" } ?? "")" : "reached, not signed in"
        try session.output.write("\(name): \(Visible.printed(who))\n")
      case .failure(let error):
        if names.count == 1 { throw error }
        failure = failure ?? error
        session.say(.error, "\(name): \(error.line)")
      }
    }
    return failure.map(ExitStatus.of) ?? ExitStatus.done
  }
}
