import Model

extension MobileProfile {
  /// Reads a profile's tree: the OMCe form, the older `mobileBackends` form, or Oracle's `toolsConfig.json`.
  ///
  /// - Parameter wanted: The method that the configuration chooses, over the profile's own.
  /// - Throws: `.configuration` for what is missing or still a placeholder, naming it.
  init(
    _ tree: PropertyTree, wanted: Method? = nil, warnings: [String] = [], named file: String = "backend"
  ) throws(ServiceError) {
    let reading = ProfileReading(file: file)
    if let backends = tree["mobileBackends"] {
      self = try reading.oldForm(backends, wanted)
    } else if tree["backend"] != nil && tree["mobileBackend"] == nil {
      self = try reading.toolsForm(tree, wanted)
    } else {
      self = try reading.currentForm(tree, wanted)
    }
    logLevel = tree["logLevel"]?.text?.lowercased() ?? logLevel
    logsHTTP = tree["logHTTP"]?.flag ?? false
    self.warnings = warnings + self.warnings
    try reading.check(self)
  }
}

/// One reading of one profile; knows its name for messages.
struct ProfileReading {
  let file: String
  private static let operation = "read the mobile profile"

  func currentForm(_ tree: PropertyTree, _ wanted: MobileProfile.Method?) throws(ServiceError) -> MobileProfile {
    // A bare backend, without its outer table, is what the documentation shows as fragments.
    guard let backend = tree["mobileBackend"] ?? (tree["baseURL"] == nil ? nil : tree) else {
      throw wrong("there is no mobileBackend in it")
    }
    let endpoint = tree["oAuthTokenEndPoint", "identityServiceBaseURL"]?.text
    let authentication = backend["authentication", "authorization"]
    var profile = try profile(backend, authentication, wanted)
    profile.tokenURL = endpoint.flatMap { $0.isEmpty ? nil : ProfileReading.tokenURL($0) }
    profile.scope = tree["scope"]?.text ?? profile.baseURL + MobileProfile.scopeSuffix
    readKeys(authentication, into: &profile)
    return profile
  }

  /// Oracle Mobile Cloud Service, 2015–2018: named backends, a complete token address, an identity domain.
  func oldForm(_ backends: PropertyTree, _ wanted: MobileProfile.Method?) throws(ServiceError) -> MobileProfile {
    let marked = backends.members.filter { $0.value["default"]?.flag == true }
    guard let chosen = marked.first ?? backends.members.first else { throw wrong("mobileBackends is empty") }
    let backend = chosen.value
    let authorization = backend["authorization", "authentication"]
    var profile = try profile(backend, authorization, wanted)
    profile.name = profile.name ?? chosen.key
    profile.applicationKey = backend["appKey", "applicationKey"]?.text
    profile.identityDomain = authorization?["OAuth"]?["identityDomain"]?.text
    profile.tokenURL = authorization?["OAuth"]?["tokenEndpoint"]?.text.flatMap { $0.isEmpty ? nil : $0 }
    readKeys(authorization, into: &profile)
    if marked.count != 1 && backends.members.count > 1 {
      profile.warnings.append("\(file): no single default among its backends; “\(chosen.key)” is used")
    }
    return profile
  }

  /// What Oracle's custom-code tools keep beside a project.
  func toolsForm(_ tree: PropertyTree, _ wanted: MobileProfile.Method?) throws(ServiceError) -> MobileProfile {
    let backend = tree["backend"]
    let keys = backend?["authorization"]
    var profile = try profile(tree, nil, wanted)
    profile.name = backend?["backendName"]?.text
    profile.tokenURL = tree["tokenEndpoint"]?.text.flatMap { $0.isEmpty ? nil : ProfileReading.tokenURL($0) }
    profile.scope = profile.baseURL + MobileProfile.scopeSuffix
    if let id = keys?["clientId"]?.text, let secret = keys?["clientSecret"]?.secret {
      profile.oauth = .init(clientID: id, clientSecret: secret)
    }
    if let id = backend?["backendId"]?.text {
      profile.basic = .init(mobileBackendID: id, anonymousKey: keys?["anonymousKey"]?.secret)
    }
    if wanted == nil { profile.method = profile.oauth == nil ? .basic : .oauth }
    return profile
  }

  private func profile(
    _ backend: PropertyTree, _ authentication: PropertyTree?, _ wanted: MobileProfile.Method?
  ) throws(ServiceError) -> MobileProfile {
    guard let url = backend["baseURL"]?.text, !url.isEmpty else { throw wrong("baseURL is missing") }
    var warnings: [String] = []
    let base = try baseURL(url, &warnings)
    let named = authentication?["type", "authenticationType"]?.text ?? ""
    guard let method = wanted ?? ProfileReading.method(named) else {
      throw wrong("“\(named)” is no type of authentication; there are oauth, basic, sso, tokenExchange and facebook")
    }
    var profile = MobileProfile(baseURL: base, method: method)
    profile.name = backend["name"]?.text
    profile.timeout = backend["networkConnectionTimeout"]?.text.flatMap { Int($0) }
    profile.warnings = warnings
    return profile
  }

  private static func method(_ name: String) -> MobileProfile.Method? {
    switch name.lowercased() {
    case "", "oauth": .oauth
    case "basic", "basicauth": .basic
    case "sso": .sso
    case "tokenexchange", "ssotokenexchange": .tokenExchange
    case "facebook": .facebook
    default: nil
    }
  }

  private func readKeys(_ authentication: PropertyTree?, into profile: inout MobileProfile) {
    let outer = authentication
    // Exchange and Facebook keep their keys one level deeper.
    let inner =
      switch profile.method {
      case .tokenExchange: outer?["tokenExchange", "SSOTokenExchange"]
      case .facebook: outer?["facebook"]
      case .oauth, .basic, .sso: outer
      }
    for tree in [inner, outer] {
      if profile.oauth == nil, let oauth = tree?["oauth"], let id = oauth["clientID"]?.text, !id.isEmpty,
        let secret = oauth["clientSecret"]?.secret
      {
        profile.oauth = .init(clientID: id, clientSecret: secret)
      }
      if profile.basic == nil, let basic = tree?["basic"], let id = basic["mobileBackendID"]?.text, !id.isEmpty {
        profile.basic = .init(mobileBackendID: id, anonymousKey: basic["anonymousKey"]?.secret)
      }
    }
    let used = profile.method == .basic ? outer?["basic"] : outer?["oauth"]
    profile.enablesOffline =
      used?["enableOffline"]?.flag ?? outer?["offlineAuthenticationEnabled"]?.flag ?? true
  }

  /// The setting is the server's base; the page that shows it often shows the whole address (reference, trap 1).
  static func tokenURL(_ text: String) -> String {
    let base = withoutSlash(text)
    return base.hasSuffix(MobileProfile.tokenPath) || base.hasSuffix("/oam/oauth2/tokens")
      ? base : base + MobileProfile.tokenPath
  }

  private func baseURL(_ text: String, _ warnings: inout [String]) throws(ServiceError) -> String {
    var base = ProfileReading.withoutSlash(text)
    if base.hasSuffix("/mobile") {
      base.removeLast(7)
      warnings.append("\(file): baseURL ends in /mobile, which belongs to the paths; it is left out")
    }
    return base
  }

  private static func withoutSlash(_ text: String) -> String {
    var text = text
    while text.last == "/" { text.removeLast() }
    return text
  }

  private func wrong(_ why: String) -> ServiceError {
    ServiceError(.configuration, ProfileReading.operation, detail: "\(file): \(why)")
  }
}

extension ProfileReading {
  /// Everything that the chosen method needs must be there, and must not be a sample's placeholder.
  func check(_ profile: MobileProfile) throws(ServiceError) {
    try check("baseURL", profile.baseURL)
    guard profile.baseURL.hasPrefix("http://") || profile.baseURL.hasPrefix("https://") else {
      throw wrong("baseURL “\(profile.baseURL)” must begin with https://")
    }
    switch profile.method {
    case .oauth:
      guard let url = profile.tokenURL else { throw incomplete("oAuthTokenEndPoint", "is missing") }
      guard let oauth = profile.oauth else {
        throw incomplete("authentication/oauth", "has no clientID and clientSecret")
      }
      try check("oAuthTokenEndPoint", url)
      try check("clientID", oauth.clientID)
      try check("clientSecret", oauth.clientSecret)
    case .basic, .facebook:
      guard let basic = profile.basic else { throw incomplete("authentication/basic", "has no mobileBackendID") }
      try check("mobileBackendID", basic.mobileBackendID)
    case .tokenExchange:
      guard profile.oauth != nil || profile.basic != nil else {
        throw incomplete("authentication/tokenExchange", "has neither oauth nor basic in it")
      }
    case .sso:
      guard let oauth = profile.oauth else { throw incomplete("authentication", "has no clientID for sso") }
      try check("clientID", oauth.clientID)
    }
  }

  private func check(_ name: String, _ secret: SecretSource) throws(ServiceError) {
    if case .literal(let secret) = secret, ProfileReading.isPlaceholder(secret.reveal()) {
      throw incomplete(name, "still holds the sample's placeholder")
    }
  }

  private func check(_ name: String, _ text: String) throws(ServiceError) {
    if ProfileReading.isPlaceholder(text) { throw incomplete(name, "still holds the sample's placeholder “\(text)”") }
  }

  private func incomplete(_ name: String, _ what: String) -> ServiceError {
    ServiceError(
      .configuration, ProfileReading.operation, detail: "\(file): the profile is incomplete: \(name) \(what)",
      remedy: "Copy the value from the backend's settings page.")
  }

  /// `MY_TOKEN_ENDPOINT`, `https://MY_CLOUD_DOMAIN`, `YOUR_CLIENT_ID` and the like.
  static func isPlaceholder(_ text: String) -> Bool {
    for mark in ["MY_", "YOUR_", "<YOUR", "<MY"] {
      guard let found = text.firstRange(of: mark) else { continue }
      let before = text[..<found.lowerBound].last
      let after = text[found.upperBound...].first
      let standsFree = before.map { !$0.isLetter && !$0.isNumber && $0 != "_" } ?? true
      if standsFree, after.map({ $0.isUppercase || $0 == "_" || $0 == " " }) ?? false { return true }
    }
    return text.isEmpty
  }
}
