import Model

/// What was understood of a profile, for somebody who imports it. Of secrets only the last four characters are shown.
package struct ProfileSummary: Sendable {
  /// Title and text of everything that was found.
  package let lines: [(title: String, text: String)]
  /// What is missing for signing in, in words; empty when the profile will do.
  package let missing: [String]

  init(_ tree: PropertyTree, named file: String) throws(ServiceError) {
    let profile = try MobileProfile(tree, named: file, mustBe: false)
    var lines: [(title: String, text: String)] = []
    func add(_ title: String, _ text: String?) {
      if let text, !text.isEmpty { lines.append((title, text)) }
    }
    add("Name", profile.name)
    add("Base address", profile.baseURL)
    add("Signs in by", profile.method.rawValue)
    let others = MobileProfile.Method.allCases.filter { $0 != profile.method && profile.isConfigured(for: $0) }
    add("Also possible", others.map(\.rawValue).joined(separator: ", "))
    add("Token address", profile.tokenURL)
    add("Scope", profile.scope)
    add("Client", profile.oauth?.clientID)
    add("Client secret", profile.oauth.map { Self.masked($0.clientSecret) })
    add("Backend", profile.basic?.mobileBackendID)
    add("Anonymous key", profile.basic?.anonymousKey.map(Self.masked))
    add("Application key", profile.applicationKey)
    add("Identity domain", profile.identityDomain)
    add("Offline sign-in", profile.enablesOffline ? "yes" : "no")
    add("Data offline", profile.synchronization.map(Self.words))
    add("Log", profile.logLevel + (profile.logsHTTP ? ", with headers and bodies" : ""))
    self.lines = lines
    missing = ProfileReading(file: file).problems(of: profile).compactMap(\.detail)
  }

  private static func words(_ sync: SyncSettings) -> String {
    let policy = sync.policy(for: "")
    let rules = sync.rules.isEmpty ? "" : ", \(sync.rules.count) \(sync.rules.count == 1 ? "path" : "paths") apart"
    return "\(policy.fetch.rawValue), \(policy.update.rawValue), \(policy.conflictResolution.rawValue)\(rules)"
  }

  static func masked(_ source: SecretSource) -> String {
    guard case .literal(let secret) = source else { return "kept elsewhere" }
    let text = secret.reveal()
    return text.count > 8 ? "…\(text.suffix(4))" : "…"
  }
}

extension MobileProfile {
  /// Whether it has what a way to sign in needs.
  func isConfigured(for type: Method) -> Bool {
    switch type {
    case .oauth: oauth != nil && tokenURL != nil
    case .sso: oauth != nil
    case .basic: basic != nil
    case .facebook: basic?.anonymousKey != nil
    case .tokenExchange: oauth != nil || basic != nil
    }
  }
}
