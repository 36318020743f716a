import Model
import SQLite

/// What becomes of an edit, seen what waits already.
package enum OfflineDecision: Sendable {
  case nothing
  case add(OfflineEdit)
  /// Changes one that waits and has never been sent.
  case amend(OfflineEdit)
  case drop(Int64)
}

extension OfflineStore {
  /// All edits that wait, in the order they were made.
  package func edits() throws(OfflineError) -> [OfflineEdit] {
    try running { try self.database.query("SELECT id, sealed FROM pending ORDER BY id").map { try self.edit($0) } }
  }

  package func edit(_ id: Int64) throws(OfflineError) -> OfflineEdit? {
    try running {
      try self.database.query("SELECT id, sealed FROM pending WHERE id = ?", .integer(id)).first.map {
        try self.edit($0)
      }
    }
  }

  private func edit(_ row: SQLRow) throws(OfflineError) -> OfflineEdit {
    let id = Int64(row["id"].int ?? 0)
    guard let edit = OfflineEdit(id: id, bytes: try opened(row["sealed"].blob ?? [], Place.edit(id).binding)) else {
      throw damaged("an edit cannot be read")
    }
    return edit
  }

  /// Queues an edit; it is on the disk when this returns.
  ///
  /// - Parameter decide: Gets what waits already, under the lock that orders edits of several processes.
  /// - Returns: The edit as it waits now; nil when there is none.
  @discardableResult
  package func queue(_ decide: ([OfflineEdit]) throws -> OfflineDecision) throws(OfflineError) -> OfflineEdit? {
    try transaction {
      switch try decide(try self.edits()) {
      case .nothing: return nil
      case .drop(let id):
        try self.database.execute("DELETE FROM pending WHERE id = ?", .integer(id))
        return nil
      case .amend(let edit):
        try self.write(edit)
        return edit
      case .add(var edit):
        try self.database.execute("INSERT INTO pending (sealed) VALUES (x'')")
        edit.id = self.database.lastInsertedRow
        try self.write(edit)
        return edit
      }
    }
  }

  /// Notes a changed state or tag; an edit that was dropped meanwhile stays dropped.
  package func update(_ edit: OfflineEdit) throws(OfflineError) {
    try transaction { try self.write(edit) }
  }

  private func write(_ edit: OfflineEdit) throws {
    let sealed = try sealed(edit.bytes, Place.edit(edit.id).binding)
    try database.execute("UPDATE pending SET sealed = ? WHERE id = ?", .blob(sealed), .integer(edit.id))
  }

  /// The server has executed it: it no longer waits, and its row is as the server says; nil when the row has gone.
  package func finish(_ edit: OfflineEdit, row: OfflineRow?) throws(OfflineError) {
    try transaction {
      try self.database.execute("DELETE FROM pending WHERE id = ?", .integer(edit.id))
      try self.write(row, key: edit.key, in: edit.set)
    }
  }

  /// The row is as the server says, nil for gone; its edits go on waiting.
  package func refresh(_ row: OfflineRow?, _ key: String, in set: String) throws(OfflineError) {
    try transaction { try self.write(row, key: key, in: set) }
  }

  /// Drops an edit without sending it; false when there is none.
  ///
  /// The next edit of the same row takes over what the server must still hold: it was made on top of the dropped one, and
  /// a change that the server's row has had since must not be lost by it.
  package func drop(_ id: Int64) throws(OfflineError) -> Bool {
    try transaction {
      guard let dropped = try self.edit(id) else { return false }
      let next = try self.edits().first { $0.id > id && $0.set == dropped.set && $0.key == dropped.key }
      if var next, next.follows {
        (next.tag, next.follows) = (dropped.tag, dropped.follows)
        try self.write(next)
      }
      return try self.database.execute("DELETE FROM pending WHERE id = ?", .integer(id)) > 0
    }
  }
}
