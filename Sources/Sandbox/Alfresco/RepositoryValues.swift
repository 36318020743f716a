import JSON

/// Somebody who can sign in.
struct RepoPerson: Sendable {
  let id: String
  let firstName: String
  /// The administrator of a new installation has none.
  let lastName: String?
  /// A guest has none.
  let email: String?
  var jobTitle: String?
  var location: String?
  var organization: String?
  var password: String
  /// Node id of the home folder; some people have none.
  var home: String?

  var displayName: String { [firstName, lastName].compactMap { $0 }.joined(separator: " ") }
}

/// A library with members.
struct RepoSite: Sendable {
  struct Member: Sendable, Equatable {
    let user: String
    var role: String
  }
  enum Visibility: String, Sendable, CaseIterable { case open = "PUBLIC", moderated = "MODERATED", closed = "PRIVATE" }

  let id: String
  /// The node id of the site's folder.
  let guid: String
  var title: String
  var text: String?
  var visibility: Visibility
  var members: [Member]
  /// Node id of the document library.
  var library: String?
  var requests: [Request] = []

  /// Somebody who has asked to become a member.
  struct Request: Sendable {
    let user: String
    let message: String?
    let created: SandboxTime
  }

  func asks(_ user: String) -> Bool { requests.contains { $0.user == user } }

  func role(of user: String) -> String? { members.first { $0.user == user }?.role }
}

/// A node in the bin, with everything below it.
struct TrashEntry: Sendable {
  let node: RepoNode
  /// The node itself first, then what lay below.
  let subtree: [RepoNode]
  let archived: SandboxTime
  let archivedBy: String
}

/// What hangs on nodes beside their properties.
struct NodeExtras: Sendable {
  var comments: [String: [RepoComment]] = [:]
  var tagNames: [String: String] = [:]
  var tags: [String: [String]] = [:]
  var likes: [String: [String: SandboxTime]] = [:]
  var stars: [String: [String: (value: Int, time: SandboxTime)]] = [:]
  /// Renditions asked for: when each is ready.
  var renditions: [String: [String: SandboxTime]] = [:]
}

struct RepoComment: Sendable {
  let id: String
  var content: String
  let creator: String
  let created: SandboxTime
  var modifier: String
  var modified: SandboxTime
}

struct RepoFavorite: Sendable, Equatable {
  let guid: String
  let created: SandboxTime
}

struct SharedLink: Sendable {
  let id: String
  let node: String
  let user: String
  let created: SandboxTime
  let expires: SandboxTime?
}

struct RepoActivity: Sendable {
  let id: Int
  let user: String
  let site: String?
  let time: SandboxTime
  let type: String
  let title: String
  let node: String
  let parent: String
}

/// An archive being put together on the server.
struct ZipDownload: Sendable {
  let id: String
  let user: String
  let nodes: [String]
  let started: SandboxTime
  var isCancelled = false
}
