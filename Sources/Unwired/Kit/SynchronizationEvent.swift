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
  /// `onImport`: it has come, and is not committed yet.
  case imported(EntityReference)
  /// `onTransactionCommit`: now a screen may show what came.
  case committed
  /// `onTransactionRollback`: nothing of what came counts.
  case rolledBack
}

extension SynchronizationEvent: CustomStringConvertible {
  public var description: String {
    switch self {
    case .status(let status, _): "\(status)"
    case .replaySucceeded(let entity, let change): "replayed \(change.rawValue) \(entity)"
    case .replayFailed(let entity, let record): "failed \(entity) \(record.code.map(String.init) ?? "-")"
    case .imported(let entity): "imported \(entity)"
    case .committed: "committed"
    case .rolledBack: "rolled back"
    }
  }
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
  /// Asked once, at `starting`, with the groups; false cancels.
  public var proceeds: @Sendable ([String]) -> Bool = { _ in true }

  public init(groups: [String]? = nil) { self.groups = groups }
}
