import JSON
import Model

/// What is known of one server for one user: `OBPServerInfo` of OBPKit.
///
/// A record holds no secret. Its client pair (consumer key and secret) and what a sign-in obtained stand in the keeper of
/// its `OpenBankServerRecords`, under the record's id.
public struct OpenBankServerRecord: Sendable, Hashable, Identifiable {
  public let id: String
  /// `name` of OBPKit; the host unless told otherwise.
  public var name: String
  /// `APIServer`, `APIVersion` and `APIBase`.
  public let server: OpenBankServer
  /// The address as it was given.
  let url: String
  /// `AuthServerBase`; nil for the API's own origin.
  let authURL: String?
  /// `RequestPath`, `GetUserAuthPath` and `GetTokenPath`.
  public var paths: Paths
  /// `appData`: whatever the application wants to find again.
  public var appData: [String: String]

  /// Where the three steps of OAuth 1.0a go, below the address for signing in.
  public struct Paths: Sendable, Hashable {
    public var request: String
    public var authorize: String
    public var token: String

    public init(
      request: String = "/oauth/initiate", authorize: String = "/oauth/authorize", token: String = "/oauth/token"
    ) {
      self.request = request
      self.authorize = authorize
      self.token = token
    }
  }

  /// - Returns: nil for what is no address. OBPKit takes `v1.2` where the address names no version; here the newest one
  ///   that the server has is found out at the first call.
  init?(id: String, url: String, authURL: String?, name: String? = nil, paths: Paths, appData: [String: String] = [:]) {
    guard let server = OpenBankServer(url: url, authURL: authURL) else { return nil }
    self.id = id
    self.url = url
    self.authURL = authURL
    self.server = server
    self.name = name ?? OpenBankServerRecord.host(of: server)
    self.paths = paths
    self.appData = appData
  }

  private static func host(of server: OpenBankServer) -> String {
    let rest = server.base.firstRange(of: "://").map { server.base[$0.upperBound...] } ?? server.base[...]
    return String(rest.prefix { $0 != "/" && $0 != ":" })
  }

  // MARK: As it is kept

  var node: JSONNode {
    var node: JSONNode = [
      "id": .string(id), "name": .string(name), "url": .string(url), "requestPath": .string(paths.request),
      "authorizePath": .string(paths.authorize), "tokenPath": .string(paths.token),
    ]
    if let authURL { node["authURL"] = .string(authURL) }
    node["appData"] = .object(
      appData.sorted { $0.key < $1.key }.map { .init(key: $0.key, value: .string($0.value)) })
    return node
  }

  init?(_ json: JSONValue) {
    guard let id = json["id"].string, let url = json["url"].string else { return nil }
    let usual = Paths()
    self.init(
      id: id, url: url, authURL: json["authURL"].string, name: json["name"].string,
      paths: Paths(
        request: json["requestPath"].string ?? usual.request,
        authorize: json["authorizePath"].string ?? usual.authorize, token: json["tokenPath"].string ?? usual.token),
      appData: Dictionary(json["appData"].members.map { ($0.key, $0.value.string ?? "") }) { _, last in last })
  }
}
