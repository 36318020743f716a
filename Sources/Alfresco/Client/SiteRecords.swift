import JSON
import Model

/// Part of a site; its `id` is the node's, `name` what it is called there (`documentLibrary`).
public struct SiteContainer: Sendable, Hashable {
  public let id: String
  public let name: String

  init(_ entry: JSONValue) {
    id = entry["id"].text ?? ""
    name = entry["folderId"].text ?? ""
  }
}

/// Somebody's membership in a site.
public struct SiteMember: Sendable, Hashable {
  public enum Role: String, Sendable, CaseIterable {
    case consumer = "SiteConsumer", contributor = "SiteContributor", collaborator = "SiteCollaborator"
    case manager = "SiteManager"

    var title: String {
      switch self {
      case .consumer: "Consumer: reads"
      case .contributor: "Contributor: reads and adds"
      case .collaborator: "Collaborator: reads, adds and changes"
      case .manager: "Manager: does everything"
      }
    }
  }

  public let person: Person
  /// As the server names it; one of `Role` on every known server.
  public let role: String

  init(_ entry: JSONValue) {
    person = Person(entry["person"].exists ? entry["person"] : entry)
    role = entry["role"].string ?? ""
  }
}

/// A wish to become a member of a moderated site.
public struct MembershipRequest: Sendable, Hashable {
  /// The site's short name.
  public let site: String
  public let title: String?
  /// Nil among one's own requests.
  public let person: Person?
  public let message: String?
  public let created: Timestamp?

  init(_ entry: JSONValue) {
    site = entry["site"]["id"].text ?? entry["id"].text ?? ""
    title = entry["site"]["title"].string
    person = entry["person"].exists ? Person(entry["person"]) : nil
    message = entry["message"].string
    created = Node.time(entry["createdAt"])
  }
}
