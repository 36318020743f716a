import Crypto
import Model

/// Why a vault cannot do what it was asked. The names are DataVault's where it has one (SMP 3 SDK error codes).
package enum VaultError: Error, Sendable, Equatable {
  case doesNotExist(String)
  case alreadyExists(String)
  case locked(String)
  /// The PIN is wrong; nil where there is no limit to the tries.
  case invalidPIN(String, triesLeft: Int?)
  /// The last try was wrong: the vault and everything in it is gone.
  case wiped(String)
  case unacceptablePIN([String])
  case expiredPIN(String)
  /// The PIN is right, and less than the policy has come to demand.
  case incompatiblePIN(String, [String])
  case nameEmpty
  case nameTooLong
  case valueTooLarge
  /// Some of its bytes are not what was written.
  case damaged(path: String, what: String)
  case file(FileError)
  case crypto(CryptoError)
}

extension VaultError {
  /// Longest name of an entry, as DataVault has it, in bytes of UTF-8.
  package static let maxNameBytes = 255
  /// Longest value, in bytes.
  package static let maxValueBytes = 1 << 20

  /// The same for a person.
  package func serviceError(_ operation: String) -> ServiceError {
    switch self {
    case .doesNotExist(let name):
      ServiceError(
        .vaultLocked, operation, detail: "there is no vault “\(name)”", remedy: "Create it with: atrium vault create.")
    case .alreadyExists(let name):
      ServiceError(
        .failed, operation, detail: "there is a vault “\(name)” already",
        remedy: "Change its PIN with: atrium vault change-pin, or destroy it first.")
    case .locked(let name):
      ServiceError(.vaultLocked, operation, detail: "“\(name)”")
    case .invalidPIN(_, let left):
      ServiceError(
        .vaultLocked, operation, detail: "the PIN is wrong\(VaultError.words(for: left))",
        remedy: VaultError.advice(left))
    case .wiped(let name):
      ServiceError(
        .vaultLocked, operation,
        detail: "the PIN was wrong too often; the vault “\(name)” and everything in it has been deleted",
        remedy: "Create a new one with: atrium vault create, and sign in again.")
    case .unacceptablePIN(let objections):
      ServiceError(
        .usage, operation, detail: "the PIN will not do: \(objections.joined(separator: ", "))",
        remedy: "Choose another PIN.")
    case .expiredPIN:
      ServiceError(
        .vaultLocked, operation, detail: "the PIN is too old",
        remedy: "Change it with: atrium vault change-pin.")
    case .incompatiblePIN(_, let objections):
      ServiceError(
        .vaultLocked, operation,
        detail: "the PIN is no longer strong enough: \(objections.joined(separator: ", "))",
        remedy: "Change it with: atrium vault change-pin.")
    case .nameEmpty: ServiceError(.usage, operation, detail: "a name in the vault cannot be empty")
    case .nameTooLong:
      ServiceError(.usage, operation, detail: "a name in the vault has at most \(VaultError.maxNameBytes) bytes")
    case .valueTooLarge:
      ServiceError(.tooLarge, operation, detail: "a value in the vault has at most \(VaultError.maxValueBytes) bytes")
    case .damaged(let path, let what):
      ServiceError(
        .failed, operation, detail: "the vault file \(path) is damaged: \(what)",
        remedy: "Put back a copy of the file, or destroy the vault with: atrium vault destroy.")
    case .file(let error): error.serviceError(operation)
    case .crypto(let error): ServiceError(.failed, operation, detail: error.message, cause: error)
    }
  }

  /// Whether the vault opens once its PIN is changed.
  var wantsAnotherPIN: Bool {
    switch self {
    case .expiredPIN, .incompatiblePIN: true
    default: false
    }
  }

  /// The reason alone: "the PIN is too old".
  var why: String { serviceError("").detail ?? "" }

  private static func words(for left: Int?) -> String {
    guard let left else { return "" }
    return left == 1 ? "; 1 try is left" : "; \(left) tries are left"
  }

  private static func advice(_ left: Int?) -> String {
    guard let left, left <= 3 else { return "Try again." }
    return "Take care: when none is left, the vault and everything in it is deleted."
  }
}
