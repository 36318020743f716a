import Model
import Synchronization
import Wire

/// Where an app begins (`OMCMobileManager`): reads a profile, and makes the backend that it describes.
///
/// Every service of the backend (`MobileClient`, which is `OMCMobileComponent` and `OMCMobileBackend` in one) exists as
/// `async` and, by `run`, with a completion on the main actor. An app holds its own manager: there is none for everybody
/// (`sharedManager`). Services are values made when they are asked for, so that nothing has to be looked up or removed
/// (`OMCServiceProxy`, `OMCMobileBackendServiceProxy`, `serviceProxyForClass:`, `removeServiceProxy:`,
/// `removeServiceProxyForClass:`); each knows its client (`mobileComponent`), and the client its profile (`properties`).
public final class MobileManager: Sendable {
  /// What the profile says, or what was set since; nil when there is none.
  public var mobileBackend: MobileClient? { backend.withLock { $0 } }
  private let backend: Mutex<MobileClient?>
  private let transport: any Transport
  private let surroundings: Surroundings

  /// - Parameter profile: Path of an `OMC.plist`, or of Oracle's `toolsConfig.json`.
  /// - Throws: `.configuration` for what is missing in it, naming it.
  public convenience init(
    profile: String, transport: any Transport = CurlTransport(), surroundings: Surroundings
  ) throws(ServiceError) {
    try self.init(
      settings: Settings([(key: "plist", entry: .text(profile, Settings.Origin()))]), transport: transport,
      surroundings: surroundings)
  }

  /// - Parameter settings: As a connection of kind `omce` holds them: `plist` or `backend`, and `auth`.
  public init(
    settings: Settings, transport: any Transport = CurlTransport(), surroundings: Surroundings
  ) throws(ServiceError) {
    self.transport = transport
    self.surroundings = surroundings
    backend = Mutex(try MobileManager.make(settings, transport, surroundings))
  }

  /// Puts another backend in place of this one (`setMobileBackendWithProperties:`); nil takes it away.
  public func setMobileBackend(_ properties: Settings?) throws(ServiceError) {
    var made: MobileClient?
    if let properties { made = try makeMobileBackend(properties) }
    backend.withLock { $0 = made }
  }

  /// Makes another backend without installing it (`buildMobileBackendWithProperties:`).
  ///
  /// - Parameter properties: The tree of a profile, as `backend:` of a connection holds it.
  public func makeMobileBackend(_ properties: Settings) throws(ServiceError) -> MobileClient {
    try MobileManager.make(
      Settings([(key: "backend", entry: .table(properties))]), transport, surroundings)
  }

  private static func make(
    _ settings: Settings, _ transport: any Transport, _ surroundings: Surroundings
  ) throws(ServiceError) -> MobileClient {
    try MobileClient(
      connection: Connection(name: "mobile", kind: .omce, settings: settings), transport: transport,
      surroundings: surroundings)
  }

  /// The server that signs in, without the path of its token endpoint (`identityServiceBaseURL`).
  public var identityServiceBaseURL: String? {
    guard let url = oAuthTokenEndPointURL else { return nil }
    return url.hasSuffix("/oauth2/v1/token") ? String(url.dropLast("/oauth2/v1/token".count)) : url
  }
  public var oAuthTokenEndPointURL: String? { mobileBackend?.profile.tokenURL }
  public var logLevel: String { mobileBackend?.profile.logLevel ?? "error" }
  public var logHTTP: Bool { mobileBackend?.profile.logsHTTP ?? false }
  public var logHTTPMaxHeaderSize: Int { mobileBackend?.profile.logHTTPMaxHeaderSize ?? 100 }
  public var logHTTPMaxBodySize: Int { mobileBackend?.profile.logHTTPMaxBodySize ?? 10_000 }
}

/// Paths of the platform below a backend's base address.
extension MobileClient {
  /// What a token must be good for (`oAuthScope`).
  public var oAuthScope: String? { profile.scope }
  /// `{baseURL}/mobile`.
  public var url: String { "\(profile.baseURL)/mobile" }
  /// `platformPath` below it.
  public var platformURL: String { "\(url)/platform" }
  /// `customCodePath` below it.
  public var customCodeURL: String { "\(url)/custom" }
  /// `appConfigPath` below it.
  public var appConfigURL: String { "\(platformURL)/appconfig/client" }
}
