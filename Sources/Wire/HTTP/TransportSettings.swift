/// How one connection reaches its server.
public struct TransportSettings: Sendable {
  /// PEM file of the authorities to trust instead of the system's.
  public var authorities: String?
  /// PEM files of the certificate to show, and its key.
  public var certificate: String?
  public var key: String?
  /// The public keys that the server may have, beside being of a trusted authority; empty for any.
  public var pinnedKeys: [PublicKeyPin] = []
  public var proxy: ProxyRule = .none
  /// Longest silence: time without a byte, connecting included.
  public var timeout: Duration = .seconds(30)
  /// Sent with every request that does not set them itself.
  public var headers: HTTPHeaders = [:]
  /// Permits plain http to other machines.
  public var allowsInsecure = false
  public var userAgent = "Atrium"

  public init() {}

  /// Settings that follow `SSL_CERT_FILE`, `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` of the given environment.
  public init(environment: [String: String]) {
    if let file = environment["SSL_CERT_FILE"], !file.isEmpty { authorities = file }
    proxy = .environment(environment)
  }
}

/// Which proxy a request goes through. Loopback is never proxied.
public struct ProxyRule: Sendable, Equatable {
  public var http: String?
  public var https: String?
  /// Hosts that are reached directly: a name with its subdomains, an address, or `*` for all.
  public var exceptions: [String] = []

  public static let none = ProxyRule()

  /// One proxy for everything.
  public static func all(_ url: String) -> ProxyRule { ProxyRule(http: url, https: url) }

  /// The upper-case variables, the lower-case ones where those are missing.
  public static func environment(_ variables: [String: String]) -> ProxyRule {
    func value(_ name: String) -> String? {
      (variables[name] ?? variables[name.lowercased()]).flatMap { $0.isEmpty ? nil : $0 }
    }
    let exceptions = value("NO_PROXY") ?? ""
    return ProxyRule(
      http: value("HTTP_PROXY"), https: value("HTTPS_PROXY"),
      exceptions: exceptions.split { $0 == "," || $0 == " " }.map { String($0).lowercased() })
  }

  /// The proxy for a host, nil for the direct way.
  func proxy(scheme: String, host: String) -> String? {
    guard !Loopback.contains(host: host), !isException(host.lowercased()) else { return nil }
    return scheme == "https" ? https : http
  }

  private func isException(_ host: String) -> Bool {
    exceptions.contains { exception in
      let name = exception.hasPrefix(".") ? String(exception.dropFirst()) : exception
      return name == "*" || host == name || host.hasSuffix(".\(name)")
    }
  }
}

/// Names and addresses of this machine that never leave it.
package enum Loopback {
  package static func contains(host: String) -> Bool {
    let name = host.lowercased()
    if name == "localhost" || name.hasSuffix(".localhost") || name == "::1" || name == "[::1]" { return true }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}
