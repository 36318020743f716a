import Crypto
public import FoundationEssentials
public import Model

/// Signs requests as RFC 5849 asks: HMAC over method, address and parameters.
public struct OAuth1Signer: Sendable {
  public enum Method: String, Sendable, CaseIterable {
    case hmacSHA1 = "HMAC-SHA1"
    case hmacSHA256 = "HMAC-SHA256"
  }

  public let consumerKey: String
  public let consumerSecret: Secret
  public let method: Method
  /// The server's own idea of its scheme, host and port; signatures are made over that, whatever address is used.
  public let serverURL: URL?

  public init(consumerKey: String, consumerSecret: Secret, method: Method = .hmacSHA256, serverURL: URL? = nil) {
    self.consumerKey = consumerKey
    self.consumerSecret = consumerSecret
    self.method = method
    self.serverURL = serverURL
  }

  /// A token and its secret.
  public struct Token: Sendable {
    public let key: Secret
    public let secret: Secret
    public init(key: Secret, secret: Secret) {
      self.key = key
      self.secret = secret
    }
  }

  /// The value of the `Authorization` header.
  ///
  /// - Parameters:
  ///   - extra: `oauth_callback` and `oauth_verifier`, where the call has them.
  ///   - form: Fields of a posted form; JSON bodies are never signed.
  public func authorization(
    _ httpMethod: String, _ url: URL, token: Token?, extra: [(name: String, value: String)] = [],
    form: [(name: String, value: String)] = [], nonce: String, now: Timestamp
  ) -> String {
    var fields = [
      (name: "oauth_consumer_key", value: consumerKey), (name: "oauth_nonce", value: nonce),
      (name: "oauth_signature_method", value: method.rawValue),
      (name: "oauth_timestamp", value: String(now.milliseconds / 1000)), (name: "oauth_version", value: "1.0"),
    ]
    if let token { fields.append((name: "oauth_token", value: token.key.reveal())) }
    fields += extra
    let base = baseString(httpMethod, url, fields + form)
    fields.append((name: "oauth_signature", value: signature(base, token: token)))
    let list = fields.map { "\($0.name)=\"\(URLForm.escape($0.value))\"" }.joined(separator: ", ")
    return "OAuth \(list)"
  }

  /// Method, address and sorted parameters, RFC 5849 section 3.4.1.
  func baseString(_ httpMethod: String, _ url: URL, _ fields: [(name: String, value: String)]) -> String {
    let query = URLForm.decode(url.query(percentEncoded: true) ?? "")
    let pairs = (query + fields).map { (URLForm.escape($0.name), URLForm.escape($0.value)) }
    let sorted = pairs.sorted { $0.0 == $1.0 ? $0.1 < $1.1 : $0.0 < $1.0 }.map { "\($0.0)=\($0.1)" }
    return [httpMethod.uppercased(), URLForm.escape(address(of: url)), URLForm.escape(sorted.joined(separator: "&"))]
      .joined(separator: "&")
  }

  /// Scheme and host in lower case, the port unless it is the usual one, and the path as sent.
  private func address(of url: URL) -> String {
    let server = serverURL ?? url
    let scheme = (server.scheme ?? "https").lowercased()
    let host = (server.host(percentEncoded: true) ?? "").lowercased()
    let port = server.port.flatMap { ["http": 80, "https": 443][scheme] == $0 ? nil : ":\($0)" } ?? ""
    let path = url.path(percentEncoded: true)
    return "\(scheme)://\(host)\(port)\(path.isEmpty ? "/" : path)"
  }

  private func signature(_ base: String, token: Token?) -> String {
    let key = "\(URLForm.escape(consumerSecret.reveal()))&\(URLForm.escape(token?.secret.reveal() ?? ""))"
    let hash: Hash = method == .hmacSHA1 ? .sha1 : .sha256
    return Base64.encode(HMAC.authenticate(Array(base.utf8), key: Array(key.utf8), using: hash))
  }
}
