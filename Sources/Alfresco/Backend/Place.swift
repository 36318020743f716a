import Model

/// What a location of an Alfresco connection names.
enum Place: Sendable, Hashable {
  case root, favorites, shared, trash, people, recent, activities, requests
  case sites(SiteSelection)
  case search(String)
  case site(String)
  /// What happened in one site.
  case siteActivities(String)
  case members(site: String)
  case member(String, site: String)
  case request(person: String, site: String)
  /// Nil for all that have none above them.
  case category(String?)
  /// Nil for the list of audited applications.
  case audit(String?)
  /// Several nodes as one file.
  case archive([NodeReference])
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
    case ("sites", 0): return SiteSelection(location).map { .sites($0) }
    case ("favorites", 0): return .favorites
    case ("shared", 0): return .shared
    case ("trash", 0): return .trash
    case ("trash", 1): return .deleted(rest[0])
    case ("people", 0): return .people
    case ("people", 1): return .person(rest[0])
    case ("recent", 0): return .recent
    case ("activities", 0): return .activities
    case ("requests", 0): return .requests
    case ("requests", 2): return .request(person: rest[1], site: rest[0])
    case ("categories", 0): return .category(nil)
    case ("categories", 1): return .category(rest[0])
    case ("audit", 0): return .audit(nil)
    case ("audit", 1): return .audit(rest[0])
    case ("zip", 0): return archive(location)
    case ("search", 0): return .search(location.queryValue("q") ?? "")
    case ("sites", 1): return .site(rest[0])
    case ("files", _): return below(rest) { NodeReference.path($0) }
    case ("nodes", 1...):
      return below(Array(rest.dropFirst())) { $0.isEmpty ? NodeReference.id(nodeID(rest[0])) : nil }
    case ("sites", 2...): return inSite(rest[0], rest[1], Array(rest.dropFirst(2)))
    default: return nil
    }
  }

  private static func inSite(_ site: String, _ part: String, _ rest: [String]) -> Place? {
    switch (part, rest.count) {
    case ("files", _): below(rest) { NodeReference.site(site, $0) }
    case ("members", 0): .members(site: site)
    case ("members", 1): .member(rest[0], site: site)
    case ("activities", 0): .siteActivities(site)
    default: nil
    }
  }

  /// `/zip?at=/files/a&at=/nodes/ID`: the paths of what is to be in it.
  private static func archive(_ location: Location) -> Place? {
    let paths = location.query.filter { $0.name == "at" }.map(\.value)
    let references = paths.compactMap { path -> NodeReference? in
      guard let place = try? Location(parsing: "\(location.connection):\(path)"),
        case .node(let reference)? = try? Place(place)
      else { return nil }
      return reference
    }
    return references.isEmpty || references.count != paths.count ? nil : .archive(references)
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

/// Which sites a list shows.
enum SiteSelection: Sendable, Hashable {
  case all, mine, favorites
  case found(String)

  /// `?show=mine`, `?show=favorites`, `?q=WORDS`; nil for another word.
  init?(_ location: Location) {
    switch (location.queryValue("show"), location.queryValue("q")) {
    case (nil, let words?): self = .found(words)
    case (nil, nil): self = .all
    case ("mine", _): self = .mine
    case ("favorites", _): self = .favorites
    default: return nil
    }
  }

  var title: String {
    switch self {
    case .all: "Sites"
    case .mine: "My sites"
    case .favorites: "Favourite sites"
    case .found(let words): "Sites with “\(words)”"
    }
  }
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
  case versions, comments, tags, renditions, ratings, categories, associations, audit

  var title: String {
    switch self {
    case .versions: "Versions"
    case .comments: "Comments"
    case .tags: "Tags"
    case .renditions: "Renditions"
    case .ratings: "Ratings"
    case .categories: "Categories"
    case .associations: "Joined with"
    case .audit: "Audit"
    }
  }
}
