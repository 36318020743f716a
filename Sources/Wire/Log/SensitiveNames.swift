/// Names whose values are secrets wherever they stand.
enum SensitiveNames {
  /// What stands where a secret was.
  static let mark = "«redacted»"

  private static let headers: Set<String> = [
    "authorization", "proxyauthorization", "directlogin", "cookie", "setcookie", "xauthtoken", "xapikey", "xcsrftoken",
    "xxsrftoken", "xalfrescoremoteuser", "consentjwt", "consumerkey",
  ]

  private static let fields: Set<[UInt8]> = Set(
    [
      "password", "passwd", "pwd", "pass", "passphrase", "pin", "pincode", "newpin", "oldpin", "otp", "tan", "secret",
      "token", "accesstoken", "refreshtoken", "idtoken", "idtokenhint", "oauthtoken", "oauthverifier", "verifier",
      "codeverifier", "devicecode", "ticket", "alfticket", "assertion", "clientassertion", "samlresponse", "apikey",
      "anonymouskey", "basicauthanonymouskey", "authorization", "credentials", "jwt", "sessionid", "privatekey",
      "answer", "cvv",
      "authtoken", "sessiontoken", "csrftoken", "xsrftoken", "dynatoken", "securitytoken",
    ].map { Array($0.utf8) })
  private static let fieldHashes = Set(fields.map { $0.withUnsafeBytes { hash($0) } })
  private static let endings = ["password", "secret", "passcode"].map { Array($0.utf8) }

  /// Header names, with a dash or without.
  static func isHeader(_ name: String) -> Bool {
    let plain = simplified(name.utf8)
    return headers.contains(plain)
      || ["token", "secret", "password", "apikey", "anonymouskey"].contains { plain.hasSuffix($0) }
  }

  /// Keys of JSON members and of form fields, in any spelling: `client_secret`, `clientSecret`.
  ///
  /// Asked for every key of every answer, so it makes no string and no array.
  static func isField(_ name: UnsafeRawBufferPointer) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
      var count = 0
      for byte in name {
        guard let plain = simplified(byte) else { continue }
        guard count < 64 else { return false }
        buffer[count] = plain
        count += 1
      }
      let plain = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      guard let last = plain.last else { return false }
      if endings.contains(where: { $0.last == last && plain.suffix($0.count).elementsEqual($0) }) { return true }
      return fieldHashes.contains(hash(plain)) && fields.contains(Array(plain))
    }
  }

  static func isField(_ name: some Sequence<UInt8>) -> Bool { Array(name).withUnsafeBytes { isField($0) } }

  /// FNV-1a, to sort out the many names that are none of ours.
  private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  /// In a query or form `code` is a grant; in JSON it is the number of an error.
  static func isFormField(_ name: some Sequence<UInt8>) -> Bool {
    let bytes = Array(name)
    return isField(bytes) || simplified(bytes) == "code"
  }

  /// Lower-case letters and digits alone.
  private static func simplified(_ name: some Sequence<UInt8>) -> String {
    String(decoding: name.compactMap { simplified($0) }, as: UTF8.self)
  }

  private static func simplified(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x61...0x7A, 0x30...0x39: byte
    case 0x41...0x5A: byte | 0x20
    default: nil
    }
  }
}
