import Model
import Store

// Whether the server's changes come here. REST keeps no list of subscribers: a subscription is what is kept here and the
// links to later changes.
extension PackageDatabase {
  /// Fetches what has never been fetched (`subscribe`); suspended before, it goes on.
  public func subscribe() async throws(ServiceError) {
    try await step(.subscribed, "subscribe") { (store) async throws(ServiceError) in
      try suspend(false, store, "subscribe")
      _ = try await synchronize(SynchronizationProfile(groups: ["initialSync"]))
    }
  }

  /// Removes every row, and every edit that was not sent (`unsubscribe`).
  public func unsubscribe() async throws(ServiceError) {
    let operation = "unsubscribe"
    try await step(.unsubscribed, operation) { (store) async throws(ServiceError) in
      try keeping(operation) { () throws(OfflineError) in try store.clean(keepingEdits: false) }
      try suspend(false, store, operation)
    }
    events.post(.subscription(.ended, nil))
  }

  /// Edits go on going up, and nothing comes down until `resumeSubscription` (`suspendSubscription`).
  public func suspendSubscription() async throws(ServiceError) {
    try await step(.suspended, "suspend the subscription") { (store) async throws(ServiceError) in
      try suspend(true, store, "suspend the subscription")
    }
  }

  /// What has changed meanwhile comes with the next synchronisation (`resumeSubscription`).
  public func resumeSubscription() async throws(ServiceError) {
    try await step(.resumed, "resume the subscription") { (store) async throws(ServiceError) in
      try suspend(false, store, "resume the subscription")
    }
  }

  /// Every set is read as a whole at its next synchronisation; rows and edits stay until then (`recoverSubscription`).
  public func recoverSubscription() async throws(ServiceError) {
    let operation = "recover the subscription"
    try await step(.recovered, operation) { (store) async throws(ServiceError) in
      try keeping(operation) { () throws(OfflineError) in
        for (set, _) in try store.sets() { try store.forgetDelta(of: set.name) }
      }
    }
  }

  private func suspend(_ suspends: Bool, _ store: OfflineStore, _ operation: String) throws(ServiceError) {
    try keeping(operation) { () throws(OfflineError) in
      var subscription = try Subscription(of: store)
      if subscription.isSuspended != suspends { try subscription.suspend(suspends, in: store) }
    }
  }

  /// Does something about the subscription and tells how it went.
  private func step(
    _ step: SubscriptionStep, _ operation: String, _ work: (OfflineStore) async throws(ServiceError) -> Void
  ) async throws(ServiceError) {
    do throws(ServiceError) {
      try await work(try await store(operation))
      events.post(.subscription(step, nil))
    } catch {
      events.post(.subscription(step, error))
      throw error
    }
  }
}
