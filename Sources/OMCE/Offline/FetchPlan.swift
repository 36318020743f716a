import Model

/// Where a read takes its answer from, by policy, by what is kept, and by whether there is a server (reference, 6.2).
enum FetchPlan: Sendable, Hashable {
  case kept
  /// What is kept now; a new answer is fetched behind the scenes.
  case keptThenRefresh
  case service
  /// The service, and what is kept when it cannot be reached.
  case serviceElseKept
  /// Nothing, without an error.
  case nothing
  /// It would need the service, and there is none.
  case unavailable

  /// What the store holds of a resource.
  enum Holding: Sendable, Hashable { case nothing, expired, fresh }

  init(_ fetch: MobileSyncPolicy.Fetch, _ holding: Holding, isOnline: Bool) {
    self =
      switch (fetch, holding) {
      case (.fromCache, .fresh): .kept
      case (.fromCache, _): .nothing
      case (.fromService, _): isOnline ? .service : .unavailable
      case (.fromServiceIfOnline, .nothing): isOnline ? .service : .unavailable
      case (.fromServiceIfOnline, _): isOnline ? .serviceElseKept : .kept
      case (.onCacheMiss, .expired), (.onCacheMiss, .fresh), (.onCacheMissOrExpiry, .fresh): .kept
      case (.onCacheMiss, .nothing), (.onCacheMissOrExpiry, _): isOnline ? .service : .unavailable
      case (.fromCacheScheduleRefresh, .nothing): .nothing
      case (.fromCacheScheduleRefresh, _): isOnline ? .keptThenRefresh : .kept
      case (.withRefresh, .fresh): isOnline ? .keptThenRefresh : .kept
      case (.withRefresh, _): isOnline ? .service : .unavailable
      }
  }

  /// Whether a miss, too, has to be fetched for the next time.
  static func schedules(_ fetch: MobileSyncPolicy.Fetch) -> Bool { fetch == .fromCacheScheduleRefresh }
}

extension MobileSyncPolicy {
  /// - Parameters:
  ///   - kept: When the service last said it.
  ///   - started: When this process began.
  func isExpired(kept: Timestamp, started: Timestamp, now: Timestamp) -> Bool {
    switch expiration {
    case .never: return false
    case .onRestart: return kept < started
    case .after:
      let age = now.milliseconds - kept.milliseconds
      return expireAfter <= Int64.max / 1000 && age >= expireAfter * 1000
    }
  }
}
