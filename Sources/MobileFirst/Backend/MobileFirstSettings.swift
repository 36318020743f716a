import FoundationEssentials
import Model

/// What the configuration of a connection says.
struct MobileFirstSettings: Sendable {
  struct Resource: Sendable, Hashable {
    let name: String
    let path: String
    /// Known beforehand; else learnt from the first refusal.
    let scope: Scope?
    /// `GET`, unless the procedure behind it wants another.
    let method: String
  }

  let address: String
  let adapters: String
  /// What a resource's path is appended to.
  let resourceURL: String
  let client: AuthorizationManager.Client
  let resources: [Resource]
  /// Answers to security checks by check and field.
  let answers: [String: [(field: String, source: SecretSource)]]
  let wantsRefresh: Bool
  /// Configured answers are shown to a person before they go out.
  let asks: Bool
  /// Seconds that one answer of the authorization server may take.
  let loginTimeout: Int?
  let gateway: Gateway?

  /// A reverse proxy before the server that wants a sign-in of its own; empty where the usual names will do.
  struct Gateway: Sendable {
    let marker: String?
    let address: String?
    let userField: String?
    let passwordField: String?
    let user: String?
    let password: SecretSource?
  }

  /// - Throws: `.configuration` naming the setting that is wrong, and where it stands.
  init(_ settings: Settings) throws(ServiceError) {
    address = try settings.requiredText("url")
    guard let url = URL(string: address), let scheme = url.scheme, let host = url.host() else {
      throw ServiceError(
        .configuration, "read the setting “url”", detail: "“\(address)” is not an http or https address")
    }
    var base = address
    while base.hasSuffix("/") { base.removeLast() }
    let port = url.port.map { ":\($0)" } ?? ""
    let origin = "\(scheme)://\(host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host)\(port)"
    adapters = Self.trimmed(try settings.text("adapters") ?? "\(base)/api/adapters")
    resourceURL = Self.trimmed(try settings.text("resourceURL") ?? origin)
    client = try Self.client(settings)
    resources = try Self.resources(settings)
    answers = try Self.answers(settings)
    wantsRefresh = try settings.flag("auth.refresh") ?? true
    asks = try settings.flag("auth.ask") ?? false
    loginTimeout = try settings.integer("auth.loginTimeout")
    gateway = try settings.table("gateway").map { (table) throws(ServiceError) in
      Gateway(
        marker: try table.text("marker"), address: try table.text("address"), userField: try table.text("userField"),
        passwordField: try table.text("passwordField"), user: try table.text("user"),
        password: try table.secret("password"))
    }
  }

  private static func trimmed(_ text: String) -> String {
    var text = text
    while text.hasSuffix("/") { text.removeLast() }
    return text
  }

  private static func client(_ settings: Settings) throws(ServiceError) -> AuthorizationManager.Client {
    switch try settings.text("auth.method") ?? "client" {
    case "client":
      var application = ApplicationIdentity(id: try settings.requiredText("app"))
      if let version = try settings.text("auth.version") { application.version = version }
      application.deviceName = try settings.text("auth.deviceName")
      if let platform = try settings.text("auth.platform") { application.platform = platform }
      return .registered(application)
    case "confidential":
      let id = try settings.requiredText("auth.clientID")
      guard let secret = try settings.secret("auth.clientSecret") else { throw settings.missing("auth.clientSecret") }
      return .confidential(id: id, secret: secret)
    case let word:
      throw ServiceError(
        .configuration, "read the setting “auth.method”",
        detail: "“\(word)” is no sign-in method of MobileFirst; use client or confidential")
    }
  }

  private static func resources(_ settings: Settings) throws(ServiceError) -> [Resource] {
    var resources: [Resource] = []
    for entry in try settings.list("resources") ?? [] {
      guard case .table(let table) = entry else {
        throw settings.wrong("resources", entry, "a list of tables with name and path")
      }
      var path = try table.requiredText("path")
      if !path.hasPrefix("/") { path = "/" + path }
      let scope = try table.text("scope").map { Scope($0) }
      let method = try table.text("method")?.uppercased() ?? "GET"
      resources.append(Resource(name: try table.text("name") ?? path, path: path, scope: scope, method: method))
    }
    return resources
  }

  private static func answers(
    _ settings: Settings
  ) throws(ServiceError) -> [String: [(field: String, source: SecretSource)]] {
    guard let table = try settings.table("answers") else { return [:] }
    var answers: [String: [(field: String, source: SecretSource)]] = [:]
    for (check, entry) in table.members {
      guard case .table(let fields) = entry else {
        throw settings.wrong("answers.\(check)", entry, "a table of fields")
      }
      answers[check] = []
      for (field, entry) in fields.members {
        switch entry {
        case .secret(let source, _): answers[check]?.append((field, source))
        case .text(let text, _): answers[check]?.append((field, .literal(Secret(text))))
        case .null: continue
        default:
          throw settings.wrong("answers.\(check).\(field)", entry, "a text, or one of env, vault, file or command")
        }
      }
    }
    return answers
  }
}
