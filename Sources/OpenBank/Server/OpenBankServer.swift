/// Where a server is: its API under one version, and its sign-in pages beside it.
public struct OpenBankServer: Sendable, Hashable {
  /// The connection's own address, without slashes at the end.
  public let address: String
  /// Everything before the version: `https://host/obp`. The word `obp` is a setting of the server.
  public let base: String
  public let version: APIVersion
  /// Whether the version is settled, by the address or by an answer, so that no other one is tried.
  public let namesVersion: Bool
  /// Where `/my/logins/direct` and `/oauth/…` are: scheme, host and port, without a slash at the end.
  public let authOrigin: String

  /// - Parameters:
  ///   - url: `https://host`, `https://host/obp` or `https://host/obp/v4.0.0`; slashes at the end do not matter.
  ///   - authURL: Where signing in happens; by default the origin of `url`.
  /// - Returns: nil when this is no http or https address with a host.
  public init?(url: String, authURL: String? = nil) {
    guard let (origin, path) = OpenBankServer.parts(of: url) else { return nil }
    address = origin + OpenBankServer.withoutSlashes(path)
    var names = path.split(separator: "/").map(String.init)
    let version = names.last.flatMap { $0.first == "v" ? APIVersion($0) : nil }
    if version != nil { names.removeLast() }
    base = names.isEmpty ? origin + "/obp" : origin + "/" + names.joined(separator: "/")
    self.version = version ?? .standard
    namesVersion = version != nil
    guard let authURL, !authURL.isEmpty else {
      authOrigin = origin
      return
    }
    guard let (authHost, authPath) = OpenBankServer.parts(of: authURL) else { return nil }
    authOrigin = authHost + OpenBankServer.withoutSlashes(authPath)
  }

  private init(_ server: OpenBankServer, version: APIVersion) {
    address = server.address
    base = server.base
    self.version = version
    namesVersion = true
    authOrigin = server.authOrigin
  }

  /// The same server, spoken to in another version.
  public func speaking(_ version: APIVersion) -> OpenBankServer { OpenBankServer(self, version: version) }

  /// What paths are appended to: `https://host/obp/v5.1.0`.
  public var root: String { "\(base)/\(version)" }

  private static func parts(of url: String) -> (origin: String, path: String)? {
    guard let mark = url.firstRange(of: "://") else { return nil }
    let scheme = url[..<mark.lowerBound].lowercased()
    guard scheme == "http" || scheme == "https" else { return nil }
    let rest = url[mark.upperBound...].prefix { $0 != "?" && $0 != "#" }
    let host = rest.prefix { $0 != "/" }
    guard !host.isEmpty, !host.contains("@") else { return nil }
    return ("\(scheme)://\(host)", String(rest.dropFirst(host.count)))
  }

  private static func withoutSlashes(_ path: String) -> String {
    let names = path.split(separator: "/")
    return names.isEmpty ? "" : "/" + names.joined(separator: "/")
  }
}
