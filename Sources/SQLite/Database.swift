internal import CSQLite
internal import Glibc

/// A connection to one SQLite file.
///
/// Every call takes the connection's lock, and a transaction keeps it until its closure returns. So threads may share a
/// connection, but they wait for each other: use it from one isolation at a time.
// @unchecked Sendable: all mutable state is read and written under `lock`.
package final class Database: @unchecked Sendable {
  package struct Options: Sendable {
    package static let standard = Options()

    package var isReadOnly = false
    /// Readers do not wait for the writer; the file then has `-wal` and `-shm` beside it.
    package var usesWAL = true
    /// How long to wait for another process before `.busy`.
    package var busyTimeout = Duration.seconds(5)
    package var hasForeignKeys = true
    /// Writes zeros over what is deleted.
    package var erasesDeleted = false

    package init() {}
  }

  let lock = RecursiveLock()
  let handle: OpaquePointer
  private var cache = StatementCache()
  /// How many transactions enclose the current statement.
  private var depth = 0

  /// Opens the file, and makes it if need be, readable and writable for its owner only.
  ///
  /// - Parameter path: A file; `:memory:` for a database that lives as long as the connection.
  package init(path: String, options: Options = .standard) throws(SQLiteError) {
    if !options.isReadOnly { Self.makePrivate(path) }
    var opened: OpaquePointer?
    let access = options.isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let code = sqlite3_open_v2(path, &opened, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard let opened, code == SQLITE_OK else {
      defer { sqlite3_close_v2(opened) }
      throw SQLiteError(code: code, message: String(cString: sqlite3_errstr(code)), sql: nil)
    }
    handle = opened
    try configure(options)
  }

  deinit {
    cache.removeAll()
    sqlite3_close_v2(handle)
  }

  /// SQLite would make the file readable for all; the files it puts beside take over its permissions.
  private static func makePrivate(_ path: String) {
    guard path != ":memory:", !path.isEmpty else { return }
    let file = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    // What cannot be opened here, sqlite3_open_v2 explains.
    if file >= 0 { close(file) }
  }

  private func configure(_ options: Options) throws(SQLiteError) {
    csqlite_distrust_schema(handle)
    let (seconds, fraction) = options.busyTimeout.components
    sqlite3_busy_timeout(handle, Int32(clamping: seconds * 1000 + fraction / 1_000_000_000_000_000))
    if options.usesWAL, !options.isReadOnly {
      try execute("PRAGMA journal_mode = WAL")
      // Safe with WAL: a power failure can undo the last transactions, and cannot damage the file.
      try execute("PRAGMA synchronous = NORMAL")
    }
    try execute("PRAGMA foreign_keys = \(options.hasForeignKeys ? "ON" : "OFF")")
    if options.erasesDeleted { try execute("PRAGMA secure_delete = ON") }
  }

  func locked<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }

  /// Fails the statement that is running, on whatever thread, with `.interrupted`.
  package func interrupt() { sqlite3_interrupt(handle) }

  func error(_ code: Int32, sql: String?) -> SQLiteError {
    SQLiteError(code: code, message: String(cString: sqlite3_errmsg(handle)), sql: sql)
  }
}

extension Database {
  /// A statement to run many times. It keeps the connection open.
  package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    try locked { () throws(SQLiteError) in try Statement(sql, in: self) }
  }

  /// Runs one statement.
  ///
  /// - Returns: How many rows it inserted, changed or deleted, those of triggers and foreign keys included.
  @discardableResult
  package func execute(_ sql: String, _ bindings: SQLValue...) throws(SQLiteError) -> Int {
    try execute(sql, bindings: bindings)
  }

  @discardableResult
  package func execute(_ sql: String, bindings: [SQLValue]) throws(SQLiteError) -> Int {
    try withStatement(sql, bindings) { (statement) throws(SQLiteError) in
      let changesBefore = sqlite3_total_changes64(handle)
      while try statement.step() {}
      return Int(sqlite3_total_changes64(handle) - changesBefore)
    }
  }

  /// All rows of a query.
  package func query(_ sql: String, _ bindings: SQLValue...) throws(SQLiteError) -> [SQLRow] {
    try query(sql, bindings: bindings)
  }

  package func query(_ sql: String, bindings: [SQLValue]) throws(SQLiteError) -> [SQLRow] {
    try withStatement(sql, bindings) { (statement) throws(SQLiteError) in
      var rows: [SQLRow] = []
      while try statement.step() { rows.append(statement.row) }
      return rows
    }
  }

  /// The first cell of the first row; null when there is no row.
  package func value(_ sql: String, _ bindings: SQLValue...) throws(SQLiteError) -> SQLValue {
    try withStatement(sql, bindings) { (statement) throws(SQLiteError) in
      try statement.step() ? statement.column(0) : .null
    }
  }

  /// The row id of the last insert.
  package var lastInsertedRow: Int64 {
    lock.lock()
    defer { lock.unlock() }
    return sqlite3_last_insert_rowid(handle)
  }

  private func withStatement<Result>(
    _ sql: String, _ bindings: [SQLValue], _ body: (RawStatement) throws(SQLiteError) -> Result
  ) throws(SQLiteError) -> Result {
    try locked { () throws(SQLiteError) in
      let statement: RawStatement
      if let cached = cache.take(sql) { statement = cached } else { statement = try RawStatement(sql, in: self) }
      // A statement that failed has been reset by this, and can be used again.
      defer { cache.give(statement.reset()) }
      try statement.bind(bindings, in: self)
      return try body(statement)
    }
  }
}

extension Database {
  package enum TransactionKind: String, Sendable {
    /// Locks the file with the first read or write.
    case deferred = "DEFERRED"
    /// Locks the file for writing at once, so that it cannot fail as busy half-way.
    case immediate = "IMMEDIATE"
  }

  /// Runs the closure as a whole: what it wrote is kept when it returns, and undone when it throws.
  ///
  /// Inside another transaction it is a savepoint: it is undone alone, and kept only with the outer one.
  package func transaction<Result>(
    _ kind: TransactionKind = .immediate, _ body: () throws -> Result
  ) throws -> Result {
    lock.lock()
    defer { lock.unlock() }
    let level = depth
    try execute(level == 0 ? "BEGIN \(kind.rawValue)" : "SAVEPOINT level\(level)")
    depth += 1
    defer { depth = level }
    do {
      let result = try body()
      try execute(level == 0 ? "COMMIT" : "RELEASE level\(level)")
      return result
    } catch {
      undo(level)
      throw error
    }
  }

  private func undo(_ level: Int) {
    // SQLite has already undone all of it after some errors: a full disk, for example.
    guard sqlite3_get_autocommit(handle) == 0 else { return }
    let statements = level == 0 ? ["ROLLBACK"] : ["ROLLBACK TO level\(level)", "RELEASE level\(level)"]
    for sql in statements { _ = sqlite3_exec(handle, sql, nil, nil, nil) }
  }
}
