import Crypto
import HTTPServer
import JSON

/// The addresses of the realm.
struct OpenIDRoutes {
  private(set) var router = Router()

  static let realm = "/auth/realms/alfresco"

  init(_ issuer: OpenIDIssuer) {
    let base = Self.realm
    let connect = "\(base)/protocol/openid-connect"
    let pages = OpenIDPages(issuer: issuer)
    let grants = OpenIDGrants(issuer: issuer)
    router.on("GET", "\(base)/.well-known/openid-configuration") { .identity(Self.discovery($0)) }
    router.on("GET", base) { request in
      .identity(["realm": "alfresco", "token-service": .string("\(Self.name(request))/protocol/openid-connect")])
    }
    router.on("GET|POST", "\(connect)/auth", pages.authorize)
    router.on("POST", "\(base)/login-actions/authenticate", pages.authenticate)
    router.on("GET", "\(connect)/oauth/oob", pages.outOfBand)
    router.on("POST", "\(connect)/token", grants.token)
    router.on("POST", "\(connect)/token/introspect", grants.introspect)
    router.on("GET|POST", "\(connect)/userinfo", grants.userInfo)
    router.on("POST", "\(connect)/revoke", grants.revoke)
    router.on("GET", "\(connect)/certs") { _ in
      do {
        var jwk: JSONNode = ["kid": .string(try issuer.keyID()), "alg": "RS256", "use": "sig"]
        for (name, value) in try issuer.signingKey().publicKey.jwk { jwk[name] = .string(value) }
        return .identity(["keys": [jwk]])
      } catch {
        return .identity("server_error", "The key cannot be made", status: 500)
      }
    }
    router.on("GET", "\(connect)/logout", pages.logout)
    router.on("POST", "\(connect)/logout", pages.endSession)
    router.on("POST", "\(connect)/auth/device", grants.device)
    router.on("GET|POST", "\(base)/device", pages.device)
    router.on("GET|POST", "/auth/realms/{realm}/{rest...}") { request in
      request["realm"] == "alfresco"
        ? .identity("not_found", "Unknown address", status: 404)
        : .identity(["error": "Realm does not exist"], status: 404)
    }
  }

  /// The issuer as this client sees it.
  static func name(_ request: SandboxRequest) -> String { "\(request.origin)\(realm)" }

  private static func discovery(_ request: SandboxRequest) -> JSONNode {
    let issuer = name(request)
    func address(_ path: String) -> JSONNode { .string("\(issuer)/protocol/openid-connect/\(path)") }
    return [
      "issuer": .string(issuer), "authorization_endpoint": address("auth"), "token_endpoint": address("token"),
      "introspection_endpoint": address("token/introspect"), "userinfo_endpoint": address("userinfo"),
      "end_session_endpoint": address("logout"), "jwks_uri": address("certs"), "revocation_endpoint": address("revoke"),
      "device_authorization_endpoint": address("auth/device"),
      "grant_types_supported": [
        "authorization_code", "refresh_token", "password", "client_credentials",
        "urn:ietf:params:oauth:grant-type:device_code",
      ],
      "response_types_supported": ["code"], "response_modes_supported": ["query"],
      "code_challenge_methods_supported": ["plain", "S256"],
      "scopes_supported": ["openid", "profile", "email", "offline_access"],
      "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"],
      "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
      "frontchannel_logout_supported": false, "backchannel_logout_supported": false,
      "authorization_response_iss_parameter_supported": true,
    ]
  }
}
