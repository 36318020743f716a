import FoundationEssentials
import Model
import Wire

/// Looks at an address without signing in and says which kinds of back end answer there.
package struct ConnectionProbe: Sendable {
  /// A back end that answered as its kind does.
  package struct Finding: Sendable, Hashable {
    package let kind: BackendKind
    /// What stands in the configuration as the connection's address.
    package let url: String
    /// Ways to sign in, as the configuration names them, the likeliest first.
    package let methods: [String]
    /// What it said of itself: a version, a realm.
    package let detail: String
  }

  private let transport: any Transport
  private let operation: String

  init(_ transport: any Transport, operation: String) {
    self.transport = transport
    self.operation = operation
  }

  /// - Parameter address: With or without scheme and path; `https` is taken where none is named.
  /// - Throws: What kept the server from being reached; `.notFound` when nothing known answers there.
  func look(at address: String) async throws(ServiceError) -> [Finding] {
    let (origin, path) = try parts(of: address)
    // One question first, so that a server that cannot be reached says so once.
    _ = try await answer(origin + "/")
    var findings: [Finding] = []
    if let bank = try await openBank(origin, path) { findings.append(bank) }
    if let repository = try await alfresco(origin, path) { findings.append(repository) }
    if let mobile = try await first(of: .omce, at: [origin + path, origin], "/mobile/platform/storage/collections") {
      findings.append(mobile)
    }
    if let foundation = try await first(
      of: .mobilefirst, at: [origin + path, origin + "/mfp"], "/api/az/v1/authorization")
    {
      findings.append(foundation)
    }
    if let platform = try await first(of: .unwired, at: [origin + path, origin], "/odata/applications/v4/") {
      findings.append(platform)
    }
    guard findings.isEmpty else { return findings }
    throw ServiceError(
      .notFound, operation, detail: "a server answers at \(origin), but as none of the five kinds",
      remedy: "Give the path, too (such as /obp/v5.1.0 or /alfresco), or choose the kind by hand.")
  }

  private func parts(of address: String) throws(ServiceError) -> (origin: String, path: String) {
    let trimmed = address.filter { $0 != " " }
    let full = trimmed.contains("://") ? trimmed : "https://\(trimmed)"
    guard let url = URL(string: full), let scheme = url.scheme, scheme == "http" || scheme == "https",
      let host = url.host(), !host.isEmpty
    else {
      throw ServiceError(
        .usage, operation, detail: "“\(address)” is no address", remedy: "Write it as https://host/path.")
    }
    let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    var path = url.path
    while path.hasSuffix("/") { path.removeLast() }
    return ("\(scheme)://\(name)\(url.port.map { ":\($0)" } ?? "")", path)
  }

  private func answer(_ text: String) async throws(ServiceError) -> HTTPResponse? {
    guard let url = URL(string: text) else { return nil }
    var request = HTTPRequest("GET", url, headers: ["Accept": "application/json"], maxBytes: 1 << 20, label: "probe")
    request.followsRedirects = false
    do throws(TransportError) {
      return try await transport.send(request)
    } catch {
      throw error.serviceError(operation)
    }
  }

  private func text(_ response: HTTPResponse) -> String {
    String(decoding: response.body.prefix(64 << 10), as: UTF8.self)
  }

  private static let bankVersions = ["v5.1.0", "v5.0.0", "v4.0.0", "v3.1.0", "v3.0.0"]

  private func openBank(_ origin: String, _ path: String) async throws(ServiceError) -> Finding? {
    let given = path.contains("/obp/v") ? [path] : []
    for base in given + ConnectionProbe.bankVersions.map({ "/obp/\($0)" }) {
      guard let response = try await answer("\(origin)\(base)/root"), response.status == 200 else { continue }
      let said = text(response)
      guard said.contains("\"version\""), said.contains("hosted_by") || said.contains("connector") else { continue }
      let version = base.split(separator: "/").last ?? ""
      return Finding(
        kind: .openbank, url: origin + base, methods: ["direct", "oauth1", "oidc", "none"], detail: "API \(version)")
    }
    return nil
  }

  private func alfresco(_ origin: String, _ path: String) async throws(ServiceError) -> Finding? {
    let bases = (path.isEmpty ? [] : [path]) + (path == "/alfresco" ? [] : ["/alfresco"])
    for base in bases {
      // Discovery asks for a sign-in, but says whose.
      guard let response = try await answer("\(origin)\(base)/api/discovery") else { continue }
      let realm = response.headers["WWW-Authenticate"] ?? ""
      guard realm.contains("Alfresco") || text(response).contains("alfresco") else { continue }
      return Finding(
        kind: .alfresco, url: origin + base, methods: ["basic", "ticket", "pkce", "device"],
        detail: realm.isEmpty ? "answers without a sign-in" : realm)
    }
    return nil
  }

  /// What each kind's refusal of an anonymous question looks like.
  private func first(
    of kind: BackendKind, at bases: [String], _ path: String
  ) async throws(ServiceError) -> Finding? {
    for base in bases {
      guard let response = try await answer(base + path) else { continue }
      let said = text(response)
      switch kind {
      case .omce where said.contains("MOBILE-") || said.contains("o:errorCode"):
        return Finding(kind: kind, url: base, methods: ["oauth", "basic", "anonymous"], detail: "from its OMC.plist")
      case .mobilefirst where said.contains("\"errorCode\"") && response.status == 400:
        return Finding(kind: kind, url: base, methods: ["client", "confidential"], detail: "asks for a client")
      case .unwired where response.status == 401 && response.headers["DataServiceVersion"] != nil:
        return Finding(
          kind: kind, url: base, methods: ["basic"], detail: response.headers["WWW-Authenticate"] ?? "OData")
      default: continue
      }
    }
    return nil
  }
}

extension ServiceLayer {
  /// Which kinds of back end answer at an address; nobody is signed in and nothing is kept.
  package func probe(_ address: String) async throws(ServiceError) -> [ConnectionProbe.Finding] {
    let operation = "look at \(address)"
    guard !isOffline else { throw ServiceError(.offline, operation) }
    let transport = parts.transport(TransportSettings(environment: parts.environment), "probe")
    return try await ConnectionProbe(transport, operation: operation).look(at: address)
  }
}
