import Model

/// What a location of a MobileFirst connection names.
enum MobileFirstPlace: Sendable, Hashable {
  case root, resources, adapters, checks, tokens
  case resource(String)
  /// Names below the adapters' address, the first one the adapter's.
  case adapter([String])
  case check(String)
  case token(String)

  /// - Throws: `.notFound` when no such place can exist.
  init(_ location: Location) throws(ServiceError) {
    let path = location.path
    guard let place = MobileFirstPlace.read(path) else { throw .notFound(location) }
    self = place
  }

  private static func read(_ path: [String]) -> MobileFirstPlace? {
    guard let first = path.first else { return .root }
    guard !path.contains(where: { $0.hasPrefix(Location.facetMark) }) else { return nil }
    switch (first, path.count) {
    case ("resources", 1): return .resources
    case ("resources", 2): return .resource(path[1])
    case ("adapters", 1): return .adapters
    case ("adapters", 2...): return .adapter(Array(path.dropFirst()))
    case ("checks", 1): return .checks
    case ("checks", 2): return .check(path[1])
    case ("tokens", 1): return .tokens
    case ("tokens", 2): return .token(path[1])
    default: return nil
    }
  }
}
