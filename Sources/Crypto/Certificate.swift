internal import CCrypto
internal import Glibc

/// What an X.509 certificate says about itself; nothing here is checked against an authority.
package struct Certificate: Sendable, Equatable {
  /// One line, `C = GB, O = Rainbow Bank, CN = api.bank.example`.
  package let subject: String
  package let issuer: String
  /// Hexadecimal.
  package let serialNumber: String
  /// Seconds since 1970.
  package let notBefore: Int
  package let notAfter: Int
  /// SHA-256 of the certificate.
  package let fingerprint: [UInt8]
  /// SHA-256 of the public key as its `SubjectPublicKeyInfo`, which is what RFC 7469 pins.
  package let publicKeyHash: [UInt8]
  /// The certificate in DER.
  package let der: [UInt8]

  /// All certificates of a PEM text, in order.
  ///
  /// - Throws: `.unreadable` when there is none, or one is damaged.
  package static func all(inPEM text: String) throws(CryptoError) -> [Certificate] {
    var certificates: [Certificate] = []
    let isWhole = PEM.read(text) { buffer -> Bool? in
      while let raw = ccrypto_read_certificate(buffer) {
        defer { X509_free(raw) }
        guard let certificate = Certificate(raw) else { return false }
        certificates.append(certificate)
      }
      // Reading past the last one reports that no line begins another.
      let reason = ERR_peek_last_error() & 0x7FFFFF
      return reason == UInt(PEM_R_NO_START_LINE)
    }
    guard isWhole == true, !certificates.isEmpty else {
      throw .last(.unreadable, "this is no certificate in PEM")
    }
    ERR_clear_error()
    return certificates
  }

  private init?(_ raw: OpaquePointer) {
    var encoded: UnsafeMutablePointer<UInt8>?
    let length = i2d_X509(raw, &encoded)
    guard length > 0, let encoded else { return nil }
    defer { CRYPTO_free(encoded, #file, #line) }
    guard let notBefore = Self.seconds(X509_get0_notBefore(raw)), let notAfter = Self.seconds(X509_get0_notAfter(raw)),
      let subject = Self.text(X509_get_subject_name(raw)), let issuer = Self.text(X509_get_issuer_name(raw))
    else { return nil }
    guard let publicKey = Self.publicKey(raw) else { return nil }
    publicKeyHash = Hash.sha256.digest(publicKey)
    der = Array(UnsafeBufferPointer(start: encoded, count: Int(length)))
    fingerprint = Hash.sha256.digest(der)
    (self.notBefore, self.notAfter, self.subject, self.issuer) = (notBefore, notAfter, subject, issuer)
    let serial = ASN1_INTEGER_to_BN(X509_get0_serialNumber(raw), nil)
    defer { BN_free(serial) }
    let digits = BN_bn2hex(serial)
    defer { CRYPTO_free(digits, #file, #line) }
    serialNumber = digits.map { String(cString: $0).lowercased() } ?? ""
  }

  private static func publicKey(_ raw: OpaquePointer) -> [UInt8]? {
    var encoded: UnsafeMutablePointer<UInt8>?
    let length = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(raw), &encoded)
    guard length > 0, let encoded else { return nil }
    defer { CRYPTO_free(encoded, #file, #line) }
    return Array(UnsafeBufferPointer(start: encoded, count: Int(length)))
  }

  private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int? {
    var parts = tm()
    guard ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
    return timegm(&parts)
  }

  private static func text(_ name: OpaquePointer?) -> String? {
    guard let buffer = BIO_new(BIO_s_mem()) else { return nil }
    defer { BIO_free(buffer) }
    return ccrypto_print_name(buffer, name) >= 0 ? PEM.text(in: buffer) : nil
  }
}
