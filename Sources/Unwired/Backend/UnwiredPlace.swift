import Model

/// What a location of a SAP Mobile Platform connection names.
enum UnwiredPlace: Sendable, Hashable {
  case root, connection, live
  case set(String)
  case entity(String, key: String)
  case relation(String, key: String, name: String)
  /// The synchronised sets, in the encrypted store on this machine.
  case kept
  case keptSet(String)
  case keptRow(String, key: String)
  /// Edits that wait to be sent.
  case pending
  case edit(Int64)
  /// Keys that parameterise what is loaded: the server's four custom settings, and keys of sets that are kept here.
  case parameters
  case parameter(String)

  /// - Throws: `.notFound` when no such place can exist.
  init(_ location: Location) throws(ServiceError) {
    let path = location.path
    guard !path.contains(where: { $0.hasPrefix(Location.facetMark) }), let place = UnwiredPlace.read(path) else {
      throw .notFound(location)
    }
    self = place
  }

  private static func read(_ path: [String]) -> UnwiredPlace? {
    guard let first = path.first else { return .root }
    switch (first, path.count) {
    case ("connection", 1): return .connection
    case ("live", 1): return .live
    case ("live", 2): return .set(path[1])
    case ("live", 3): return .entity(path[1], key: path[2])
    case ("live", 4): return .relation(path[1], key: path[2], name: path[3])
    case ("data", 1): return .kept
    case ("data", 2): return .keptSet(path[1])
    case ("data", 3): return .keptRow(path[1], key: path[2])
    case ("pending", 1): return .pending
    case ("pending", 2): return Int64(path[1]).map { .edit($0) }
    case ("personalisation", 1): return .parameters
    case ("personalisation", 2): return .parameter(path[1])
    default: return nil
    }
  }
}
