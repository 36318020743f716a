import Browser
import Model
import Screens
import Service

/// Prints a listing as its pages arrive, in the form that was asked for.
struct ListingPrinter {
  private let session: Session
  private let form: ListingOptions.Form
  private let columns: [String]?
  private var encoder: RowEncoder?
  private var table: TablePrinter?
  private var spoken: SpokenText?
  private var last: Listing?
  private var count = 0

  init(_ session: Session, _ options: ListingOptions) {
    self.init(session, form: options.form, columns: options.columns)
  }

  init(_ session: Session, form: ListingOptions.Form, columns: [String]?) {
    self.session = session
    self.form = form
    self.columns = columns
  }

  mutating func add(_ page: Listing) throws(ServiceError) {
    if last == nil { try begin(page) }
    last = page
    count += page.rows.count
    if let spoken {
      for (index, row) in page.rows.enumerated() {
        try session.output.write(spoken.row(count - page.rows.count + index + 1, row, page.columns) + "\n")
      }
    } else if let table {
      for row in page.rows { try session.output.write(table.text(of: row)) }
    } else {
      encoder?.add(page.rows)
      try writeEncoded()
    }
  }

  private mutating func writeEncoded() throws(ServiceError) {
    let bytes = encoder?.take() ?? []
    if form == .csv { try session.output.write(bytes) } else { try session.output.write(json: bytes) }
  }

  /// - Parameters:
  ///   - isSearch: JSON then has facets and suggestions, too.
  ///   - isCounted: Whether a terminal is told how many rows there are.
  mutating func finish(isSearch: Bool = false, isCounted: Bool = true) throws(ServiceError) {
    guard let last else { return }
    encoder?.finish(
      next: last.next, facets: isSearch ? last.facets : nil, suggestions: isSearch ? last.suggestions : nil)
    try writeEncoded()
    try session.output.flush()
    if isCounted, form == .table, session.output.isTerminal { session.tell(summary(last)) }
    if form == .table, isSearch, !last.suggestions.isEmpty {
      session.tell("Did you mean: \(last.suggestions.joined(separator: ", "))?")
    }
  }

  private mutating func begin(_ page: Listing) throws(ServiceError) {
    for notice in page.notices { session.say(.warning, notice) }
    if case .offline(let synchronised) = page.freshness {
      session.say(.info, "offline, as of \(synchronised?.rfc3339 ?? "an unknown time")")
    }
    guard form == .table else {
      let rowForm: RowForm = form == .csv ? .csv : form == .json ? .json : .ndjson
      encoder = try RowEncoder(rowForm, page, columns: columns, isForTerminal: session.output.isTerminal)
      return
    }
    guard !session.isPlain else {
      spoken = SpokenText(zone: .system, now: session.clock.now())
      return
    }
    let table = try TablePrinter(
      page, columns: columns, width: session.output.columns, isStyled: session.isStyled,
      isColoured: session.isColoured)
    self.table = table
    try session.output.write(table.header)
  }

  private func summary(_ listing: Listing) -> String {
    var text = "\(count) \(count == 1 ? "row" : "rows")"
    switch listing.total {
    case .exact(let total) where total > count: text = "\(count) of \(total) rows"
    case .atLeast(let total) where total > count: text = "\(count) of more than \(total) rows"
    default: break
    }
    if let next = listing.next { text += "; go on with --cursor '\(next)', or --all" }
    return text
  }
}
