import Model
import Service

enum ShowCommand {
  static let command = Command(
    "show", ["LOCATION"], "show one item: its fields, and what can be done with it",
    options: [
      Option("raw", "print the server's own answer, unchanged"),
      ListingOptions.form,
    ],
    arguments: 1...1, run: run)

  private static func run(_ session: Session) async throws(ServiceError) -> Int32 {
    let location = try session.location(session.arguments[0])
    let item = try await session.service().item(location)
    session.output.page(with: Pager(session))
    if session.invocation.has("raw") {
      try printRaw(item, session)
      return ExitStatus.done
    }
    for notice in item.notices { session.say(.warning, notice) }
    let isTerminal = session.output.isTerminal
    switch session.invocation.value("format").flatMap(ListingOptions.Form.init) ?? (isTerminal ? .table : .json) {
    case .table: try session.output.write(ItemPrinter.text(item, isStyled: session.isStyled))
    case .json, .ndjson: try session.output.write(json: ItemPrinter.json(item, isForTerminal: isTerminal))
    case .csv: try session.output.write(ItemPrinter.csv(item, isForTerminal: isTerminal))
    }
    return ExitStatus.done
  }

  private static func printRaw(_ item: Item, _ session: Session) throws(ServiceError) {
    guard let raw = item.raw else {
      throw .notOffered("show \(item.location) raw", "no single answer of the server stands behind it")
    }
    guard session.output.isTerminal else { return try session.output.write(raw.bytes) }
    try session.output.write(OutputSink.harmless(raw.bytes))
    if raw.bytes.last != 10 { try session.output.write("\n") }
  }
}
