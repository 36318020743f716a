import Model

/// What a location of an Alfresco connection names.
enum Place: Sendable, Hashable {
  case root, sites, favorites, shared, trash, people, recent
  case search(String)
  case site(String)
  case person(String)
  case deleted(String)
  case node(NodeReference)
  case facet(NodeReference, NodeFacet)
  case facetEntry(NodeReference, NodeFacet, String)

  /// - Throws: `.notFound` when no such place can exist.
  init(_ location: Location) throws(ServiceError) {
    let path = location.path
    guard let place = Place.read(path, location) else { throw .notFound(location) }
    self = place
  }

  private static func read(_ path: [String], _ location: Location) -> Place? {
    guard let first = path.first else { return .root }
    let rest = Array(path.dropFirst())
    switch (first, rest.count) {
    case ("sites", 0): return .sites
    case ("favorites", 0): return .favorites
    case ("shared", 0): return .shared
    case ("trash", 0): return .trash
    case ("trash", 1): return .deleted(rest[0])
    case ("people", 0): return .people
    case ("people", 1): return .person(rest[0])
    case ("recent", 0): return .recent
    case ("search", 0): return .search(location.queryValue("q") ?? "")
    case ("sites", 1): return .site(rest[0])
    case ("files", _): return below(rest) { NodeReference.path($0) }
    case ("nodes", 1...):
      return below(Array(rest.dropFirst())) { $0.isEmpty ? NodeReference.id(nodeID(rest[0])) : nil }
    case ("sites", 2...):
      guard rest[1] == "files" else { return nil }
      return below(Array(rest.dropFirst(2))) { NodeReference.site(rest[0], $0) }
    default: return nil
    }
  }

  /// Names of a node, then perhaps a facet, then perhaps one entry of it.
  private static func below(_ names: [String], _ reference: ([String]) -> NodeReference?) -> Place? {
    guard let mark = names.firstIndex(where: { $0.hasPrefix(Location.facetMark) }) else {
      return reference(names).map { .node($0) }
    }
    guard let reference = reference(Array(names[..<mark])),
      let facet = NodeFacet(rawValue: String(names[mark].dropFirst(2)))
    else { return nil }
    switch names.count - mark {
    case 1: return .facet(reference, facet)
    case 2: return .facetEntry(reference, facet, names[mark + 1])
    default: return nil
    }
  }

  /// Takes ids as they are pasted from elsewhere: `UUID;1.0` of CMIS.
  private static func nodeID(_ text: String) -> String { String(text.prefix { $0 != ";" }) }
}

/// How a location names a node.
enum NodeReference: Sendable, Hashable {
  case id(String)
  /// By name from the repository's root.
  case path([String])
  /// By name from a site's document library.
  case site(String, [String])

  /// A place of which the path alone says that it is a folder.
  var isSurelyFolder: Bool {
    switch self {
    case .id(let id): ["-root-", "-my-", "-shared-"].contains(id)
    case .path(let names), .site(_, let names): names.isEmpty
    }
  }

  /// The last name, where names are used.
  var lastName: String? {
    switch self {
    case .id: nil
    case .path(let names), .site(_, let names): names.last
    }
  }

  /// The folder above, where names are used.
  var parent: NodeReference? {
    switch self {
    case .id: nil
    case .path(let names): names.isEmpty ? nil : .path(Array(names.dropLast()))
    case .site(let site, let names): names.isEmpty ? nil : .site(site, Array(names.dropLast()))
    }
  }
}

/// What hangs on a node.
enum NodeFacet: String, Sendable, CaseIterable {
  case versions, comments, tags, renditions

  var title: String {
    switch self {
    case .versions: "Versions"
    case .comments: "Comments"
    case .tags: "Tags"
    case .renditions: "Renditions"
    }
  }
}
