internal import CSQLite

/// What SQLite refused, and for which statement. Never holds the values of parameters.
package struct SQLiteError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Kind: Sendable, CaseIterable {
    /// Another process holds the file longer than the busy timeout.
    case busy
    /// A row breaks a rule of its table.
    case constraint
    /// The file is damaged, or is no database.
    case corrupt
    /// The file cannot be opened, read or written, or the disk is full.
    case inaccessible
    /// `interrupt()` was called.
    case interrupted
    /// The file was made by a newer version of this program.
    case newerSchema
    /// Anything else: an error in a statement, mostly.
    case other
  }

  /// SQLite's extended result code: https://www.sqlite.org/rescode.html
  package let code: Int
  /// SQLite's own words.
  package let message: String
  /// The statement as written, with its parameters' places.
  package let sql: String?
  package let kind: Kind

  init(code: Int32, message: String, sql: String?, kind: Kind? = nil) {
    self.code = Int(code)
    self.message = message
    self.sql = sql
    self.kind = kind ?? Self.kind(of: code & 0xFF)
  }

  package var description: String {
    let statement = sql.map { " in: \($0)" } ?? ""
    return "SQLite \(code): \(message)\(statement)"
  }

  private static func kind(of primary: Int32) -> Kind {
    switch primary {
    case SQLITE_BUSY, SQLITE_LOCKED: .busy
    case SQLITE_CONSTRAINT: .constraint
    case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt
    case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL, SQLITE_AUTH: .inaccessible
    case SQLITE_INTERRUPT: .interrupted
    default: .other
    }
  }
}
