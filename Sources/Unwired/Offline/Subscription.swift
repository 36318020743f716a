import Store

/// Whether changes of the server are wanted at present; kept in the store.
struct Subscription {
  private static let factName = "subscription"

  private(set) var isSuspended: Bool

  init(of store: OfflineStore) throws(OfflineError) {
    isSuspended = try store.fact(Self.factName) == .string("suspended")
  }

  mutating func suspend(_ suspends: Bool, in store: OfflineStore) throws(OfflineError) {
    try store.keep(suspends ? .string("suspended") : nil, named: Self.factName)
    isSuspended = suspends
  }
}
