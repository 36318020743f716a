import JSON
import Store

/// Personalisation keys that are kept here (client scope): by set, names and values that parameterise its load.
/// They go with the first request of a set as query options.
struct PersonalizationParameters: Sendable, Equatable {
  private static let factName = "personalisation"

  private(set) var bySet: [String: [String: String]] = [:]

  init(of store: OfflineStore) throws(OfflineError) {
    guard case .object(let sets)? = try store.fact(Self.factName) else { return }
    for set in sets { bySet[set.key] = Self.read(set.value) }
  }

  static func read(_ node: JSONNode?) -> [String: String] {
    guard case .object(let members)? = node else { return [:] }
    var values: [String: String] = [:]
    for member in members { if case .string(let text) = member.value { values[member.key] = text } }
    return values
  }

  static func node(_ values: [String: String]) -> JSONNode {
    .object(values.sorted { $0.key < $1.key }.map { JSONNode.Member(key: $0.key, value: .string($0.value)) })
  }

  /// Keys of the session, which win over those that are kept.
  mutating func add(_ session: [String: [String: String]]) {
    for (set, values) in session { bySet[set, default: [:]].merge(values) { $1 } }
  }

  subscript(_ set: String) -> [String: String] { bySet[set] ?? [:] }

  /// Sets a key, or removes it; the set is read anew at its next synchronisation, as it was loaded with others.
  mutating func set(_ name: String, of set: String, to value: String?, in store: OfflineStore) throws(OfflineError) {
    bySet[set, default: [:]][name] = value
    if bySet[set]?.isEmpty == true { bySet[set] = nil }
    let sets = bySet.sorted { $0.key < $1.key }
    let node: JSONNode = .object(sets.map { JSONNode.Member(key: $0.key, value: Self.node($0.value)) })
    try store.keep(node, named: Self.factName)
  }
}
