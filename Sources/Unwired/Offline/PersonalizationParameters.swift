import JSON
import Store

/// Personalisation keys that are kept here (client scope): by set, names and values that parameterise its load.
/// They go with the first request of a set as query options.
struct PersonalizationParameters: Sendable, Equatable {
  private static let factName = "personalisation"

  private(set) var bySet: [String: [String: String]] = [:]

  init(of store: OfflineStore) throws(OfflineError) {
    guard case .object(let sets)? = try store.fact(Self.factName) else { return }
    for set in sets {
      guard case .object(let members) = set.value else { continue }
      for member in members {
        if case .string(let text) = member.value { bySet[set.key, default: [:]][member.key] = text }
      }
    }
  }

  subscript(_ set: String) -> [String: String] { bySet[set] ?? [:] }

  /// Sets a key, or removes it; the set is read anew at its next synchronisation.
  mutating func set(_ name: String, of set: String, to value: String?, in store: OfflineStore) throws(OfflineError) {
    bySet[set, default: [:]][name] = value
    if bySet[set]?.isEmpty == true { bySet[set] = nil }
    let node: JSONNode = .object(
      bySet.sorted { $0.key < $1.key }.map { set in
        JSONNode.Member(
          key: set.key,
          value: .object(set.value.sorted { $0.key < $1.key }.map { .init(key: $0.key, value: .string($0.value)) }))
      })
    try store.keep(node, named: Self.factName)
    try store.forgetDelta(of: set)
  }
}
