import Crypto
import Model

/// The hash of a public key that a server may have: `sha256//` and the Base64 of SHA-256 over its
/// `SubjectPublicKeyInfo`, as RFC 7469 counts it and libcurl writes it.
public struct PublicKeyPin: Sendable, Hashable {
  let text: String

  /// - Throws: `.configuration` for a text of another form.
  public init(_ text: String) throws(ServiceError) {
    let hash = text.hasPrefix(Self.prefix) ? Base64.decode(String(text.dropFirst(Self.prefix.count))) : nil
    guard let hash, hash.count == 32 else {
      throw ServiceError(
        .configuration, "pin the public key “\(text)”", detail: "it is no hash of a public key",
        remedy: "Write sha256// and the Base64 of SHA-256 over the key's SubjectPublicKeyInfo.")
    }
    self.text = Self.prefix + Base64.encode(hash)
  }

  /// The key of a certificate in PEM, the first of several.
  ///
  /// - Throws: `.configuration` when it is no certificate.
  public init(certificate pem: String) throws(ServiceError) {
    do throws(CryptoError) {
      text = Self.prefix + Base64.encode(try Certificate.all(inPEM: pem)[0].publicKeyHash)
    } catch {
      throw ServiceError(.configuration, "pin the key of a certificate", detail: "\(error)", cause: error)
    }
  }

  private static let prefix = "sha256//"
}

extension TransportSettings {
  /// Believes only a server with the key of this certificate, or of another that was pinned before
  /// (`pinTrustedCertificatePublicKey`).
  public mutating func pin(certificate pem: String) throws(ServiceError) {
    pinnedKeys.append(try PublicKeyPin(certificate: pem))
  }
}
