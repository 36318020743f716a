import Model

extension MobileProfile {
  /// Reads a profile's tree: the OMCe form, the older `mobileBackends` form, or Oracle's `toolsConfig.json`.
  ///
  /// - Parameter wanted: The method that the configuration chooses, over the profile's own.
  /// - Parameter isComplete: Whether what is missing is an error; else only what cannot be read at all.
  /// - Throws: `.configuration` for what is missing or still a placeholder, naming it.
  init(
    _ tree: PropertyTree, wanted: Method? = nil, warnings: [String] = [], named file: String = "backend",
    mustBe isComplete: Bool = true
  ) throws(ServiceError) {
    let reading = ProfileReading(file: file)
    if let backends = tree["mobileBackends"] {
      self = try reading.oldForm(backends, wanted)
    } else if tree["mobileBackend"] == nil, tree["backend"] != nil || tree["apiName"] != nil {
      self = try reading.toolsForm(tree, wanted)
    } else {
      self = try reading.currentForm(tree, wanted)
    }
    logLevel = tree["logLevel"]?.text.map(ProfileReading.logLevel) ?? logLevel
    logsHTTP = tree["logHTTP"]?.flag ?? false
    logHTTPMaxHeaderSize = tree["logHTTPMaxHeaderSize"]?.text.flatMap { Int($0) } ?? logHTTPMaxHeaderSize
    logHTTPMaxBodySize = tree["logHTTPMaxBodySize"]?.text.flatMap { Int($0) } ?? logHTTPMaxBodySize
    self.warnings = warnings + reading.twoSpellings(tree) + self.warnings
    guard isComplete else { return }
    if let problem = reading.problems(of: self).first { throw problem }
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
    // The oldest generation knows no scope; an identity server of the newer kind wants one.
    if profile.tokenURL?.hasSuffix(MobileProfile.tokenPath) == true {
      profile.scope = profile.baseURL + MobileProfile.scopeSuffix
    }
    readKeys(authorization, into: &profile)
    if marked.count != 1 && backends.members.count > 1 {
      profile.warnings.append("\(file): no single default among its backends; “\(chosen.key)” is used")
    }
    return profile
  }

  /// What Oracle's custom-code tools keep beside a project, in its newer and its older layout (reference, section 1.6).
  /// The keys under `tools` are the team's own and are never used for an app's calls.
  func toolsForm(_ tree: PropertyTree, _ wanted: MobileProfile.Method?) throws(ServiceError) -> MobileProfile {
    let backend = tree["backend"]
    let old = tree["authorization"]
    let keys = backend?["authorization"] ?? old?["oauth"]
    var profile = try profile(tree, nil, wanted)
    profile.name = backend?["backendName"]?.text ?? tree["apiName"]?.text
    let endpoint = tree["tokenEndpoint"] ?? old?["oauth"]?["tokenEndpoint"]
    profile.tokenURL = endpoint?.text.flatMap { $0.isEmpty ? nil : ProfileReading.tokenURL($0) }
    profile.scope = profile.baseURL + MobileProfile.scopeSuffix
    if let id = keys?["clientId"]?.text, let secret = keys?["clientSecret"]?.secret {
      profile.oauth = .init(clientID: id, clientSecret: secret)
    }
    if let id = (backend?["backendId"] ?? old?["mobileBackendID"])?.text {
      profile.basic = .init(mobileBackendID: id, anonymousKey: (keys?["anonymousKey"] ?? old?["anonymousKey"])?.secret)
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
    let named = authentication?["type", "authenticationType", "authType"]?.text ?? ""
    guard let method = wanted ?? ProfileReading.method(named) else {
      throw wrong("“\(named)” is no type of authentication; there are oauth, basic, sso, tokenExchange and facebook")
    }
    var profile = MobileProfile(baseURL: base, method: method)
    profile.name = backend["name"]?.text
    profile.timeout = backend["networkConnectionTimeout"]?.text.flatMap { Int($0) }
    if backend["sync"] != nil || backend["synchronization"] != nil, backend["syncExpress"] != nil {
      throw wrong("sync and syncExpress exclude each other")
    }
    if let tree = backend["synchronization", "sync", "syncExpress"] {
      profile.synchronization = SyncSettings(tree) { name in
        warnings.append("\(file): “\(name)” under synchronization is not known; it is left out")
      }
    }
    if let analytics = backend["analytics"] { profile.analytics.isDryRun = analytics["dryRun"]?.flag ?? false }
    profile.warnings = warnings
    return profile
  }

  private static func method(_ name: String) -> MobileProfile.Method? {
    switch name.lowercased() {
    case "", "oauth": .oauth
    case "basic", "basicauth": .basic
    case "sso", "ssoauth": .sso
    case "tokenexchange", "ssotokenexchange", "token", "tokenauth": .tokenExchange
    case "facebook", "facebookauth": .facebook
    default: nil
    }
  }

  private func readKeys(_ authentication: PropertyTree?, into profile: inout MobileProfile) {
    let outer = authentication
    // Exchange and Facebook keep their keys one level deeper.
    let inner =
      switch profile.method {
      case .tokenExchange: outer?["tokenExchange", "SSOTokenExchange", "token", "tokenAuth"]
      case .facebook: outer?["facebook", "facebookAuth"]
      case .sso: outer?["sso", "ssoAuth"]
      case .oauth, .basic: outer
      }
    for tree in [inner, outer] {
      // Oracle's JavaScript writes what belongs to one type flat into it.
      for keys in [tree?["oauth"], tree?["oAuth"], tree] where profile.oauth == nil {
        guard let id = keys?["clientID"]?.text, !id.isEmpty, let secret = keys?["clientSecret"]?.secret else {
          continue
        }
        profile.oauth = .init(clientID: id, clientSecret: secret)
      }
      for keys in [tree?["basic", "basicAuth"], tree] where profile.basic == nil {
        guard let id = keys?["mobileBackendID", "backendID"]?.text, !id.isEmpty else { continue }
        profile.basic = .init(
          mobileBackendID: id, anonymousKey: keys?["anonymousKey", "anonymousToken"]?.secret)
      }
    }
    let used = profile.method == .basic ? outer?["basic", "basicAuth"] : outer?["oauth"]
    profile.enablesOffline =
      used?["enableOffline"]?.flag ?? outer?["enableOffline"]?.flag ?? outer?["offlineAuthenticationEnabled"]?.flag
      ?? true
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
  func problems(of profile: MobileProfile) -> [ServiceError] {
    var problems = [placeholder("baseURL", profile.baseURL)].compactMap { $0 }
    if problems.isEmpty, !profile.baseURL.hasPrefix("http://"), !profile.baseURL.hasPrefix("https://") {
      problems.append(wrong("baseURL “\(profile.baseURL)” must begin with https://"))
    }
    switch profile.method {
    case .oauth:
      problems +=
        profile.tokenURL.map { placeholder("oAuthTokenEndPoint", $0).map { [$0] } ?? [] }
        ?? [incomplete("oAuthTokenEndPoint", "is missing")]
      problems += client(profile, or: "authentication/oauth", "has no clientID and clientSecret")
    case .basic, .facebook:
      guard let basic = profile.basic else {
        return problems + [incomplete("authentication/basic", "has no mobileBackendID")]
      }
      problems += [placeholder("mobileBackendID", basic.mobileBackendID)].compactMap { $0 }
    case .tokenExchange:
      if profile.oauth == nil, profile.basic == nil {
        problems.append(incomplete("authentication/tokenExchange", "has neither oauth nor basic in it"))
      }
    case .sso: problems += client(profile, or: "authentication", "has no clientID for sso")
    }
    return problems
  }

  private func client(_ profile: MobileProfile, or name: String, _ what: String) -> [ServiceError] {
    guard let oauth = profile.oauth else { return [incomplete(name, what)] }
    var problems = [placeholder("clientID", oauth.clientID)]
    if case .literal(let secret) = oauth.clientSecret, ProfileReading.isPlaceholder(secret.reveal()) {
      problems.append(incomplete("clientSecret", "still holds the sample's placeholder"))
    }
    return problems.compactMap { $0 }
  }

  private func placeholder(_ name: String, _ text: String) -> ServiceError? {
    ProfileReading.isPlaceholder(text)
      ? incomplete(name, "still holds the sample's placeholder “\(text)”") : nil
  }

  /// Names that stand twice in one table, spelled in two ways, with different values: the first one counts.
  func twoSpellings(_ tree: PropertyTree) -> [String] {
    var warnings: [String] = []
    for (index, member) in tree.members.enumerated() {
      let earlier = tree.members[..<index].first { $0.key.lowercased() == member.key.lowercased() }
      if let earlier, earlier.value.text != member.value.text || earlier.value.text == nil {
        let lines = [earlier.line, member.line].compactMap { $0.map(String.init) }.joined(separator: " and ")
        warnings.append(
          "\(file)\(lines.isEmpty ? "" : ", lines \(lines)"): “\(earlier.key)” and “\(member.key)” are the same key; "
            + "the first counts")
      }
      warnings += twoSpellings(member.value)
    }
    return warnings
  }

  /// A word, or Oracle's JavaScript's number from 0 to 4.
  static func logLevel(_ text: String) -> String {
    let words = ["none", "error", "warning", "info", "debug"]
    if let number = Int(text), words.indices.contains(number) { return words[number] }
    return text.lowercased()
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
