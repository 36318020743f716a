import Model
import Store

/// Why a vault did not do what it was asked; the numbers are DataVault's error codes (SMP 3 SDK).
public struct DataVaultError: Error, Sendable, Hashable, CustomStringConvertible {
  public enum Code: Int, Sendable, CaseIterable {
    case unknown = 0, alreadyExists, conversion, doesNotExist, invalidArgument, invalidPassword, read, write, locked
    case nameTooLong, valueTooLarge
    case dataType = 12, outOfMemory
    case passwordRequired = 50, passwordUnderMinLength, passwordRequiresDigit, passwordRequiresUpper
    case passwordRequiresLower, passwordRequiresSpecial, passwordUnderMinUniqueCharacters, passwordExpired
  }

  public let code: Code
  /// For a person, without any secret.
  public let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  init(_ error: VaultError) {
    self.init(Self.code(of: error), error.serviceError("use the vault").detail ?? "the vault refused")
  }

  private static func code(of error: VaultError) -> Code {
    switch error {
    // At the limit the vault is gone: there is nothing to try again.
    case .doesNotExist, .wiped: .doesNotExist
    case .alreadyExists: .alreadyExists
    case .locked: .locked
    case .invalidPIN: .invalidPassword
    case .unacceptablePIN(let objections), .incompatiblePIN(_, let objections): code(of: objections)
    case .expiredPIN: .passwordExpired
    case .nameTooLong: .nameTooLong
    case .valueTooLarge: .valueTooLarge
    case .damaged: .conversion
    case .nameEmpty: .invalidArgument
    case .file: .read
    default: .unknown
    }
  }

  /// By the first thing that the policy objects to, in the words of `VaultPolicy`.
  private static func code(of objections: [String]) -> Code {
    let words: [(String, Code)] = [
      ("required", .passwordRequired), ("at least", .passwordUnderMinLength), ("digit", .passwordRequiresDigit),
      ("capital", .passwordRequiresUpper), ("small", .passwordRequiresLower), ("special", .passwordRequiresSpecial),
    ]
    guard let first = objections.first else { return .invalidPassword }
    if first.contains("different") { return .passwordUnderMinUniqueCharacters }
    return words.first { first.contains($0.0) }?.1 ?? .invalidPassword
  }
}
