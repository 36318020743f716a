internal import CSQLite

extension Database {
  /// One step of the schema: what it is for, and how it is done.
  package struct Migration: Sendable {
    package let name: String
    package let run: @Sendable (Database) throws(SQLiteError) -> Void

    package init(_ name: String, _ run: @escaping @Sendable (Database) throws(SQLiteError) -> Void) {
      self.name = name
      self.run = run
    }

    /// A step of plain statements.
    package init(_ name: String, sql: String...) {
      self.init(name) { (database) throws(SQLiteError) in
        for statement in sql { try database.execute(statement) }
      }
    }
  }

  /// A number of the program's own in the file's header; 0 in a new file.
  package var userVersion: Int {
    get throws(SQLiteError) { try value("PRAGMA user_version").int ?? 0 }
  }

  package func setUserVersion(_ version: Int) throws(SQLiteError) {
    try execute("PRAGMA user_version = \(Int32(clamping: version))")
  }

  /// Brings the schema up to date: runs the steps that this file has not seen, all or none, and counts them in
  /// `userVersion`. Steps are only ever added at the end.
  ///
  /// - Returns: How many steps ran.
  /// - Throws: `.newerSchema` when the file has seen more steps than there are.
  @discardableResult
  package func migrate(_ steps: [Migration]) throws -> Int {
    try transaction(.immediate) {
      let seen = try userVersion
      guard seen <= steps.count else {
        let message = "the file has version \(seen), newer than \(steps.count), the newest known"
        throw SQLiteError(code: SQLITE_SCHEMA, message: message, sql: nil, kind: .newerSchema)
      }
      for step in steps[max(0, seen)...] { try step.run(self) }
      try setUserVersion(steps.count)
      return steps.count - seen
    }
  }
}
