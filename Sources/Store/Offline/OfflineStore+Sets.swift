import Crypto
import JSON
import Model
import SQLite

extension OfflineStore {
  /// All sets and how many rows of each are kept, in the order they were first synchronised.
  package func sets() throws(OfflineError) -> [(set: OfflineSet, rows: Int)] {
    try running {
      try self.database.query(
        "SELECT id, tag, sealed, (SELECT count(*) FROM rows WHERE set_id = sets.id) AS n FROM sets ORDER BY id"
      ).map { row in (try self.set(row), row["n"].int ?? 0) }
    }
  }

  package func set(named name: String) throws(OfflineError) -> OfflineSet? {
    try running {
      try self.database.query("SELECT id, tag, sealed FROM sets WHERE tag = ?", .blob(self.tag(name))).first.map {
        try self.set($0)
      }
    }
  }

  private func set(_ row: SQLRow) throws(OfflineError) -> OfflineSet {
    let plain = try opened(row["sealed"].blob ?? [], Place.set(tag: row["tag"].blob ?? []).binding)
    guard let set = OfflineSet(id: Int64(row["id"].int ?? 0), bytes: plain) else {
      throw damaged("a set cannot be read")
    }
    return set
  }

  /// The set of a name, made when there is none.
  package func madeSet(named name: String) throws(OfflineError) -> OfflineSet {
    if let set = try set(named: name) { return set }
    return try transaction {
      if let set = try self.set(named: name) { return set }
      try self.database.execute("INSERT INTO sets (tag, sealed) VALUES (?, x'')", .blob(self.tag(name)))
      let set = OfflineSet(id: self.database.lastInsertedRow, name: name)
      try self.write(set)
      return set
    }
  }

  func write(_ set: OfflineSet) throws {
    let tag = tag(set.name)
    let sealed = try sealed(set.bytes, Place.set(tag: tag).binding)
    try database.execute("UPDATE sets SET sealed = ? WHERE id = ?", .blob(sealed), .integer(set.id))
  }

  /// One row as it is kept; nil when there is none.
  package func row(_ key: String, in set: OfflineSet) throws(OfflineError) -> OfflineRow? {
    let tag = tag(set.name, key)
    return try running {
      let value = try self.database.value(
        "SELECT sealed FROM rows WHERE set_id = ? AND tag = ?", .integer(set.id), .blob(tag))
      guard let sealed = value.blob else { return nil }
      return try self.decoded(try self.opened(sealed, Place.row(set: set.id, tag: tag).binding), set)
    }
  }

  func decoded(_ plain: [UInt8], _ set: OfflineSet) throws(OfflineError) -> OfflineRow {
    let row = plain.withUnsafeBytes { OfflineLayout.Reader($0)?.row(set.names) }
    guard let row else { throw damaged("a row cannot be read") }
    return row
  }

  /// Writes a row that an edit's answer brought, or removes it.
  func write(_ row: OfflineRow?, key: String, in name: String) throws {
    var set = try madeSet(named: name)
    guard let row else {
      try database.execute(
        "DELETE FROM rows WHERE set_id = ? AND tag = ?", .integer(set.id), .blob(tag(name, key)))
      return
    }
    let before = set.names
    let plain = OfflineLayout.bytes(of: row, names: &set.names)
    if set.names != before { try write(set) }
    let tag = tag(name, row.key)
    try put(tag, try sealed(plain, Place.row(set: set.id, tag: tag).binding), in: set)
  }

  private func put(_ tag: [UInt8], _ sealed: [UInt8], in set: OfflineSet) throws {
    try database.execute(
      """
      INSERT INTO rows VALUES (?1, (SELECT ifnull(max(place), 0) + 1 FROM rows WHERE set_id = ?1), ?2, ?3)
      ON CONFLICT (set_id, tag) DO UPDATE SET sealed = excluded.sealed
      """, .integer(set.id), .blob(tag), .blob(sealed))
  }
}

/// Rows of one set on their way from the server, sealed as they come; nothing of them counts before they are kept.
package struct OfflineDownload: Sendable {
  package var set: OfflineSet
  /// The rows are all there are, rather than those that changed.
  package let isWhole: Bool
  private(set) var rows: [(tag: [UInt8], sealed: [UInt8])] = []
  private(set) var removed: [[UInt8]] = []
  private let store: OfflineStore

  package init(_ set: OfflineSet, isWhole: Bool, of store: OfflineStore) {
    self.set = set
    self.isWhole = isWhole
    self.store = store
  }

  /// How many rows have come so far.
  package var count: Int { rows.count }

  package mutating func add(_ more: [OfflineRow]) throws(OfflineError) {
    let cipher = try store.cipher()
    do throws(CryptoError) {
      for row in more {
        let tag = store.tag(set.name, row.key)
        let plain = OfflineLayout.bytes(of: row, names: &set.names)
        rows.append(
          (tag, try cipher.seal(plain, authenticating: OfflineStore.Place.row(set: set.id, tag: tag).binding)))
      }
    } catch {
      throw .crypto(error)
    }
  }

  package mutating func remove(_ key: String) { removed.append(store.tag(set.name, key)) }

  /// Removes every kept row that is not among these keys: for servers that do not name what was deleted.
  package mutating func keepOnly(_ keys: [String]) throws(OfflineError) {
    let present = Set(keys.map { store.tag(set.name, $0) })
    let id = set.id
    let database = store.database
    let kept = try store.running { try database.query("SELECT tag FROM rows WHERE set_id = ?", .integer(id)) }
    removed += kept.compactMap { $0[0].blob }.filter { !present.contains($0) }
  }
}

extension OfflineStore {
  /// How many rows a set has once a download of changes is kept.
  package func count(after download: OfflineDownload) throws(OfflineError) -> Int {
    try running {
      let tags = try self.database.query("SELECT tag FROM rows WHERE set_id = ?", .integer(download.set.id))
      var present = Set(tags.compactMap { $0[0].blob })
      present.subtract(download.removed)
      present.formUnion(download.rows.map(\.tag))
      return present.count
    }
  }

  /// Keeps what was downloaded: all of it in one transaction, or nothing.
  package func keep(_ downloads: [OfflineDownload]) throws(OfflineError) {
    try transaction {
      for download in downloads { try self.keep(download) }
    }
    // What was just written twice need not stay so; another process that reads may hold this off until its next turn.
    _ = try? database.query("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  private func keep(_ download: OfflineDownload) throws {
    let id = SQLValue.integer(download.set.id)
    if download.isWhole { try database.execute("DELETE FROM rows WHERE set_id = ?", id) }
    let remove = try database.prepare("DELETE FROM rows WHERE set_id = ? AND tag = ?")
    for tag in download.removed { try remove.run(id, .blob(tag)) }
    var place = Int64(try database.value("SELECT ifnull(max(place), 0) FROM rows WHERE set_id = ?", id).int ?? 0)
    let put = try database.prepare(
      "INSERT INTO rows VALUES (?, ?, ?, ?) ON CONFLICT (set_id, tag) DO UPDATE SET sealed = excluded.sealed")
    for row in download.rows {
      place += 1
      try put.run(id, .integer(place), .blob(row.tag), .blob(row.sealed))
    }
    try write(download.set)
  }
}
