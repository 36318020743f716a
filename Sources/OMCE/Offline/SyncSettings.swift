import Wire

/// What a profile says under `synchronization` (reference, section 1.3).
public struct SyncSettings: Sendable {
  /// When what has expired is fetched again without being asked for.
  public enum PeriodicRefresh: String, Sendable, CaseIterable {
    case none = "PERIODIC_REFRESH_POLICY_REFRESH_NONE"
    case onStartUp = "PERIODIC_REFRESH_POLICY_REFRESH_EXPIRED_ITEM_ON_START_UP"
    case periodically = "PERIODIC_REFRESH_POLICY_PERIODICALLY_REFRESH_EXPIRED_ITEMS"
  }

  struct Rule: Sendable, Hashable {
    let path: PathPattern
    let part: SyncPolicyPart
  }

  /// Megabytes; nil for no bound.
  public internal(set) var maxStoreSize: Int?
  public internal(set) var periodicRefresh = PeriodicRefresh.none
  /// Seconds.
  public internal(set) var periodicRefreshInterval = 120
  public internal(set) var purgesOnStartup = false
  var rules: [Rule] = []
  var standard = SyncPolicyPart()

  init() {}

  /// The policy of a path: the first rule that matches, then the default, then the built-in one.
  ///
  /// - Parameter own: What was set on the resource itself; it comes before every rule.
  public func policy(for path: String) -> MobileSyncPolicy { policy(for: path, own: nil) }

  func policy(for path: String, own: SyncPolicyPart?) -> MobileSyncPolicy {
    var policy = standard.laid(over: MobileSyncPolicy())
    if let rule = rules.first(where: { $0.path.matches(path) }) { policy = rule.part.laid(over: policy) }
    return own?.laid(over: policy) ?? policy
  }
}

extension SyncSettings {
  init(_ tree: PropertyTree, odd: (String) -> Void) {
    maxStoreSize = tree["maxStoreSize"]?.text.flatMap { Int($0) }
    periodicRefreshInterval = tree["periodicRefreshInterval"]?.text.flatMap { Int($0) } ?? 120
    purgesOnStartup = tree["purgeOnStartup"]?.flag ?? false
    if let name = tree["periodicRefreshPolicy"]?.text, !name.isEmpty {
      // The JavaScript documentation spells it without the second underscore.
      let spelled = name.uppercased().replacing("ON_STARTUP", with: "ON_START_UP")
      if let policy = PeriodicRefresh(rawValue: spelled) { periodicRefresh = policy } else { odd(name) }
    }
    standard = tree["defaultPolicy"].map { SyncPolicyPart($0, odd: odd) } ?? SyncPolicyPart()
    guard case .list(let elements)? = tree["policies"] else { return }
    rules = elements.compactMap { element in
      guard let path = element["path"]?.text, !path.isEmpty else {
        odd("a policy without a path")
        return nil
      }
      return Rule(path: PathPattern(path), part: SyncPolicyPart(element, odd: odd))
    }
  }
}

/// A path of a policy: `*` is one segment, `**` any path below, `:id` one segment, `:id?` one or none.
struct PathPattern: Sendable, Hashable {
  private let segments: [String]

  init(_ text: String) {
    // A query or an address in front says nothing more.
    var path = Substring(text.prefix { $0 != "?" || text.hasSuffix("?") })
    if let scheme = path.firstRange(of: "://") {
      path = path[scheme.upperBound...]
      path = path.firstIndex(of: "/").map { path[$0...] } ?? ""
    }
    segments = path.split(separator: "/").map(String.init)
  }

  /// Whether a path of the server, with or without `/mobile/custom` in front, is meant.
  func matches(_ path: String) -> Bool {
    let names = path.prefix { $0 != "?" }.split(separator: "/").map { URLForm.unescape($0) }
    if matches(segments[...], names[...]) { return true }
    guard names.starts(with: ["mobile", "custom"]), segments.first != "mobile" else { return false }
    return matches(segments[...], names.dropFirst(2))
  }

  private func matches(_ pattern: ArraySlice<String>, _ names: ArraySlice<String>) -> Bool {
    guard let first = pattern.first else { return names.isEmpty }
    let rest = pattern.dropFirst()
    if first == "**" {
      return (names.startIndex...names.endIndex).contains { matches(rest, names[$0...]) }
    }
    if first.hasPrefix(":"), first.hasSuffix("?"), matches(rest, names) { return true }
    guard let name = names.first else { return false }
    let fits = first == "*" || first.hasPrefix(":") || first == name
    return fits && matches(rest, names.dropFirst())
  }
}
