import JSON
import Model
import Store
import Wire

/// What can be asked of anything that is kept of a custom API (`OMCMobileResource`).
public struct MobileResource: CompletionCaller {
  let client: MobileClient
  private let path: [String]
  /// Of the answer that it came with; none for what was kept (`getResponseHeaders`).
  public let responseHeaders: HTTPHeaders

  init(_ client: MobileClient, _ path: [String], _ headers: HTTPHeaders) {
    self.client = client
    self.path = path
    responseHeaders = headers
  }

  private var target: MobileEdit.Target { .item(path) }
  public var uri: String { target.serverPath }
  private var operation: String { "look at \(uri)" }

  private func ask<Value>(
    _ question: (MobileStore) throws(OfflineError) -> Value
  ) async throws(ServiceError) -> Value {
    let store = try await client.openStore(operation)
    return try keeping(operation) { () throws(OfflineError) in try question(store) }
  }

  /// When the service was last asked for it; nil when nothing of it is kept (`lastSyncTime`).
  public func lastSyncTime() async throws(ServiceError) -> Timestamp? {
    let (target, uri) = (target, uri)
    return try await ask { store throws(OfflineError) in
      if let payload = try store.payload(target.keptPath) { return payload.kept }
      if let answer = try store.answer(uri) { return answer.kept }
      guard try store.row(target.key, of: target.listPath) != nil else { return nil }
      return try store.list(target.listPath)?.set.synced
    }
  }

  // MARK: Pinning

  /// `pinned`.
  public func isPinned() async throws(ServiceError) -> Bool {
    let place = target.keptPath
    return try await ask { store throws(OfflineError) in try store.pins().contains { $0.path == place } }
  }

  /// Keeps it here (`pinResource:`).
  ///
  /// - Parameter isHigh: Fetched before others (`SyncPinPriority`).
  public func pin(isHigh: Bool = false) async throws(ServiceError) {
    try await client.pin(target.keptPath, isHigh ? .high : .normal)
  }

  /// `unpinResource`.
  ///
  /// - Throws: `.notFound` when it is not pinned.
  public func unpin() async throws(ServiceError) {
    guard try await isPinned() else { throw ServiceError(.notFound, "unpin \(uri)", detail: "it is not pinned") }
    try await client.pin(target.keptPath, nil)
  }

  // MARK: Edits

  private func edits() async throws(ServiceError) -> [MobileEdit] {
    let store = try await client.openStore(operation)
    return try store.edits(of: target, operation)
  }

  /// The last edit that waits; nil when there is none (`currentOfflineState`).
  public func state() async throws(ServiceError) -> MobileOfflineResource? {
    try await edits().last.map(MobileOfflineResource.init)
  }

  /// `hasOfflineUpdates`.
  public func hasOfflineUpdates() async throws(ServiceError) -> Bool { try await !edits().isEmpty }

  /// Whether the service holds something newer than what an edit was made of (`hasConflicts`).
  public func hasConflicts() async throws(ServiceError) -> Bool {
    try await edits().contains { $0.edit.state == .conflict }
  }

  /// Whether the service has refused an edit (`hasOfflineCommitError`).
  public func hasOfflineCommitError() async throws(ServiceError) -> Bool {
    try await edits().contains { $0.edit.state == .refused }
  }

  /// Drops the edits of this one thing.
  public func discardEdits() async throws(ServiceError) {
    let store = try await client.openStore(operation)
    // The last ones first: an earlier one hands its tag on to those that follow it.
    for edit in try store.edits(of: target, operation).reversed() {
      _ = try keeping(operation) { () throws(OfflineError) in try store.store.drop(edit.edit.id) }
    }
  }

  // MARK: Policy

  /// What holds for it: its own policy, its list's, the profile's (`getSyncPolicy`, `getCurrentSyncPolicy`).
  public func syncPolicy() async throws(ServiceError) -> MobileSyncPolicy {
    let (target, uri) = (target, uri)
    let own = try await ask { store throws(OfflineError) -> SyncPolicyPart? in
      if let own = try store.ownPolicy(of: uri) { return own }
      if let own = try store.answer(uri)?.own { return own }
      return try store.list(target.listPath)?.own
    }
    return client.offline.policy(for: uri, own: own)
  }

  /// Sets its own policy, kept with it over restarts; nil takes it back (`setSyncPolicy:`).
  public func setSyncPolicy(_ policy: MobileSyncPolicy?) async throws(ServiceError) {
    let uri = uri
    try await ask { store throws(OfflineError) in
      try store.choose(ownPolicy: policy.map(SyncPolicyPart.init), of: uri)
    }
  }
}

extension SyncPolicyPart {
  /// Every member of a policy.
  init(_ policy: MobileSyncPolicy) {
    self.init(
      fetch: policy.fetch, expiration: policy.expiration, expireAfter: policy.expireAfter, eviction: policy.eviction,
      update: policy.update, conflictResolution: policy.conflictResolution, isNotKept: policy.isNotKept)
  }
}

// Policies that single things have of their own, by their path on the server.
extension MobileStore {
  private static let policies = "@policies"

  func ownPolicy(of path: String) throws(OfflineError) -> SyncPolicyPart? {
    try row(path, of: MobileStore.policies).flatMap { SyncPolicyPart(kept: $0["policy"]) }
  }

  func choose(ownPolicy part: SyncPolicyPart?, of path: String) throws(OfflineError) {
    guard let part else { return try remove(path, of: MobileStore.policies) }
    try keep(
      OfflineRow(key: path, tag: nil, properties: [.init(key: "policy", value: part.node)]), of: MobileStore.policies)
  }
}
