internal import CCrypto

/// What libcrypto or a check before it refused. Never holds keys, texts or passphrases.
package struct CryptoError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: Sendable, CaseIterable {
    /// A key, nonce, cost or length is not what the algorithm takes.
    case badParameter
    /// A ciphertext was changed, or the key is another one; which of the two cannot be told.
    case notAuthentic
    /// A PEM text, certificate or signature cannot be read.
    case unreadable
    /// libcrypto failed where it should not.
    case failed
  }

  package let code: Code
  /// A clause without a full stop.
  package let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { message }

  /// Adds the reason libcrypto gives, and empties its queue of errors.
  static func last(_ code: Code, _ message: String) -> CryptoError {
    defer { ERR_clear_error() }
    guard let reason = ERR_reason_error_string(ERR_peek_last_error()) else { return CryptoError(code, message) }
    return CryptoError(code, "\(message) (\(String(cString: reason)))")
  }
}
