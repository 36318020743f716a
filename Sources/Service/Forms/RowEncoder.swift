import JSON
import Model

/// The forms in which rows leave the program for other programs.
package enum RowForm: String, Sendable, CaseIterable { case csv, json, ndjson }

/// Writes rows as CSV, as one JSON document, or as a JSON object a line; piece by piece, so that a listing may be long.
package struct RowEncoder {
  private let form: RowForm
  private let columns: [(id: String, index: Int?)]
  private let isForTerminal: Bool
  private var writer: JSONWriter
  private var csv = CSVWriter()

  /// - Parameters:
  ///   - listing: Gives location and columns; its rows are not written.
  ///   - columns: Ids of the columns to write, in this order; `location` may be among them. Nil for all.
  ///   - isForTerminal: Writes what a terminal would act on as escapes.
  /// - Throws: `.usage` naming the columns there are, when one is unknown.
  package init(
    _ form: RowForm, _ listing: Listing, columns ids: [String]? = nil, isForTerminal: Bool = false
  ) throws(ServiceError) {
    self.form = form
    self.isForTerminal = isForTerminal
    columns = try RowEncoder.chosen(ids, of: listing)
    writer = JSONWriter(escapingTerminalControls: isForTerminal)
    switch form {
    case .csv: csv.line(columns.map(\.id))
    case .json: beginDocument(listing)
    case .ndjson: break
    }
  }

  /// What was written and not yet taken.
  package mutating func take() -> [UInt8] { form == .csv ? csv.take() : writer.take() }

  package mutating func add(_ rows: [Row]) {
    for row in rows { add(row) }
  }

  /// Ends the document.
  package mutating func finish(next: String?, facets: [Facet]? = nil, suggestions: [String]? = nil) {
    guard form == .json else { return }
    writer.endArray()
    writer.key("next")
    next.map { writer.string($0) } ?? writer.null()
    if let facets { add(facets) }
    if let suggestions {
      writer.key("suggestions")
      writer.beginArray()
      for suggestion in suggestions { writer.string(suggestion) }
      writer.endArray()
    }
    writer.endObject()
    writer.endLine()
  }

  private mutating func add(_ row: Row) {
    if form == .csv {
      csv.line(
        columns.map { column in
          let text = column.index.map { row.values[$0].exactText } ?? row.location.text
          return isForTerminal ? Visible.escaped(text) : text
        })
      return
    }
    writer.beginObject()
    writer.key("location")
    writer.string(row.location.text)
    for column in columns {
      guard let index = column.index else { continue }
      writer.key(column.id)
      writer.value(row.values[index])
    }
    writer.endObject()
    if form == .ndjson { writer.endLine() }
  }

  private mutating func beginDocument(_ listing: Listing) {
    writer.beginObject()
    writer.key("location")
    writer.string(listing.location.text)
    writer.key("columns")
    writer.beginArray()
    for column in columns.compactMap({ $0.index.map { listing.columns[$0] } }) {
      writer.beginObject()
      writer.key("id")
      writer.string(column.id)
      writer.key("title")
      writer.string(column.title)
      writer.key("type")
      writer.string(column.kind.rawValue)
      writer.endObject()
    }
    writer.endArray()
    writer.key("rows")
    writer.beginArray()
  }

  private mutating func add(_ facets: [Facet]) {
    writer.key("facets")
    writer.beginArray()
    for facet in facets {
      writer.beginObject()
      writer.key("id")
      writer.string(facet.id)
      writer.key("title")
      writer.string(facet.title)
      writer.key("buckets")
      writer.beginArray()
      for bucket in facet.buckets {
        writer.beginObject()
        writer.key("value")
        writer.string(bucket.value)
        writer.key("title")
        writer.string(bucket.title)
        writer.key("count")
        writer.integer(bucket.count)
        writer.endObject()
      }
      writer.endArray()
      writer.endObject()
    }
    writer.endArray()
  }

  private static func chosen(
    _ ids: [String]?, of listing: Listing
  ) throws(ServiceError) -> [(id: String, index: Int?)] {
    guard let ids else { return listing.columns.enumerated().map { ($1.id, $0) } }
    var columns: [(id: String, index: Int?)] = []
    for id in ids {
      guard let index = listing.columnIndex(id) else {
        guard id == "location" else { throw .unknownColumn(id, listing.columns, "list \(listing.location)") }
        columns.append((id, nil))
        continue
      }
      columns.append((id, index))
    }
    return columns
  }
}

extension JSONWriter {
  /// A value as scripts read it: amounts as decimal strings, times in RFC 3339, sizes and whole numbers as numbers.
  package mutating func value(_ value: Value) {
    switch value {
    case .null: null()
    case .text(let text), .date(let text): string(text)
    case .integer(let number), .size(let number): integer(number)
    case .decimal(let text): number(text)
    case .money(let money): string(money.decimalText)
    case .time(let time): string(time.rfc3339)
    case .flag(let flag): bool(flag)
    case .list(let values):
      beginArray()
      for value in values { self.value(value) }
      endArray()
    }
  }
}
