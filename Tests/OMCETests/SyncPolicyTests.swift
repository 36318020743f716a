import Model
import Testing

@testable import OMCE

/// The policies of data offline as a table (reference, section 6.2).
@Suite struct SyncPolicyTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let fetch: MobileSyncPolicy.Fetch
    let holding: FetchPlan.Holding
    let online: FetchPlan
    let offline: FetchPlan
    var testDescription: String { "\(fetch.rawValue) with \(holding) kept" }
  }

  @Test(arguments: [
    Case(fetch: .fromCache, holding: .nothing, online: .nothing, offline: .nothing),
    Case(fetch: .fromCache, holding: .expired, online: .nothing, offline: .nothing),
    Case(fetch: .fromCache, holding: .fresh, online: .kept, offline: .kept),
    Case(fetch: .fromService, holding: .fresh, online: .service, offline: .unavailable),
    Case(fetch: .fromServiceIfOnline, holding: .nothing, online: .service, offline: .unavailable),
    Case(fetch: .fromServiceIfOnline, holding: .expired, online: .serviceElseKept, offline: .kept),
    Case(fetch: .fromServiceIfOnline, holding: .fresh, online: .serviceElseKept, offline: .kept),
    Case(fetch: .onCacheMiss, holding: .nothing, online: .service, offline: .unavailable),
    Case(fetch: .onCacheMiss, holding: .expired, online: .kept, offline: .kept),
    Case(fetch: .onCacheMissOrExpiry, holding: .fresh, online: .kept, offline: .kept),
    Case(fetch: .onCacheMissOrExpiry, holding: .expired, online: .service, offline: .unavailable),
    Case(fetch: .fromCacheScheduleRefresh, holding: .nothing, online: .nothing, offline: .nothing),
    Case(fetch: .fromCacheScheduleRefresh, holding: .expired, online: .keptThenRefresh, offline: .kept),
    Case(fetch: .withRefresh, holding: .nothing, online: .service, offline: .unavailable),
    Case(fetch: .withRefresh, holding: .expired, online: .service, offline: .unavailable),
    Case(fetch: .withRefresh, holding: .fresh, online: .keptThenRefresh, offline: .kept),
  ])
  func `a fetch policy says where an answer comes from`(_ c: Case) {
    #expect(FetchPlan(c.fetch, c.holding, isOnline: true) == c.online)
    #expect(FetchPlan(c.fetch, c.holding, isOnline: false) == c.offline)
  }

  @Test func `the built-in policy is the iOS library's`() {
    let policy = MobileSyncPolicy()
    #expect(policy.fetch == .fromServiceIfOnline)
    #expect(policy.expiration == .onRestart)
    #expect(policy.expireAfter == .max)
    #expect(policy.eviction == .manual)
    #expect(policy.update == .queueIfOffline)
    #expect(policy.conflictResolution == .preserve)
    #expect(!policy.isNotKept)
  }

  struct Match: Sendable, CustomTestStringConvertible {
    let pattern: String
    let path: String
    let matches: Bool
    var testDescription: String { "\(pattern) \(matches ? "means" : "does not mean") \(path)" }
  }

  @Test(arguments: [
    Match(pattern: "/mobile/custom/tasks/items", path: "/mobile/custom/tasks/items", matches: true),
    Match(pattern: "mobile/custom/tasks/*", path: "/mobile/custom/tasks/items", matches: true),
    Match(pattern: "/mobile/custom/tasks/*", path: "/mobile/custom/tasks/items/7", matches: false),
    Match(pattern: "/mobile/custom/tasks/**", path: "/mobile/custom/tasks/items/7", matches: true),
    Match(pattern: "/mobile/custom/tasks/**", path: "/mobile/custom/tasks", matches: true),
    Match(pattern: "/**/items", path: "/mobile/custom/tasks/items", matches: true),
    Match(pattern: "tasks/items/:id?", path: "/mobile/custom/tasks/items", matches: true),
    Match(pattern: "tasks/items/:id?", path: "/mobile/custom/tasks/items/7", matches: true),
    Match(pattern: "tasks/items/:id", path: "/mobile/custom/tasks/items", matches: false),
    Match(pattern: "https://host/mobile/custom/a", path: "/mobile/custom/a?x=1", matches: true),
    Match(pattern: "storage/**", path: "/mobile/platform/storage/collections", matches: false),
    Match(
      pattern: "/mobile/platform/storage/collections/*/objects/**",
      path: "/mobile/platform/storage/collections/C/objects/a%20b", matches: true),
  ])
  func `a star is one segment, two are any path`(_ c: Match) {
    #expect(PathPattern(c.pattern).matches(c.path) == c.matches)
  }

  private static let profile = """
    <plist version="1.0"><dict><key>mobileBackend</key><dict>
      <key>baseURL</key><string>http://127.0.0.1:8080</string>
      <key>authentication</key><dict><key>type</key><string>basic</string>
        <key>basic</key><dict><key>mobileBackendID</key><string>b-1</string></dict></dict>
      <key>synchronization</key><dict>
        <key>maxStoreSize</key><integer>100</integer>
        <key>periodicRefreshPolicy</key><string>PERIODIC_REFRESH_POLICY_REFRESH_EXPIRED_ITEM_ON_STARTUP</string>
        <key>periodicRefreshInterval</key><string>60</string>
        <key>policies</key><array>
          <dict><key>path</key><string>/mobile/custom/a/**</string><key>fetchPolicy</key><string>FETCH_FROM_CACHE</string>
            <key>noCache</key><true/></dict>
          <dict><key>path</key><string>/mobile/custom/a/b</string><key>fetchPolicy</key><string>FETCH_FROM_SERVICE</string>
            <key>updatePolicy</key><string>SOMETIMES</string></dict>
        </array>
        <key>defaultPolicy</key><dict>
          <key>expirationPolicy</key><string>EXPIRE_AFTER</string><key>expireAfter</key><string>150</string>
          <key>evictionPolicy</key><string>EVICT_ON_EXPIRY_AT_STARTUP</string>
          <key>conflictResolutionPolicy</key><string>CONFLICT_RESOLUTION_POLICY_CLIENT_WINS</string></dict>
      </dict></dict></dict></plist>
    """

  @Test func `policies come from the first rule that matches, then the default, then the built-in one`() throws {
    let profile = try Samples.profile(Self.profile)
    let sync = try #require(profile.synchronization)
    #expect(sync.maxStoreSize == 100)
    #expect(sync.periodicRefresh == .onStartUp)
    #expect(sync.periodicRefreshInterval == 60)
    let ruled = sync.policy(for: "/mobile/custom/a/b")
    #expect(ruled.fetch == .fromCache && ruled.isNotKept)
    #expect(ruled.expiration == .after && ruled.expireAfter == 150)
    #expect(ruled.conflictResolution == .clientWins)
    #expect(ruled.update == .queueIfOffline)
    #expect(sync.policy(for: "/mobile/platform/users/~").fetch == .fromServiceIfOnline)
    #expect(profile.warnings.contains { $0.contains("SOMETIMES") })
    let own = sync.policy(for: "/mobile/custom/a/b", own: SyncPolicyPart(fetch: .onCacheMiss))
    #expect(own.fetch == .onCacheMiss && own.isNotKept)
  }

  @Test func `a profile without synchronization keeps nothing unasked`() throws {
    #expect(try Samples.profile(Samples.basic).synchronization == nil)
  }

  @Test func `time makes old what was kept, by the policy`() {
    let kept = Timestamp(seconds: 1000)
    var policy = MobileSyncPolicy()
    #expect(policy.isExpired(kept: kept, started: Timestamp(seconds: 2000), now: Timestamp(seconds: 3000)))
    #expect(!policy.isExpired(kept: kept, started: Timestamp(seconds: 900), now: Timestamp(seconds: 3000)))
    policy.expiration = .after
    policy.expireAfter = 60
    #expect(!policy.isExpired(kept: kept, started: kept, now: Timestamp(seconds: 1059)))
    #expect(policy.isExpired(kept: kept, started: kept, now: Timestamp(seconds: 1060)))
    policy.expireAfter = .max
    #expect(!policy.isExpired(kept: kept, started: kept, now: Timestamp(seconds: 1 << 40)))
    policy.expiration = .never
    #expect(!policy.isExpired(kept: kept, started: Timestamp(seconds: 9999), now: Timestamp(seconds: 9999)))
  }
}
