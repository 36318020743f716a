import Model
import Store
import Wire

extension TransportSettings {
  /// What a connection says about its way to the server, with the environment's proxies and authorities below it.
  init(
    _ connection: Connection, environment: [String: String], secrets: any SecretResolver
  ) async throws(ServiceError) {
    self.init(environment: environment)
    let settings = connection.settings
    func resolved(_ path: String) -> String {
      FilePath.resolved(path, in: settings.directory, home: environment["HOME"])
    }
    func file(_ path: String) throws(ServiceError) -> String? { try settings.text(path).map(resolved) }
    let stream = try settings.text("streamParams").map { text throws(ServiceError) in
      try StreamParameters(parsing: text)
    }
    authorities = try file("tls.ca") ?? stream?.trustedCertificates.map(resolved) ?? authorities
    certificate = try file("tls.certificate")
    key = try file("tls.key")
    for text in try settings.texts("tls.pins") ?? [] { pinnedKeys.append(try PublicKeyPin(text)) }
    if let proxy = try settings.text("proxy") { self.proxy = .all(proxy) }
    if let seconds = try settings.integer("timeout") { timeout = .seconds(max(1, seconds)) }
    allowsInsecure = try settings.flag("allowInsecure") ?? false
    guard let table = try settings.table("headers") else { return }
    for (name, _) in table.members {
      guard let source = try table.secret(name) else { continue }
      headers[name] = try await secrets.resolve(source).reveal()
    }
  }
}
