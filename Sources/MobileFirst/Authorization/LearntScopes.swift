/// Scopes that resources have asked for, by method and address: the hundred used last, as the product's own client keeps.
struct LearntScopes: Sendable {
  static let most = 100

  /// The one used last stands last.
  private(set) var entries: [(resource: String, scope: Scope)] = []

  mutating func scope(of resource: String) -> Scope? {
    guard let index = entries.firstIndex(where: { $0.resource == resource }) else { return nil }
    let entry = entries.remove(at: index)
    entries.append(entry)
    return entry.scope
  }

  /// - Returns: Whether that is news.
  @discardableResult
  mutating func learn(_ scope: Scope, for resource: String) -> Bool {
    guard self.scope(of: resource) != scope else { return false }
    entries.removeAll { $0.resource == resource }
    entries.append((resource, scope))
    if entries.count > Self.most { entries.removeFirst(entries.count - Self.most) }
    return true
  }
}
