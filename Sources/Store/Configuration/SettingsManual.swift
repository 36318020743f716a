import Model

/// What each setting means, for the manual page and the reference; what it may hold comes from the schema itself.
package enum SettingsManual {
  package struct Entry: Sendable {
    /// `auth.user`, as it stands in the file.
    package let path: String
    /// What it holds: `TEXT`, `true|false`, `basic|ticket`.
    package let form: String
    package let help: String
  }

  /// What stands at the top of the file.
  package static let top: [Entry] = [
    Entry(
      path: "theme", form: "TEXT",
      help: "a theme's name or file; auto takes a light or a dark one, as the terminal's ground is"),
    Entry(path: "vault", form: "TEXT", help: "name of the vault to use; default unless told"),
    Entry(
      path: "keeper", form: Configuration.Keeper.allCases.map(\.rawValue).joined(separator: "|"),
      help: "what keeps secrets: the vault, or the desktop's own keeper through secret-tool"),
    Entry(
      path: "lock_after", form: "N",
      help:
        "minutes without a key after which the browser blanks its screen and asks for the vault's PIN; never unless told"
    ),
    Entry(
      path: "pictures", form: Configuration.Pictures.allCases.map(\.rawValue).joined(separator: "|"),
      help: "what pictures are made of: block characters or the terminal's own graphics, which auto asks it for"),
    Entry(path: "keys", form: "KEY: ACTION", help: "other keys for actions, by the names that ? shows in brackets"),
    Entry(path: "connections", form: "[CONNECTION…]", help: "the connections, in the order they are shown"),
  ]

  /// What every connection takes.
  package static var common: [Entry] {
    let everywhere = BackendKind.allCases.map { Set(entries(SettingsSchema.connection($0), "").map(\.path)) }
    guard let first = everywhere.first else { return [] }
    let shared = everywhere.dropFirst().reduce(first) { $0.intersection($1) }
    return entries(SettingsSchema.connection(.openbank), "").filter {
      shared.contains($0.path) && !$0.path.hasPrefix("auth") && $0.path != "url"
    }
  }

  /// What a connection of a kind takes besides.
  package static func own(_ kind: BackendKind) -> [Entry] {
    let shared = Set(common.map(\.path))
    return entries(SettingsSchema.connection(kind), "").filter { !shared.contains($0.path) }
  }

  private static func entries(_ schema: SettingsSchema, _ prefix: String) -> [Entry] {
    schema.keys.flatMap { key -> [Entry] in
      let path = prefix + key.name
      switch key.shape {
      case .table(let inner): return entries(inner, path + ".")
      case .tables(let inner): return entries(inner, path + "[].")
      default: return [Entry(path: path, form: form(key.shape), help: help[path] ?? "")]
      }
    }
  }

  private static func form(_ shape: SettingsSchema.Shape) -> String {
    switch shape {
    case .text: "TEXT"
    case .flag: "true|false"
    case .integer, .positive: "N"
    case .url: "URL"
    case .color: "\"#rrggbb\""
    case .choice(let choices): choices.joined(separator: "|")
    case .secret: "SECRET"
    case .texts: "[TEXT…]"
    case .secrets: "NAME: SECRET"
    case .table, .tables, .free: "…"
    }
  }

  private static let help = [
    "name": "a name of yours: letters, digits, - and _; locations begin with it",
    "kind": "which kind of server it is",
    "url": "address of the server, with the path its interface begins with",
    "tls.ca": "PEM file of the authorities to trust instead of the system's",
    "tls.certificate": "PEM file of the certificate to show",
    "tls.key": "PEM file of its key",
    "tls.pins": "hashes of the public keys that the server may have, each sha256//BASE64; any key unless told",
    "proxy": "proxy for this connection; loopback is never proxied",
    "timeout": "seconds without a byte after which a request is given up; 30 unless told",
    "headers": "sent with every request",
    "allowInsecure": "permits plain http to another machine",
    "readOnly": "refuses everything that would change something",
    "color": "shown wherever the connection is, so that production looks different",
    "auth.method": "how to sign in",
    "auth.ask": "shows what is configured in its form before it goes out",
    "auth.user": "who signs in",
    "auth.password": "asked for when it is absent",
    "auth.issuer": "address of the sign-in service",
    "auth.audience": "whom an identity service's tokens are for, where it must be told (Auth0)",
    "auth.clientID": "what this program is called there",
    "auth.clientSecret": "its secret, where it has one",
    "auth.redirectPort": "loopback port the browser comes back to; any free one unless told",
    "auth.scope": "what access is asked for",
    "auth.consumerKey": "key of the application, as the bank's server gave it",
    "auth.consumerSecret": "its secret, for oauth1",
    "auth.redirectURL": "oauth1: as it was registered with the server; a free loopback port unless told",
    "auth.serverURL": "oauth1: the server's own idea of its address, which signatures are made with",
    "auth.signature": "oauth1: HMAC-SHA256, or HMAC-SHA1 for servers that want it",
    "auth.token": "a third party's token to exchange",
    "auth.exchange": "which endpoint exchanges the token; by the token's audience unless told",
    "auth.version": "version of the application, as it is registered",
    "auth.platform": "platform of the application, as it is registered",
    "auth.refresh": "whether to ask for a token that renews itself",
    "auth.deviceName": "what the server calls this device",
    "auth.loginTimeout": "seconds that one answer of the authorization server may take, 5 at least",
    "gateway.user": "who signs in at the gateway in front of the server",
    "gateway.password": "asked for when it is absent",
    "gateway.marker": "a text that stands in every page of the gateway and in none of the server's",
    "gateway.address": "where the gateway's form is sent, where its page does not say",
    "gateway.userField": "name of the form's field for the user",
    "gateway.passwordField": "name of the form's field for the password",
    "authURL": "address that signs in, where it is not that of url",
    "plist": "Oracle's OMC.plist, relative to this file",
    "backend": "the same tree in place of a file",
    "apis": "names of custom APIs, which the server does not tell",
    "analytics": "notes events and sends them to the backend's collector; off unless told",
    "adapters": "address of the adapters; made from url unless told",
    "resourceURL": "what a resource's path is appended to; the origin of url unless told",
    "app": "identifier of the application, as the server knows it",
    "resources[].name": "what the resource is called here",
    "resources[].path": "its path",
    "resources[].method": "how it is requested; GET unless told",
    "resources[].scope": "scope it needs, where the server does not say",
    "answers": "answers to security checks, by check and field; the rest is asked for",
    "farm": "farm of the relay server",
    "urlSuffix": "suffix of the relay server's path",
    "domain": "domain that the application belongs to",
    "securityConfiguration": "security configuration that signs in",
    "sets": "sets to synchronise; all of them unless told",
    "endpoint": "name of the data service, where it is not the application's",
    "backendURL": "address of the back end behind the platform, for a relay server that rewrites no links",
    "version": "version of the registration interface",
    "streamParams": "trusted_certificates=FILE;compression=zlib;url_suffix=PATH",
    "activationCode": "of a registration that an administrator has prepared; only the native protocol knows it",
    "asyncReplay": "true to fetch rows although some edits could not be sent",
    "groups": "sets by the name of their synchronisation group",
  ]
}
