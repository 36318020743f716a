import Crypto
import Model
import SQLite

/// Why an offline store cannot do what it was asked.
package enum OfflineError: Error, Sendable, Equatable {
  /// The store was encrypted with another key.
  case otherKey(path: String)
  /// Something in it is not what was written.
  case damaged(path: String, what: String)
  /// Made by a newer version of this program.
  case newer(path: String)
  case database(SQLiteError)
  case crypto(CryptoError)
  case file(FileError)

  package func serviceError(_ operation: String) -> ServiceError {
    switch self {
    case .otherKey(let path):
      ServiceError(
        .failed, operation, detail: "the offline store \(path) was encrypted with a key that is no longer in the vault",
        remedy: "It cannot be read again: remove the file and synchronise.", cause: self)
    case .damaged(let path, let what):
      ServiceError(
        .failed, operation, detail: "the offline store \(path) is damaged: \(what)",
        remedy: "Put back a copy of the file, or remove it and synchronise; edits that wait in it are lost then.",
        cause: self)
    case .newer(let path):
      ServiceError(
        .failed, operation, detail: "the offline store \(path) was made by a newer version of Atrium",
        remedy: "Use that version.", cause: self)
    case .database(let error):
      ServiceError(
        error.kind == .busy ? .busy : .failed, operation, detail: "the offline store: \(error.message)",
        remedy: error.kind == .busy ? "Another Atrium is writing to it: try again." : "Check the disk and try again.",
        cause: self)
    case .crypto(let error): ServiceError(.failed, operation, detail: error.message, cause: self)
    case .file(let error): error.serviceError(operation)
    }
  }

  init(_ error: SQLiteError, path: String) {
    switch error.kind {
    case .corrupt: self = .damaged(path: path, what: error.message)
    case .newerSchema: self = .newer(path: path)
    default: self = .database(error)
    }
  }
}
