import Model
import Service

/// What completion scripts ask: the connections and locations that begin with a word. Says nothing where it does not know.
enum CompleteCommand {
  static let command = Command(
    "complete", ["[WORD]"], "print the locations that begin with a word, for completion scripts",
    arguments: 0...1, listed: false, run: run)

  /// Names asked for at most.
  private static let most = 200

  private static func run(_ session: Session) async throws(ServiceError) -> Int32 {
    for candidate in await candidates(session.arguments.first ?? "", session) {
      try session.output.write(candidate + "\n")
    }
    return ExitStatus.done
  }

  private static func candidates(_ word: String, _ session: Session) async -> [String] {
    guard let configuration = try? session.configuration() else { return [] }
    guard let colon = word.firstIndex(of: ":") else {
      return configuration.connections.map { "\($0.name):/" }.filter { $0.hasPrefix(word) }
    }
    // What stands behind the last slash is not whole yet.
    let start = word.lastIndex(of: "/").map { word.index(after: $0) } ?? word.index(after: colon)
    guard let parent = try? Location(parsing: String(word[..<start])),
      let service = try? session.service(asker: NobodyToAsk()),
      let listing = try? await service.list(parent, ListQuery(limit: most))
    else { return [] }
    return listing.rows.map { row in
      row.location.text + (row.opening == .listing ? "/" : "")
    }.filter { $0.hasPrefix(word) && Visible.escaped($0) == $0 }
  }
}
