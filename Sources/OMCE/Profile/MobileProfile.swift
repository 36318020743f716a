import Model

/// What an `OMC.plist` says, in one form for all its generations (reference, section 1).
public struct MobileProfile: Sendable {
  /// The ways to prove who one is, as the property list names them.
  public enum Method: String, Sendable, CaseIterable { case oauth, basic, sso, tokenExchange, facebook }

  public struct OAuthClient: Sendable {
    public let clientID: String
    public let clientSecret: SecretSource
  }

  public struct BasicBackend: Sendable {
    public let mobileBackendID: String
    public let anonymousKey: SecretSource?
  }

  /// A label; never sent.
  public internal(set) var name: String?
  /// `https://host[:port]`, without a slash at the end.
  public internal(set) var baseURL: String
  /// Full address of the token endpoint; nil when the profile names none.
  public internal(set) var tokenURL: String?
  /// Asked for with each token: the base address immediately followed by a fixed text. Nil in the oldest generation.
  public internal(set) var scope: String?
  public internal(set) var method: Method
  public internal(set) var oauth: OAuthClient?
  public internal(set) var basic: BasicBackend?
  /// Header value of the oldest generation's token calls.
  public internal(set) var identityDomain: String?
  /// Header value of the oldest generation's every call.
  public internal(set) var applicationKey: String?
  public internal(set) var enablesOffline = true
  public internal(set) var logLevel = "error"
  public internal(set) var logsHTTP = false
  /// Characters of a header, and bytes of a body, that the log shows; 0 for all.
  public internal(set) var logHTTPMaxHeaderSize = 100
  public internal(set) var logHTTPMaxBodySize = 10_000
  /// Nil when the profile says nothing of data offline.
  public internal(set) var synchronization: SyncSettings?
  public internal(set) var analytics = AnalyticsSettings()
  public internal(set) var timeout: Int?
  /// What was odd about it, in words.
  public internal(set) var warnings: [String] = []

  /// What a profile says under `analytics`.
  public struct AnalyticsSettings: Sendable, Hashable {
    /// Events are noted, and never posted.
    public internal(set) var isDryRun = false
  }

  init(baseURL: String, method: Method) {
    self.baseURL = baseURL
    self.method = method
  }

  /// Follows the base address in every scope.
  static let scopeSuffix = "urn:opc:resource:consumer::all"
  static let tokenPath = "/oauth2/v1/token"
}
