import Model

/// What a connection of kind `omce` says in its configuration.
struct OMCESettings: Sendable {
  let profile: MobileProfile
  /// Nobody signs in: the backend's anonymous key, or a token for its client alone.
  let isAnonymous: Bool
  /// A third party's token, to be exchanged or to be sent along.
  let token: SecretSource?
  /// Which of the two exchange endpoints to use, `auth` or `sso`; nil to see by the token.
  let exchange: String?
  /// Names of custom APIs to list, as the server names none.
  let customAPIs: [String]
  /// Whether somebody has opted in to analytics, or out of them; nil when the configuration does not say.
  let notesEvents: Bool?

  init(_ settings: Settings) throws(ServiceError) {
    let named = try settings.text("auth.method")
    isAnonymous = named == "anonymous" || named == "none"
    let wanted = try OMCESettings.method(named, settings)
    if let path = try settings.text("plist") {
      let (tree, warnings) = try ProfileFile.read(path, in: settings.directory)
      profile = try MobileProfile(tree, wanted: wanted, warnings: warnings, named: path)
    } else if let table = try settings.table("backend") {
      profile = try MobileProfile(PropertyTree(table), wanted: wanted)
    } else {
      throw ServiceError(
        .configuration, "read the setting “plist”", detail: "neither “plist” nor “backend” is set",
        remedy: "Name the backend's OMC.plist with plist: FILE.")
    }
    exchange = try settings.text("auth.exchange")
    token = try settings.secret("auth.token")
    customAPIs = try settings.texts("apis") ?? []
    notesEvents = try settings.flag("analytics")
  }

  private static func method(_ name: String?, _ settings: Settings) throws(ServiceError) -> MobileProfile.Method? {
    switch name {
    case nil, "anonymous", "none": return nil
    case "exchange", "token": return .tokenExchange
    case let name?:
      if let method = MobileProfile.Method(rawValue: name) { return method }
      let place = settings["auth.method"]?.origin.text ?? ""
      throw ServiceError(
        .configuration, "read the setting “auth.method”",
        detail: (place.isEmpty ? "" : "\(place): ")
          + "“auth.method” must be anonymous, basic, oauth, exchange or facebook, not “\(name)”")
    }
  }
}
