import Model
import Service

/// The options of `ls` and `search`: how much of a listing to show, in which order, in which form.
struct ListingOptions {
  enum Form: String, CaseIterable { case table, csv, json, ndjson }

  static let options: [Option] = [
    Option("limit", value: "N", "rows to show (50)"),
    Option("all", "all rows, however many"),
    Option("cursor", value: "C", "go on where an earlier answer ended: its next"),
    Option("columns", value: "ID,ID", "show these columns, in this order"),
    Option("sort", value: "[-]ID", "sort by a column, with - the other way round"),
    Option("where", value: "ID=TEXT", repeatable: true, "only rows whose column contains the text, any case"),
    Option(
      "format", value: "FORM", choices: Form.allCases.map(\.rawValue), isOpen: true,
      "table, csv, json, ndjson, or one of the kind, such as ofx"),
  ]

  static let form = Option(
    "format", choices: Form.allCases.map(\.rawValue), "table on a terminal, else ndjson, unless told")

  let arrangement: Arrangement
  let columns: [String]?
  let form: Form
  /// A format of the kind of back end, by its id; it takes the place of the form.
  let kindFormat: String?

  init(_ session: Session) throws(ServiceError) {
    let invocation = session.invocation
    var arrangement = Arrangement()
    if let limit = try invocation.integer("limit") { arrangement.limit = limit }
    if invocation.has("all") {
      guard !invocation.has("limit") else { throw .usage("--all and --limit exclude each other", invocation.command) }
      arrangement.limit = nil
    }
    arrangement.cursor = invocation.value("cursor")
    if let sort = invocation.value("sort") {
      let isDescending = sort.hasPrefix("-")
      arrangement.sort = Sort(column: isDescending ? String(sort.dropFirst()) : sort, isDescending: isDescending)
    }
    for condition in invocation.all("where") {
      guard let equals = condition.firstIndex(of: "="), equals != condition.startIndex else {
        throw .usage("--where takes COLUMN=TEXT, not “\(condition)”", invocation.command)
      }
      let text = String(condition[condition.index(after: equals)...])
      arrangement.filters.append(ListQuery.Filter(column: String(condition[..<equals]), text: text))
    }
    self.arrangement = arrangement
    columns = invocation.value("columns").map { $0.split(separator: ",").map(String.init) }
    form = ListingOptions.form(session)
    kindFormat = invocation.value("format").flatMap { Form(rawValue: $0) == nil ? $0 : nil }
  }

  static func form(_ session: Session) -> Form {
    session.invocation.value("format").flatMap(Form.init) ?? (session.output.isTerminal ? .table : .ndjson)
  }
}
