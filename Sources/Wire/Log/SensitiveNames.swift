/// Names whose values are secrets wherever they stand.
enum SensitiveNames {
  /// What stands where a secret was.
  static let mark = "«redacted»"

  private static let headers: Set<String> = [
    "authorization", "proxyauthorization", "directlogin", "cookie", "setcookie", "xauthtoken", "xapikey", "xcsrftoken",
    "xxsrftoken", "xalfrescoremoteuser",
  ]

  private static let fields: Set<String> = [
    "password", "passwd", "pwd", "pass", "passphrase", "pin", "pincode", "newpin", "oldpin", "otp", "tan", "secret",
    "token", "accesstoken", "refreshtoken", "idtoken", "idtokenhint", "oauthtoken", "oauthverifier", "verifier",
    "codeverifier", "devicecode", "ticket", "alfticket", "assertion", "clientassertion", "samlresponse", "apikey",
    "anonymouskey", "basicauthanonymouskey", "authorization", "credentials", "jwt", "sessionid", "privatekey", "answer",
    "authtoken", "sessiontoken", "csrftoken", "xsrftoken", "dynatoken", "securitytoken",
  ]

  /// Header names, with a dash or without.
  static func isHeader(_ name: String) -> Bool {
    let plain = simplified(name.utf8)
    return headers.contains(plain)
      || ["token", "secret", "password", "apikey", "anonymouskey"].contains { plain.hasSuffix($0) }
  }

  /// Keys of JSON members and of form fields, in any spelling: `client_secret`, `clientSecret`.
  static func isField(_ name: some Sequence<UInt8>) -> Bool {
    let plain = simplified(name)
    return fields.contains(plain) || plain.hasSuffix("password") || plain.hasSuffix("secret")
      || plain.hasSuffix("passcode")
  }

  /// In a query or form `code` is a grant; in JSON it is the number of an error.
  static func isFormField(_ name: some Sequence<UInt8>) -> Bool {
    let bytes = Array(name)
    return isField(bytes) || simplified(bytes) == "code"
  }

  /// Lower-case letters and digits alone.
  private static func simplified(_ name: some Sequence<UInt8>) -> String {
    let kept = name.compactMap { byte -> UInt8? in
      switch byte {
      case 0x61...0x7A, 0x30...0x39: byte
      case 0x41...0x5A: byte | 0x20
      default: nil
      }
    }
    return String(decoding: kept, as: UTF8.self)
  }
}
