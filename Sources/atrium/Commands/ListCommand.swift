import Model
import Service

enum ListCommand {
  static let command = Command(
    "ls", ["LOCATION"], "list a container",
    details: [
      "Sorting and narrowing is done by the server where it can, else over all rows, before the limit counts.",
      "JSON has columns, rows and next; ndjson is a row object a line; csv is RFC 4180.",
    ],
    options: ListingOptions.options, arguments: 1...1, run: run)

  private static func run(_ session: Session) async throws(ServiceError) -> Int32 {
    try await list(try session.location(session.arguments[0]), session)
    return ExitStatus.done
  }

  static func list(_ location: Location, _ session: Session) async throws(ServiceError) {
    let options = try ListingOptions(session)
    if let format = options.kindFormat { return try await write(location, format, options, session) }
    var printer = ListingPrinter(session, options)
    session.output.page(with: Pager(session))
    try await session.service().arranged(location, options.arrangement) { page throws(ServiceError) in
      try printer.add(page)
    }
    try printer.finish()
  }

  /// In a format of the kind, which takes all columns as they are.
  private static func write(
    _ location: Location, _ format: String, _ options: ListingOptions, _ session: Session
  ) async throws(ServiceError) {
    let service = try session.service()
    let format = try await service.exportFormat(format, of: location)
    guard options.columns == nil else { throw .usage("--columns does not go with --format \(format.id)", command) }
    let listing = try await service.arranged(location, options.arrangement)
    let bytes = try format.encode(listing)
    if session.output.isTerminal {
      try session.output.write(OutputSink.harmless(bytes))
    } else {
      try session.output.write(bytes)
    }
    try session.output.flush()
  }
}

enum SearchCommand {
  static let command = Command(
    "search", ["CONNECTION WORDS…"], "search the content of a connection",
    details: ["With --language the words are a query of that language and are passed through as they are."],
    options: ListingOptions.options + [
      Option("language", choices: ["afts", "cmis", "lucene"], "what the words are written in")
    ],
    arguments: 2...Int.max, run: run)

  private static func run(_ session: Session) async throws(ServiceError) -> Int32 {
    let options = try ListingOptions(session)
    if let format = options.kindFormat {
      throw .usage("--format takes table, csv, json or ndjson here, not “\(format)”", session.invocation.command)
    }
    let language = session.invocation.value("language").flatMap(SearchRequest.Language.init) ?? .words
    let words = session.arguments.dropFirst().joined(separator: " ")
    let connection = try session.connectionName(session.arguments[0])
    let listing = try await session.service().arranged(
      connection, SearchRequest(words, language: language), options.arrangement)
    var printer = ListingPrinter(session, options)
    session.output.page(with: Pager(session))
    try printer.add(listing)
    try printer.finish(isSearch: true)
    return ExitStatus.done
  }
}

extension Session {
  /// A connection given as an argument, with or without the colon of a location.
  func connectionName(_ text: String) throws(ServiceError) -> String {
    let name = text.hasSuffix(":/") ? String(text.dropLast(2)) : text.hasSuffix(":") ? String(text.dropLast()) : text
    return try configuration().requiredConnection(named: name).name
  }
}
