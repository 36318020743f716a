import JSON
import Model
import Service

/// Prints records that belong to the program rather than to a server; JSON is an array of objects.
enum RecordPrinter {
  /// - Parameters:
  ///   - ids: Columns to print; nil for all.
  ///   - form: Nil for what was asked for, else a table on a terminal and ndjson in a pipe.
  static func print(
    _ rows: [Row], _ columns: [Column], _ session: Session, ids: [String]? = nil, form: ListingOptions.Form? = nil
  ) throws(ServiceError) {
    let listing = Listing(Location(connection: "atrium"), title: "", columns: columns, rows: rows)
    for id in ids ?? [] where listing.columnIndex(id) == nil { throw .unknownColumn(id, columns, "list them") }
    let form = form ?? ListingOptions.form(session)
    guard form == .json || form == .ndjson else {
      var printer = ListingPrinter(session, form: form, columns: ids)
      try printer.add(listing)
      return try printer.finish(isCounted: false)
    }
    var writer = JSONWriter(escapingTerminalControls: session.output.isTerminal)
    if form == .json { writer.beginArray() }
    for row in rows {
      writer.beginObject()
      for (column, value) in zip(columns, row.values) where ids?.contains(column.id) ?? true {
        writer.key(column.id)
        writer.value(value)
      }
      writer.endObject()
      if form == .ndjson { writer.endLine() }
    }
    if form == .json {
      writer.endArray()
      writer.endLine()
    }
    try session.output.write(json: writer.take())
  }
}
