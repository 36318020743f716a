import JSON
import Model

/// How a node is rated in one scheme: `likes` or `fiveStar`.
public struct Rating: Sendable, Hashable {
  public let id: String
  /// The caller's own stars, or 1 for a like; nil when the caller has not rated.
  public let mine: Int?
  public let rated: Timestamp?
  public let count: Int
  /// Exact decimal text; of stars only.
  public let average: String?

  init(_ entry: JSONValue) {
    id = entry["id"].text ?? ""
    // A boolean for likes, a number for stars, although the definition says text.
    let given = entry["myRating"]
    mine = given.bool.map { $0 ? 1 : 0 } ?? given.text.flatMap { Int($0) ?? ($0 == "true" ? 1 : nil) }
    rated = Node.time(entry["ratedAt"])
    count = entry["aggregate"]["numberOfRatings"].int ?? 0
    average = entry["aggregate"]["average"].numberText
  }
}

public struct Category: Sendable, Hashable {
  public let id: String
  public let name: String
  public let parentID: String?
  public let hasChildren: Bool
  /// How many nodes are filed under it; nil when the server does not say.
  public let count: Int?
  /// The categories above, joined by slashes.
  public let path: String?

  init(_ entry: JSONValue) {
    id = entry["id"].text ?? ""
    name = entry["name"].text ?? id
    parentID = entry["parentId"].string
    hasChildren = entry["hasChildren"].bool ?? false
    count = entry["count"].int
    path = entry["path"].string ?? entry["path"]["name"].string
  }
}

/// One end of an association between two nodes.
public struct AssociatedNode: Sendable {
  public let node: Node
  /// `cm:references`, `cm:contains`…
  public let type: String
  /// Of parents and children: whether it is where the node lives.
  public let isPrimary: Bool?

  init(_ entry: JSONValue) {
    node = Node(entry)
    type = entry["association"]["assocType"].string ?? ""
    isPrimary = entry["association"]["isPrimary"].bool
  }
}
