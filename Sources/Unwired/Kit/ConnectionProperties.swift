import Model
import Wire

/// Where the server is and who wants to speak to it (`SUPConnectionProperties`).
public struct ConnectionProperties: Sendable {
  public enum NetworkProtocol: String, Sendable { case http, https }

  public var networkProtocol = NetworkProtocol.https
  public var serverName: String
  /// 8000 for SUP 2.x, 8080 for SMP 3, 443 for the cloud; always configurable.
  public var portNumber: Int
  /// Path of a relay server in front.
  public var urlSuffix = ""
  /// The relay's farm; counts only together with a suffix.
  public var farmID = ""
  public var domain: String?
  public var securityConfiguration: String?
  /// `SUPLoginCredentials`; without them and without a certificate the application must be anonymous.
  public var loginCredentials: (user: String, password: Secret)?
  /// Proves the user in place of credentials, over which it wins (`loginCertificate`).
  public var loginCertificate: LoginCertificate?
  /// Of a connection that an administrator has prepared: only the native protocol knows such.
  public var activationCode: Secret?
  public var networkStreamParameters = StreamParameters()
  /// Sent with every request.
  public var httpHeaders: [(name: String, value: Secret)] = []
  /// The same, as cookies; the server's own come beside them.
  public var httpCookies: [(name: String, value: Secret)] = []
  /// Address of the back end, for a relay server that rewrites no links (`X-SMP-BACKEND-URL`).
  public var backendURL: String?

  public init(serverName: String, portNumber: Int) {
    self.serverName = serverName
    self.portNumber = portNumber
  }

  /// - Throws: `.configuration` for a name or port that cannot stand in an address (`SUPConnectionPropertyException`).
  public func server(application: String, endpoint: String? = nil) throws(ServiceError) -> UnwiredServer {
    guard 1...65_535 ~= portNumber else {
      throw ServiceError(.configuration, "use the port \(portNumber)", detail: "a port is a number up to 65535")
    }
    return try UnwiredServer(
      address: "\(networkProtocol.rawValue)://\(serverName):\(portNumber)", application: application,
      urlSuffix: urlSuffix.isEmpty ? networkStreamParameters.urlSuffix ?? "" : urlSuffix, farm: farmID, domain: domain,
      securityConfiguration: securityConfiguration, proof: proof, endpoint: endpoint, backend: backendURL)
  }

  private var proof: UnwiredServer.Proof {
    if loginCertificate != nil { return .certificate }
    return loginCredentials == nil ? .nothing : .password
  }

  /// What goes into the transport: custom headers, the trusted certificates, and the one to show.
  public var transportSettings: TransportSettings {
    var settings = TransportSettings()
    settings.authorities = networkStreamParameters.trustedCertificates ?? settings.authorities
    settings.certificate = loginCertificate?.certificate
    settings.key = loginCertificate?.key
    for header in httpHeaders { settings.headers[header.name] = header.value.reveal() }
    return settings
  }
}

/// A client certificate and its key, each a file in PEM; one file may hold both.
public struct LoginCertificate: Sendable, Hashable {
  public var certificate: String
  public var key: String

  public init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }
}
