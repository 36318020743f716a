import FoundationEssentials
import Model
import Wire

extension OpenBankSession {
  /// Writes the token into the call's headers; the last thing before it goes out, as a signature covers the rest.
  func authorize(_ call: inout OpenBankCall, with token: OpenBankToken) async throws(ServiceError) {
    call.headers.append(try await authorization(of: call.method, call.url, call.operation, with: token))
  }

  /// The header that carries the token with one request.
  func authorization(
    of method: String, _ address: String, _ operation: String, with token: OpenBankToken
  ) async throws(ServiceError) -> (name: String, value: String) {
    let value = token.value.reveal()
    switch token.form {
    case .directHeader: return ("DirectLogin", "token=\(value)")
    case .directAuthorization: return ("Authorization", "DirectLogin token=\"\(value)\"")
    case .bearer: return ("Authorization", "Bearer \(value)")
    case .oauth1:
      guard let url = URL(string: address) else {
        throw ServiceError(.configuration, operation, detail: "“\(address)” is no address")
      }
      let pair = OAuth1Signer.Token(key: token.value, secret: token.companion ?? Secret(""))
      let signature = try await signer().authorization(
        method, url, token: pair, nonce: OpenBankSession.nonce(surroundings.randomBytes),
        now: surroundings.clock.now())
      return ("Authorization", signature)
    }
  }

  /// Signs with the consumer's secret, over the server's own idea of its address.
  func signer() async throws(ServiceError) -> OAuth1Signer {
    guard let key = settings.consumerKey, let secret = settings.consumerSecret else {
      throw ServiceError(.configuration, "sign a request", detail: "auth.consumerKey or auth.consumerSecret is missing")
    }
    let consumerKey = try await surroundings.secrets.resolve(key).reveal()
    let consumerSecret = try await surroundings.secrets.resolve(secret)
    return OAuth1Signer(
      consumerKey: consumerKey, consumerSecret: consumerSecret, method: settings.signature,
      serverURL: settings.signingURL.flatMap(URL.init(string:)))
  }

  /// Never the same twice: 128 unpredictable bits.
  static func nonce(_ randomBytes: (Int) -> [UInt8]) -> String {
    randomBytes(16).map { byte in
      let digits = String(byte, radix: 16)
      return byte < 16 ? "0" + digits : digits
    }.joined()
  }
}
