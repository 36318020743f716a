internal import CSQLite

/// A prepared statement: bind, step until there is no row, read columns in between.
///
/// Like its connection, it is used from one isolation at a time; each call takes the connection's lock.
// @unchecked Sendable: the statement is only touched under the lock of its connection.
package final class Statement: @unchecked Sendable {
  private let database: Database
  private let raw: RawStatement

  init(_ sql: String, in database: Database) throws(SQLiteError) {
    self.database = database
    raw = try RawStatement(sql, in: database)
  }

  deinit {
    database.lock.lock()
    raw.finalize()
    database.lock.unlock()
  }

  package var sql: String { raw.sql }
  package var columnNames: [String] { raw.names }

  /// Begins anew with these values for the parameters, in order.
  package func bind(_ values: SQLValue...) throws(SQLiteError) { try bind(values) }

  package func bind(_ values: [SQLValue]) throws(SQLiteError) {
    try database.locked { () throws(SQLiteError) in try raw.reset().bind(values, in: database) }
  }

  /// Goes to the next row; false at the end.
  package func step() throws(SQLiteError) -> Bool {
    try database.locked { () throws(SQLiteError) in try raw.step() }
  }

  /// Runs to the end, for statements without rows, and is ready to be bound again.
  package func run(_ values: SQLValue...) throws(SQLiteError) {
    try database.locked { () throws(SQLiteError) in
      defer { raw.reset() }
      try raw.reset().bind(values, in: database)
      while try raw.step() {}
    }
  }

  /// A cell of the current row; null when there is none.
  package func column(_ index: Int) -> SQLValue {
    database.lock.lock()
    defer { database.lock.unlock() }
    return raw.column(Int32(clamping: index))
  }

  /// The bytes of a blob in the current row without a copy, valid during the call only; empty for anything else.
  package func withBlob<Result, Failure: Error>(
    _ index: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    database.lock.lock()
    defer { database.lock.unlock() }
    return try body(raw.blob(Int32(clamping: index)))
  }

  /// The current row.
  package var row: SQLRow {
    database.lock.lock()
    defer { database.lock.unlock() }
    return raw.row
  }

  package func reset() {
    database.lock.lock()
    defer { database.lock.unlock() }
    raw.reset()
  }
}

/// A statement of SQLite and its text; whoever holds it finalizes it, under the lock of its connection.
struct RawStatement {
  let sql: String
  let names: [String]
  private let handle: OpaquePointer
  private let connection: OpaquePointer

  init(_ sql: String, in database: Database) throws(SQLiteError) {
    var (prepared, sqlText) = (OpaquePointer?.none, sql)
    let (code, rest) = sqlText.withUTF8 { text -> (Int32, Bool) in
      text.withMemoryRebound(to: CChar.self) { text in
        var tail: UnsafePointer<CChar>?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let code = sqlite3_prepare_v3(database.handle, text.baseAddress, Int32(text.count), flags, &prepared, &tail)
        guard let start = text.baseAddress, let tail else { return (code, false) }
        let blank: [CChar] = [0x20, 0x09, 0x0A, 0x0D, 0x3B]
        return (code, !text[(tail - start)...].allSatisfy(blank.contains))
      }
    }
    guard code == SQLITE_OK else { throw database.error(code, sql: sql) }
    guard let prepared, !rest else {
      sqlite3_finalize(prepared)
      let message = rest ? "more than one statement" : "no statement"
      throw SQLiteError(code: SQLITE_MISUSE, message: message, sql: sql)
    }
    self.sql = sql
    handle = prepared
    connection = database.handle
    names = (0..<sqlite3_column_count(prepared)).map {
      sqlite3_column_name(prepared, $0).map { String(cString: $0) } ?? ""
    }
  }

  func finalize() { sqlite3_finalize(handle) }

  /// Ready to run again; its parameters are null, so that no value stays in memory.
  @discardableResult
  func reset() -> RawStatement {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
    return self
  }

  func bind(_ values: [SQLValue], in database: Database) throws(SQLiteError) {
    let wanted = Int(sqlite3_bind_parameter_count(handle))
    guard values.count == wanted else {
      throw SQLiteError(code: SQLITE_RANGE, message: "\(wanted) parameters, but \(values.count) values", sql: sql)
    }
    for (index, value) in zip(Int32(1)..., values) {
      let code = bind(value, at: index)
      guard code == SQLITE_OK else { throw database.error(code, sql: sql) }
    }
  }

  private func bind(_ value: SQLValue, at index: Int32) -> Int32 {
    switch value {
    case .null: return sqlite3_bind_null(handle, index)
    case .integer(let value): return sqlite3_bind_int64(handle, index, value)
    case .real(let value): return sqlite3_bind_double(handle, index, value)
    case .text(var text):
      return text.withUTF8 { text in
        let bytes = UnsafeRawBufferPointer(text)
        return csqlite_bind_text(handle, index, bytes.baseAddress ?? Self.noBytes, UInt64(bytes.count))
      }
    case .blob(let bytes):
      return bytes.withUnsafeBytes {
        csqlite_bind_blob(handle, index, $0.baseAddress ?? Self.noBytes, UInt64($0.count))
      }
    }
  }

  /// For empty texts and blobs: SQLite takes a null pointer for NULL.
  private static var noBytes: UnsafeRawPointer { UnsafeRawPointer(StaticString("").utf8Start) }

  func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw SQLiteError(code: code, message: String(cString: sqlite3_errmsg(connection)), sql: sql)
    }
  }

  func column(_ index: Int32) -> SQLValue {
    switch sqlite3_column_type(handle, index) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, index))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, index))
    case SQLITE_TEXT:
      let text = UnsafeRawPointer(sqlite3_column_text(handle, index))
      let count = Int(sqlite3_column_bytes(handle, index))
      return .text(String(decoding: UnsafeRawBufferPointer(start: text, count: count), as: UTF8.self))
    case SQLITE_BLOB:
      let bytes = sqlite3_column_blob(handle, index)
      return .blob(Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, index)))))
    default: return .null
    }
  }

  func blob(_ index: Int32) -> UnsafeRawBufferPointer {
    guard sqlite3_column_type(handle, index) == SQLITE_BLOB else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    let bytes = sqlite3_column_blob(handle, index)
    return UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, index)))
  }

  var row: SQLRow {
    SQLRow(names: names, values: names.indices.map { column(Int32($0)) })
  }
}

/// Statements that ran, by their text, for the next time. One that is running is not in it.
struct StatementCache {
  private static let capacity = 64
  private var statements: [String: RawStatement] = [:]
  /// Texts from the one that was used longest ago to the latest.
  private var order: [String] = []

  mutating func take(_ sql: String) -> RawStatement? {
    guard let statement = statements.removeValue(forKey: sql) else { return nil }
    order.removeAll { $0 == sql }
    return statement
  }

  mutating func give(_ statement: RawStatement) {
    guard statements[statement.sql] == nil else { return statement.finalize() }
    statements[statement.sql] = statement
    order.append(statement.sql)
    guard order.count > Self.capacity else { return }
    statements.removeValue(forKey: order.removeFirst())?.finalize()
  }

  mutating func removeAll() {
    for statement in statements.values { statement.finalize() }
    statements = [:]
    order = []
  }
}
