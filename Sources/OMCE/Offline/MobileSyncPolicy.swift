/// How a resource is read, kept, changed and settled (`OMCSyncPolicy`; reference, section 6.2).
public struct MobileSyncPolicy: Sendable, Hashable {
  /// Where an answer comes from.
  public enum Fetch: String, Sendable, CaseIterable {
    /// The store alone; what is missing or has expired is nothing.
    case fromCache = "FETCH_FROM_CACHE"
    case fromService = "FETCH_FROM_SERVICE"
    case fromServiceIfOnline = "FETCH_FROM_SERVICE_IF_ONLINE"
    /// What is kept, however old; else the service.
    case onCacheMiss = "FETCH_FROM_SERVICE_ON_CACHE_MISS"
    case onCacheMissOrExpiry = "FETCH_FROM_SERVICE_ON_CACHE_MISS_OR_EXPIRY"
    /// What is kept now, and a new answer for later.
    case fromCacheScheduleRefresh = "FETCH_FROM_CACHE_SCHEDULE_REFRESH"
    case withRefresh = "FETCH_WITH_REFRESH"
  }

  /// When what is kept counts as old.
  public enum Expiration: String, Sendable, CaseIterable {
    case onRestart = "EXPIRE_ON_RESTART"
    case after = "EXPIRE_AFTER"
    case never = "NEVER_EXPIRE"
  }

  /// When what is kept goes.
  public enum Eviction: String, Sendable, CaseIterable {
    case onExpiryAtStartup = "EVICT_ON_EXPIRY_AT_STARTUP"
    case manual = "MANUAL_EVICTION"
  }

  /// What becomes of a change without a server.
  public enum Update: String, Sendable, CaseIterable {
    case ifOnline = "UPDATE_IF_ONLINE"
    case queueIfOffline = "QUEUE_IF_OFFLINE"
  }

  /// Whose version stays when both have changed.
  public enum ConflictResolution: String, Sendable, CaseIterable {
    case clientWins = "CLIENT_WINS"
    case serverWins = "SERVER_WINS"
    /// Both stay until a person decides.
    case preserve = "PRESERVE_CONFLICT"
  }

  /// `fetch_Policy`.
  public var fetch = Fetch.fromServiceIfOnline
  /// `expiration_Policy`.
  public var expiration = Expiration.onRestart
  /// Seconds; counts with `EXPIRE_AFTER` alone (`expire_After`).
  public var expireAfter = Int64.max
  /// `eviction_Policy`.
  public var eviction = Eviction.manual
  /// `update_Policy`.
  public var update = Update.queueIfOffline
  /// `conflictResolution_Policy`.
  public var conflictResolution = ConflictResolution.preserve
  /// `no_cache`.
  public var isNotKept = false

  /// The defaults of the iOS library, which are this kit's, too (`defaultSyncPolicy`).
  public init() {}

  /// `initWithFetchPolicy:expirationPolicy:expireAfter:evictionPolicy:updatePolicy:`.
  public init(fetch: Fetch, expiration: Expiration, expireAfter: Int64, eviction: Eviction, update: Update) {
    self.fetch = fetch
    self.expiration = expiration
    self.expireAfter = expireAfter
    self.eviction = eviction
    self.update = update
  }
}

/// The members of a policy that somebody has set; the others come from the next level.
struct SyncPolicyPart: Sendable, Hashable {
  var fetch: MobileSyncPolicy.Fetch?
  var expiration: MobileSyncPolicy.Expiration?
  var expireAfter: Int64?
  var eviction: MobileSyncPolicy.Eviction?
  var update: MobileSyncPolicy.Update?
  var conflictResolution: MobileSyncPolicy.ConflictResolution?
  var isNotKept: Bool?

  func laid(over policy: MobileSyncPolicy) -> MobileSyncPolicy {
    var policy = policy
    policy.fetch = fetch ?? policy.fetch
    policy.expiration = expiration ?? policy.expiration
    policy.expireAfter = expireAfter ?? policy.expireAfter
    policy.eviction = eviction ?? policy.eviction
    policy.update = update ?? policy.update
    policy.conflictResolution = conflictResolution ?? policy.conflictResolution
    policy.isNotKept = isNotKept ?? policy.isNotKept
    return policy
  }
}

extension SyncPolicyPart {
  /// - Parameter odd: Told each name that is no policy; such a one is skipped.
  init(_ tree: PropertyTree, odd: (String) -> Void) {
    fetch = SyncPolicyPart.named(tree["fetchPolicy"], "FETCH_POLICY_", odd)
    expiration = SyncPolicyPart.named(tree["expirationPolicy"], "EXPIRATION_POLICY_", odd)
    eviction = SyncPolicyPart.named(tree["evictionPolicy"], "EVICTION_POLICY_", odd)
    update = SyncPolicyPart.named(tree["updatePolicy"], "UPDATE_POLICY_", odd)
    conflictResolution = SyncPolicyPart.named(tree["conflictResolutionPolicy"], "CONFLICT_RESOLUTION_POLICY_", odd)
    // A text in Oracle's own sample.
    expireAfter = tree["expireAfter"]?.text.flatMap { Int64($0) }
    isNotKept = tree["noCache"]?.flag
  }

  /// A name as the property list has it, or with the prefix of the library's constants.
  private static func named<Word: RawRepresentable>(
    _ tree: PropertyTree?, _ prefix: String, _ odd: (String) -> Void
  ) -> Word? where Word.RawValue == String {
    guard let text = tree?.text, !text.isEmpty else { return nil }
    let name = text.uppercased()
    if let word = Word(rawValue: name)
      ?? (name.hasPrefix(prefix) ? Word(rawValue: String(name.dropFirst(prefix.count))) : nil)
    {
      return word
    }
    odd(text)
    return nil
  }

  /// As a resource of its own keeps it.
  var kept: PropertyTree {
    var members: [PropertyTree.Member] = []
    func add(_ key: String, _ text: String?) {
      if let text { members.append(.init(key: key, value: .text(text), line: nil)) }
    }
    add("fetchPolicy", fetch?.rawValue)
    add("expirationPolicy", expiration?.rawValue)
    add("expireAfter", expireAfter.map(String.init))
    add("evictionPolicy", eviction?.rawValue)
    add("updatePolicy", update?.rawValue)
    add("conflictResolutionPolicy", conflictResolution?.rawValue)
    add("noCache", isNotKept.map { $0 ? "true" : "false" })
    return .table(members)
  }
}
