import FoundationEssentials
import Model

/// Where a connection's server is, and which application this is to it.
public struct UnwiredServer: Sendable, Hashable {
  /// `https://host:8080`, without a slash at the end.
  public let address: String
  /// Case matters: must equal the id configured on the server.
  public let application: String
  /// Path of a relay server in front; empty for none.
  public let urlSuffix: String
  /// The relay's farm; counts only together with a suffix.
  public let farm: String
  public let domain: String?
  public let securityConfiguration: String?
  /// How whoever uses the application is known to the server.
  public enum Proof: Sendable, Hashable {
    case password
    /// A client certificate, shown by the transport (`loginCertificate`).
    case certificate
    /// The server lets anybody use this application.
    case nothing
  }

  public let proof: Proof
  /// Address of the back end behind the platform: sent along, it is asked in place of the configured one, and links in its
  /// answers begin with it. For relay servers, where nothing rewrites links.
  public let backend: String?
  /// Name of the connection to the data, where it is not the application's.
  public let endpoint: String
  /// The one version of the registration service to use; nil for the newest, and the oldest where there is no other.
  public let version: String?

  /// - Throws: `.configuration` when the address is none.
  public init(
    address: String, application: String, urlSuffix: String = "", farm: String = "", domain: String? = nil,
    securityConfiguration: String? = nil, proof: Proof = .password, endpoint: String? = nil, version: String? = nil,
    backend: String? = nil
  ) throws(ServiceError) {
    self.address = try Self.checked(address)
    self.backend = try backend.map { text throws(ServiceError) in try Self.checked(text) }
    self.application = application
    self.urlSuffix = urlSuffix.split(separator: "/").joined(separator: "/")
    self.farm = farm
    self.domain = domain
    self.securityConfiguration = securityConfiguration
    self.proof = proof
    self.endpoint = endpoint ?? application
    self.version = version
  }

  private static func checked(_ text: String) throws(ServiceError) -> String {
    var text = text
    while text.hasSuffix("/") { text.removeLast() }
    guard let url = URL(string: text), url.scheme == "https" || url.scheme == "http", url.host() != nil else {
      throw ServiceError(
        .configuration, "use the address “\(text)”", detail: "“\(text)” is not an http or https address")
    }
    return text
  }

  var isAnonymous: Bool { proof == .nothing }

  /// Address with the relay's prefix: what every path is appended to.
  public var base: String {
    guard !urlSuffix.isEmpty else { return address }
    return "\(address)/\(urlSuffix)" + (farm.isEmpty ? "" : "/\(farm)")
  }

  /// Anonymous access has a path of its own.
  private var visible: String { isAnonymous ? base + "/public" : base }

  /// Versions of the registration service, in the order they are tried: older servers know no `latest`.
  var newest: String { version ?? "latest" }
  var oldest: String { version ?? "v1" }

  /// The collection of registrations, `…/odata/applications/latest/APP/Connections`.
  func connections(version: String) -> String {
    "\(visible)/odata/applications/\(version)/\(application)/Connections"
  }

  /// Root of the data behind the application.
  var serviceRoot: String { "\(visible)/\(endpoint)" }
}
