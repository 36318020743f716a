import Model
import Wire

/// Where an app begins (`OMCMobileManager`): reads a profile, and makes the backend that it describes.
///
/// Every service of the backend (`MobileClient`) exists as `async` and with a completion on the main actor.
public final class MobileManager: Sendable {
  /// What the profile says; nil when it names no backend.
  public let mobileBackend: MobileClient?
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
    mobileBackend = try MobileManager.make(settings, transport, surroundings)
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

  public var oAuthTokenEndPointURL: String? { mobileBackend?.profile.tokenURL }
  public var logLevel: String { mobileBackend?.profile.logLevel ?? "error" }
  public var logHTTP: Bool { mobileBackend?.profile.logsHTTP ?? false }
  public var logHTTPMaxHeaderSize: Int { mobileBackend?.profile.logHTTPMaxHeaderSize ?? 100 }
  public var logHTTPMaxBodySize: Int { mobileBackend?.profile.logHTTPMaxBodySize ?? 10_000 }
}

/// Paths of the platform below a backend's base address.
extension MobileClient {
  /// `{baseURL}/mobile`.
  public var url: String { "\(profile.baseURL)/mobile" }
  public var platformURL: String { "\(url)/platform" }
  public var customCodeURL: String { "\(url)/custom" }
  public var appConfigURL: String { "\(platformURL)/appconfig/client" }
}
