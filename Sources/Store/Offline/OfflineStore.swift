import Crypto
import LockedMemory
import Model
import SQLite

/// Synchronised rows and the edits that wait, encrypted in one SQLite file.
///
/// Every record is sealed with AES-256-GCM and bound to its table and row, so that none can be read, changed or moved.
/// Names and keys stand in the file as keyed digests only. Several processes may use one store at once; what a function
/// here wrote is on the disk when it returns.
package final class OfflineStore: Sendable {
  package let path: String
  let database: Database
  private let sealKey: LockedBytes
  private let digestKey: LockedBytes

  /// Opens the store, and makes it if need be.
  ///
  /// - Parameter key: 64 hexadecimal digits.
  /// - Throws: `.otherKey` when the file was made with another one.
  package init(path: String, key: Secret) throws(OfflineError) {
    guard var bytes = Hex.decode(key.reveal()), bytes.count == AES256GCM.keyBytes else {
      throw .crypto(CryptoError(.badParameter, "the key of an offline store has 32 bytes"))
    }
    defer { bytes.wipe() }
    self.path = path
    // One key for each use.
    sealKey = LockedBytes(HMAC.authenticate(Array("atrium offline seal".utf8), key: bytes, using: .sha256))
    digestKey = LockedBytes(HMAC.authenticate(Array("atrium offline names".utf8), key: bytes, using: .sha256))
    do throws(FileError) { try Files.makeDirectory(FilePath.directory(of: path)) } catch { throw .file(error) }
    var options = Database.Options()
    options.erasesDeleted = true
    do throws(SQLiteError) {
      database = try Database(path: path, options: options)
      // An acknowledged edit must survive a power failure, too.
      try database.execute("PRAGMA synchronous = FULL")
    } catch {
      throw OfflineError(error, path: path)
    }
    try prepare()
  }

  private func prepare() throws(OfflineError) {
    try transaction { () throws in
      try self.database.migrate(Self.migrations)
      let mark = try self.database.value("SELECT sealed FROM facts WHERE name = 'mark'")
      let binding = Place.fact("mark").binding
      if let sealed = mark.blob {
        guard (try? self.opened(sealed, binding)) == Self.mark else { throw OfflineError.otherKey(path: self.path) }
      } else {
        let cipher = try self.cipher()
        let sealed = try cipher.seal(Self.mark, authenticating: binding)
        try self.database.execute("INSERT INTO facts VALUES ('mark', ?)", .blob(sealed))
      }
    }
  }

  private static let mark = Array("atrium offline store".utf8)

  private static let migrations = [
    Database.Migration(
      "sets, rows and edits",
      sql: "CREATE TABLE facts (name TEXT PRIMARY KEY, sealed BLOB NOT NULL) WITHOUT ROWID",
      "CREATE TABLE sets (id INTEGER PRIMARY KEY, tag BLOB NOT NULL UNIQUE, sealed BLOB NOT NULL)",
      """
      CREATE TABLE rows (set_id INTEGER NOT NULL, place INTEGER NOT NULL, tag BLOB NOT NULL, sealed BLOB NOT NULL,
        PRIMARY KEY (set_id, place)) WITHOUT ROWID
      """,
      "CREATE UNIQUE INDEX row_tags ON rows (set_id, tag)",
      "CREATE TABLE pending (id INTEGER PRIMARY KEY AUTOINCREMENT, sealed BLOB NOT NULL)")
  ]
}

// MARK: - Sealing

extension OfflineStore {
  /// Where a record stands; what it is sealed to.
  enum Place {
    case fact(String)
    case set(tag: [UInt8])
    case row(set: Int64, tag: [UInt8])
    case edit(Int64)

    var binding: [UInt8] {
      switch self {
      case .fact(let name): Array("fact:\(name)".utf8)
      case .set(let tag): Array("set:".utf8) + tag
      case .row(let set, let tag): Place.rowBinding(set) + tag
      case .edit(let id): Array("edit:".utf8) + UInt64(bitPattern: id).bytes
      }
    }

    static func rowBinding(_ set: Int64) -> [UInt8] { Array("row:".utf8) + UInt64(bitPattern: set).bytes }
  }

  static let tagBytes = 16

  /// Finds a name without telling it.
  func tag(_ words: String...) -> [UInt8] {
    // A length before each word, so that no two lists of words look alike.
    let message = words.flatMap { UInt32($0.utf8.count).bytes + Array($0.utf8) }
    return Array(HMAC.authenticate(message, key: digestKey, using: .sha256).prefix(Self.tagBytes))
  }

  func cipher() throws(OfflineError) -> AES256GCMCipher {
    do throws(CryptoError) { return try AES256GCMCipher(key: sealKey) } catch { throw .crypto(error) }
  }

  func sealed(_ plain: [UInt8], _ binding: [UInt8]) throws(OfflineError) -> [UInt8] {
    let cipher = try cipher()
    do throws(CryptoError) { return try cipher.seal(plain, authenticating: binding) } catch { throw .crypto(error) }
  }

  func opened(_ sealed: [UInt8], _ binding: [UInt8]) throws(OfflineError) -> [UInt8] {
    let cipher = try cipher()
    var plain = [UInt8](repeating: 0, count: max(1, sealed.count))
    do {
      let count = try plain.withUnsafeMutableBytes { target in
        try sealed.withUnsafeBytes { sealed in
          try binding.withUnsafeBytes { try cipher.open(sealed, authenticating: $0, into: target) }
        }
      }
      plain.removeLast(plain.count - count)
      return plain
    } catch {
      throw damaged("a record was changed")
    }
  }

  func damaged(_ what: String) -> OfflineError { .damaged(path: path, what: what) }

  /// Runs statements as a whole; errors of all layers become this store's.
  func transaction<Value>(_ body: () throws -> Value) throws(OfflineError) -> Value {
    do {
      return try database.transaction(.immediate, body)
    } catch {
      throw translated(error)
    }
  }

  func running<Value>(_ body: () throws -> Value) throws(OfflineError) -> Value {
    do { return try body() } catch { throw translated(error) }
  }

  private func translated(_ error: any Error) -> OfflineError {
    switch error {
    case let error as OfflineError: error
    case let error as SQLiteError: OfflineError(error, path: path)
    case let error as CryptoError: .crypto(error)
    default: .damaged(path: path, what: "\(error)")
    }
  }
}
