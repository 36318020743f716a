import Model

/// Which keys a part of the configuration knows and what each of them holds.
struct SettingsSchema: Sendable {
  indirect enum Shape: Sendable {
    case text, flag, integer, url, color
    /// A whole number above 0.
    case positive
    case choice([String])
    /// A text, or one of env, vault, file and command.
    case secret
    case texts
    case table(SettingsSchema)
    case tables(SettingsSchema)
    /// Any keys, each holding a text or a secret.
    case secrets
    /// Any value at all; secrets are recognised wherever they stand.
    case free
  }

  let keys: [(name: String, shape: Shape)]

  func shape(of key: String) -> Shape? { keys.first { $0.name == key }?.shape }
}

extension SettingsSchema {
  /// What every connection knows.
  private static let common: [(name: String, shape: Shape)] = [
    ("name", .text), ("kind", .choice(BackendKind.allCases.map(\.rawValue))),
    ("tls", .table(SettingsSchema(keys: [("ca", .text), ("certificate", .text), ("key", .text), ("pins", .texts)]))),
    ("proxy", .text), ("timeout", .positive), ("headers", .secrets), ("allowInsecure", .flag), ("readOnly", .flag),
    ("color", .color),
  ]

  private static let person: [(name: String, shape: Shape)] = [("user", .text), ("password", .secret)]

  private static let openID: [(name: String, shape: Shape)] = [
    ("issuer", .url), ("clientID", .text), ("clientSecret", .secret), ("redirectPort", .integer), ("scope", .text),
    ("audience", .text),
  ]

  static func connection(_ kind: BackendKind) -> SettingsSchema {
    SettingsSchema(keys: common + own(kind))
  }

  private static func own(_ kind: BackendKind) -> [(name: String, shape: Shape)] {
    switch kind {
    case .openbank: openbank
    case .alfresco: alfresco
    case .omce: omce
    case .mobilefirst: mobilefirst
    case .unwired: unwired
    }
  }

  private static func auth(
    _ methods: [String], _ keys: [(name: String, shape: Shape)]
  ) -> (name: String, shape: Shape) {
    ("auth", .table(SettingsSchema(keys: [("method", .choice(methods)), ("ask", .flag)] + keys)))
  }

  private static let openbank: [(name: String, shape: Shape)] = [
    ("url", .url), ("authURL", .url),
    auth(
      ["direct", "oauth1", "oidc", "none"],
      person + openID + [
        ("consumerKey", .secret), ("consumerSecret", .secret), ("redirectURL", .url), ("serverURL", .url),
        ("signature", .text),
      ]),
  ]

  private static let alfresco: [(name: String, shape: Shape)] = [
    ("url", .url), auth(["basic", "ticket", "pkce", "device"], person + openID),
  ]

  private static let omce: [(name: String, shape: Shape)] = [
    ("url", .url), ("plist", .text), ("backend", .free), ("apis", .texts), ("analytics", .flag),
    auth(
      ["basic", "oauth", "anonymous", "none", "exchange", "facebook", "token", "sso"],
      person + [("token", .secret), ("exchange", .choice(["auth", "sso"]))]),
  ]

  private static let mobilefirst: [(name: String, shape: Shape)] = [
    ("url", .url), ("adapters", .url), ("resourceURL", .url), ("app", .text),
    (
      "resources",
      .tables(SettingsSchema(keys: [("name", .text), ("path", .text), ("method", .text), ("scope", .text)]))
    ),
    ("answers", .free),
    auth(
      ["client", "confidential"],
      [
        ("clientID", .text), ("clientSecret", .secret), ("scope", .text), ("version", .text), ("platform", .text),
        ("refresh", .flag), ("deviceName", .text), ("loginTimeout", .positive),
      ]),
    (
      "gateway",
      .table(
        SettingsSchema(
          keys: person + [("marker", .text), ("address", .text), ("userField", .text), ("passwordField", .text)]))
    ),
  ]

  private static let unwired: [(name: String, shape: Shape)] = [
    ("url", .url), ("app", .text), ("farm", .text), ("urlSuffix", .text), ("domain", .text),
    ("securityConfiguration", .text), ("sets", .texts), ("endpoint", .text), ("version", .text),
    ("streamParams", .text), ("activationCode", .secret), ("asyncReplay", .flag), ("groups", .free),
    ("backendURL", .url), auth(["basic", "certificate", "none", "anonymous"], person),
  ]
}
