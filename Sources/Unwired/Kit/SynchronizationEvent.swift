import Model

/// How far a synchronisation has come (`SUPSynchronizationStatus`); the numbers are the product's own.
public enum SynchronizationStatus: Int, Sendable, CaseIterable {
  case starting = 1, uploading, downloading, finishing, error
}

/// A row by its set and the key that a location writes.
public struct EntityReference: Sendable, Hashable, CustomStringConvertible {
  public let set: String
  public let key: String
  public var description: String { "\(set)(\(key))" }
}

/// What an edit wants of a row; the letter is what generated classes keep in `pendingChange`.
public enum PendingChange: String, Sendable, CaseIterable {
  case create = "C"
  case update = "U"
  case delete = "D"
}

/// What is told during a synchronisation (`SUPDefaultCallbackHandler`).
public enum SynchronizationEvent: Sendable {
  /// `onSynchronize`; the error where the status is one.
  case status(SynchronizationStatus, ServiceError?)
  /// `onReplaySuccess`: a deleted row is named by the key it had.
  case replaySucceeded(EntityReference, PendingChange)
  /// `onReplayFailure`: the edit stays, with the server's words in its log record.
  case replayFailed(EntityReference, LogRecord)
  /// `onMessageStart`, `beforeImport`: rows of a set begin to come.
  case importing(String)
  /// `onImport`: it has come, and is not committed yet.
  case imported(EntityReference)
  /// `onImportSuccess`: all rows of a set have come, so many, and are not committed yet.
  case importSucceeded(String, rows: Int)
  /// `onTransactionCommit`: now a screen may show what came.
  case committed
  /// `onTransactionRollback`: nothing of what came counts.
  case rolledBack
  /// `onLoginSuccess`, `onLoginFailure`; the error where it was one.
  case login(user: String, ServiceError?)
  /// `onSubscribe…`, `onUnsubscribe…` and the like; the error where it was one.
  case subscription(SubscriptionStep, ServiceError?)
  /// `onSearchSuccess`, `onSearchFailure`: a query that went to the server.
  case search(String, ServiceError?)
  /// `onStorageSpaceLow`: so many bytes are left where the database lies.
  case storageSpaceLow(Int64)
  /// `onStorageSpaceRecovered`.
  case storageSpaceRecovered
}

/// What became of a subscription.
public enum SubscriptionStep: String, Sendable, CaseIterable {
  case subscribed, unsubscribed, suspended, resumed, recovered
  /// `onSubscriptionEnd`: what was kept here has gone with it.
  case ended
}

extension SynchronizationEvent: CustomStringConvertible {
  public var description: String {
    switch self {
    case .status(let status, _): "\(status)"
    case .replaySucceeded(let entity, let change): "replayed \(change.rawValue) \(entity)"
    case .replayFailed(let entity, let record): "failed \(entity) \(record.code.map(String.init) ?? "-")"
    case .importing(let set): "importing \(set)"
    case .imported(let entity): "imported \(entity)"
    case .importSucceeded(let set, let rows): "imported all of \(set), \(rows)"
    case .committed: "committed"
    case .rolledBack: "rolled back"
    case .login(let user, let error): "login of \(user)\(Self.failure(error))"
    case .subscription(let step, let error): "\(step.rawValue)\(Self.failure(error))"
    case .search(let set, let error): "search in \(set)\(Self.failure(error))"
    case .storageSpaceLow: "storage low"
    case .storageSpaceRecovered: "storage recovered"
    }
  }
}

extension SynchronizationEvent {
  private static func failure(_ error: ServiceError?) -> String { error == nil ? "" : " failed" }
}

/// Why the server did not take an edit (`LogRecordImpl`).
public struct LogRecord: Sendable, Hashable {
  public let entity: EntityReference
  public let change: PendingChange
  /// HTTP status; nil when no answer came.
  public let code: Int?
  public let message: String
  public let timestamp: Timestamp

  /// 409 and 503 are worth another try later; the rest needs a person.
  public var isRecoverable: Bool { code == nil || code == 409 || code == 503 }
}

/// How to synchronise (`getSynchronizationProfile`).
public struct SynchronizationProfile: Sendable {
  /// Names of groups; nil for everything. `default` is every set, `system` only what goes up.
  public var groups: [String]?
  /// Rows come down even when some edits could not go up; on by default in the native client, where the server replays
  /// them later. Off here: what was not sent is reported at once.
  public var asyncReplay = false
  /// Bytes below which the disk is called low; nothing is refused for that.
  public var leastStorage: Int64 = 16 << 20
  /// Asked once, at `starting`, with the groups; false cancels.
  public var proceeds: @Sendable ([String]) -> Bool = { _ in true }

  public init(groups: [String]? = nil) { self.groups = groups }
}
