import HTTPServer
import JSON

extension AlfrescoRoutes {
  /// Comments, tags and ratings (reference 2.7).
  mutating func addExtras() {
    addComments()
    addTags()
    addRatings()
  }

  private mutating func addComments() {
    on("GET", "nodes/{id}/comments") { call, repository in
      let node = try repository.readable(call["id"], for: call.user)
      let page = try call.paging.page(repository.extras.comments[node.id] ?? [])
      return call.list(page.map { CommentEntry.written($0, on: node, call, repository) })
    }
    on("POST", "nodes/{id}/comments") { call, repository in
      let node = try repository.readable(call["id"], for: call.user)
      guard !repository.fixed.contains(node.id) else { throw AlfrescoFault.unsupported }
      guard repository.access(call.user, node).isSuperset(of: [.read]) else { throw AlfrescoFault.denied }
      if node.lock?.stops(call.user, call.now) == true { throw AlfrescoFault.locked(node.id) }
      let (values, isArray) = try call.objects()
      let made = try values.map { value in
        let text = try CommentEntry.content(of: value)
        return RepoComment(
          id: repository.makeID(), content: text, creator: call.user, created: call.now, modifier: call.user,
          modified: call.now)
      }
      for comment in made { repository.extras.comments[node.id, default: []].insert(comment, at: 0) }
      repository.note("org.alfresco.comments.comment-created", node, by: call.user, at: call.now)
      return call.created(made.map { CommentEntry.written($0, on: node, call, repository) }, isArray: isArray)
    }
    on("PUT", "nodes/{id}/comments/{comment}") { call, repository in
      let (node, index) = try CommentEntry.editable(call, repository)
      let text = try CommentEntry.content(of: call.object())
      repository.extras.comments[node.id]?[index].content = text
      repository.extras.comments[node.id]?[index].modifier = call.user
      repository.extras.comments[node.id]?[index].modified = call.now
      guard let comment = repository.extras.comments[node.id]?[index] else { throw AlfrescoFault.unsupported }
      return call.entry(CommentEntry.written(comment, on: node, call, repository))
    }
    on("DELETE", "nodes/{id}/comments/{comment}") { call, repository in
      let (node, index) = try CommentEntry.editable(call, repository)
      repository.extras.comments[node.id]?.remove(at: index)
      return .empty(204)
    }
  }

  private mutating func addTags() {
    on("GET", "nodes/{id}/tags") { call, repository in
      let node = try repository.readable(call["id"], for: call.user)
      let tags = (repository.extras.tags[node.id] ?? []).map { TagEntry.written($0, repository) }
      return try call.list(call.paging.page(tags))
    }
    on("POST", "nodes/{id}/tags") { call, repository in
      let node = try repository.writable(call["id"], for: call.user, at: call.now)
      guard !repository.fixed.contains(node.id) else { throw AlfrescoFault.unsupported }
      let (values, isArray) = try call.objects()
      let names = try values.map { try TagEntry.name(of: $0) }
      let ids = names.map { TagEntry.id(of: $0, &repository) }
      repository.extras.tags[node.id] = ((repository.extras.tags[node.id] ?? []) + ids).uniqued()
      repository.nodes[node.id]?.add(aspect: "cm:taggable")
      repository.transaction += 1
      return call.created(ids.map { TagEntry.written($0, repository) }, isArray: isArray)
    }
    on("DELETE", "nodes/{id}/tags/{tag}") { call, repository in
      let node = try repository.writable(call["id"], for: call.user, at: call.now)
      guard repository.extras.tags[node.id]?.contains(call["tag"]) == true else {
        throw AlfrescoFault.unknownRelationship(node.id, call["tag"])
      }
      repository.extras.tags[node.id]?.removeAll { $0 == call["tag"] }
      repository.transaction += 1
      return .empty(204)
    }
    on("GET", "tags", TagEntry.all)
    on("GET", "tags/{tag}") { call, repository in
      guard repository.extras.tagNames[call["tag"]] != nil else { throw AlfrescoFault.unknownEntity(call["tag"]) }
      return call.entry(TagEntry.written(call["tag"], repository))
    }
    on("POST", "tags") { call, repository in
      guard repository.isAdmin(call.user) else { throw AlfrescoFault.denied }
      let (values, isArray) = try call.objects()
      let names = try values.map { try TagEntry.name(of: $0) }
      guard !names.contains(where: repository.extras.tagNames.values.contains) else {
        throw AlfrescoFault.conflict("Duplicate tag")
      }
      let ids = names.map { TagEntry.id(of: $0, &repository) }
      return call.created(ids.map { TagEntry.written($0, repository) }, isArray: isArray)
    }
    on("PUT", "tags/{tag}") { call, repository in
      guard repository.isAdmin(call.user) else { throw AlfrescoFault.denied }
      guard repository.extras.tagNames[call["tag"]] != nil else { throw AlfrescoFault.unknownEntity(call["tag"]) }
      repository.extras.tagNames[call["tag"]] = try TagEntry.name(of: call.object())
      return call.entry(TagEntry.written(call["tag"], repository))
    }
    on("DELETE", "tags/{tag}") { call, repository in
      guard repository.isAdmin(call.user) else { throw AlfrescoFault.denied }
      guard repository.extras.tagNames.removeValue(forKey: call["tag"]) != nil else {
        throw AlfrescoFault.unknownEntity(call["tag"])
      }
      repository.extras.tags = repository.extras.tags.mapValues { ids in ids.filter { $0 != call["tag"] } }
      return .empty(204)
    }
  }

  private mutating func addRatings() {
    on("GET", "nodes/{id}/ratings") { call, repository in
      let node = try repository.readable(call["id"], for: call.user)
      let both = ["likes", "fiveStar"].map { RatingEntry.written($0, of: node.id, call.user, repository) }
      return try call.list(call.paging.page(both))
    }
    on("GET", "nodes/{id}/ratings/{scheme}") { call, repository in
      let node = try repository.readable(call["id"], for: call.user)
      guard ["likes", "fiveStar"].contains(call["scheme"]) else { throw AlfrescoFault.unknownEntity(call["scheme"]) }
      return call.entry(RatingEntry.written(call["scheme"], of: node.id, call.user, repository))
    }
    on("POST", "nodes/{id}/ratings", RatingEntry.rate)
    on("DELETE", "nodes/{id}/ratings/{scheme}") { call, repository in
      let node = try repository.readable(call["id"], for: call.user)
      switch call["scheme"] {
      case "likes": repository.extras.likes[node.id]?[call.user] = nil
      case "fiveStar": repository.extras.stars[node.id]?[call.user] = nil
      default: throw AlfrescoFault.unknownEntity(call["scheme"])
      }
      return .empty(204)
    }
  }
}

private enum CommentEntry {
  static func content(of value: JSONValue) throws(AlfrescoFault) -> String {
    guard let text = value["content"].string, !text.isEmpty else { throw .invalidArgument("comment is expected") }
    return text
  }

  static func editable(
    _ call: AlfrescoCall, _ repository: Repository
  ) throws(AlfrescoFault) -> (node: RepoNode, index: Int) {
    let node = try repository.readable(call["id"], for: call.user)
    let comments = repository.extras.comments[node.id] ?? []
    guard let index = comments.firstIndex(where: { $0.id == call["comment"] }) else {
      throw .unknownEntity(call["comment"])
    }
    guard comments[index].creator == call.user || repository.isAdmin(call.user) else { throw .denied }
    if node.lock?.stops(call.user, call.now) == true { throw .locked(node.id) }
    return (node, index)
  }

  static func written(
    _ comment: RepoComment, on node: RepoNode, _ call: AlfrescoCall, _ repository: Repository
  ) -> JSONNode {
    let isMine = comment.creator == call.user || repository.isAdmin(call.user)
    let canDelete = isMine || repository.access(call.user, node).contains(.delete)
    return [
      "id": .string(comment.id), "content": .string(comment.content),
      "edited": .bool(comment.modified != comment.created), "canEdit": .bool(isMine), "canDelete": .bool(canDelete),
      "createdAt": .string(comment.created.alfresco), "createdBy": PersonEntry.written(comment.creator, repository),
      "modifiedAt": .string(comment.modified.alfresco), "modifiedBy": PersonEntry.written(comment.modifier, repository),
    ]
  }
}

private enum TagEntry {
  static func written(_ id: String, _ repository: Repository) -> JSONNode {
    ["id": .string(id), "tag": .string(repository.extras.tagNames[id] ?? "")]
  }

  /// Tags are stored in lower case.
  static func name(of value: JSONValue) throws(AlfrescoFault) -> String {
    guard let text = value["tag"].string, text.contains(where: { $0 != " " }) else {
      throw .invalidArgument("tag is expected")
    }
    return text.lowercased()
  }

  static func id(of name: String, _ repository: inout Repository) -> String {
    if let known = repository.extras.tagNames.first(where: { $0.value == name })?.key { return known }
    let id = repository.makeID()
    repository.extras.tagNames[id] = name
    return id
  }

  @Sendable static func all(_ call: AlfrescoCall, _ repository: inout Repository) throws -> ServerResponse {
    let clause = try WhereClause(call.query("where"))
    try clause.allow(["tag"])
    var counts: [String: Int] = [:]
    for ids in repository.extras.tags.values { for id in ids { counts[id, default: 0] += 1 } }
    var tags = repository.extras.tagNames.filter { tag in
      clause.predicates.allSatisfy { matches(tag.value, $0) }
    }.sorted { $0.value < $1.value }
    if let order = call.query("orderBy"), order.hasPrefix("count") {
      tags.sort { (counts[$0.key] ?? 0) < (counts[$1.key] ?? 0) }
    }
    if call.query("orderBy")?.uppercased().hasSuffix("DESC") == true { tags.reverse() }
    let page = try call.paging.page(tags)
    return call.list(
      page.map { tag in
        var node = written(tag.key, repository)
        if call.include.contains("count") { node["count"] = .int(counts[tag.key] ?? 0) }
        return node
      })
  }

  private static func matches(_ tag: String, _ predicate: WhereClause.Predicate) -> Bool {
    let values = predicate.values.map { $0.lowercased() }
    let holds =
      switch predicate.comparison {
      case .equal, .inside: values.contains(tag)
      case .matches: values.contains { Wildcard($0).matches(tag) }
      default: false
      }
    return holds != predicate.isNegated
  }
}

private enum RatingEntry {
  static func written(_ scheme: String, of node: String, _ user: String, _ repository: Repository) -> JSONNode {
    var entry: JSONNode = ["id": .string(scheme)]
    if scheme == "likes" {
      let likes = repository.extras.likes[node] ?? [:]
      if let time = likes[user] {
        entry["myRating"] = true
        entry["ratedAt"] = .string(time.alfresco)
      }
      entry["aggregate"] = ["numberOfRatings": .int(likes.count)]
      return entry
    }
    let stars = repository.extras.stars[node] ?? [:]
    if let mine = stars[user] {
      entry["myRating"] = .int(mine.value)
      entry["ratedAt"] = .string(mine.time.alfresco)
    }
    var aggregate: JSONNode = ["numberOfRatings": .int(stars.count)]
    if !stars.isEmpty {
      let tenths = stars.values.reduce(0) { $0 + $1.value } * 10 / stars.count
      aggregate["average"] = .number("\(tenths / 10).\(tenths % 10)")
    }
    entry["aggregate"] = aggregate
    return entry
  }

  @Sendable static func rate(_ call: AlfrescoCall, _ repository: inout Repository) throws -> ServerResponse {
    let node = try repository.readable(call["id"], for: call.user)
    let body = try call.object()
    switch body["id"].string {
    case "likes":
      guard body["myRating"].bool == true else { throw AlfrescoFault.invalidArgument("likes takes true") }
      repository.extras.likes[node.id, default: [:]][call.user] = call.now
    case "fiveStar":
      guard let value = body["myRating"].int, (1...5).contains(value) else {
        throw AlfrescoFault.invalidArgument("fiveStar takes 1 to 5")
      }
      guard node.creator != call.user else {
        throw AlfrescoFault.invalidArgument("Users can't rate their own content.")
      }
      repository.extras.stars[node.id, default: [:]][call.user] = (value, call.now)
    default: throw AlfrescoFault.invalidArgument("Unknown rating scheme")
    }
    return call.entry(written(body["id"].string ?? "", of: node.id, call.user, repository), status: 201)
  }
}

/// Text with `*` for any characters and `?` for one.
struct Wildcard: Sendable {
  private let pattern: [Character]

  init(_ pattern: String) { self.pattern = Array(pattern) }

  func matches(_ text: String) -> Bool {
    let text = Array(text)
    var (p, t, star, mark) = (0, 0, -1, 0)
    while t < text.count {
      if p < pattern.count, pattern[p] == "*" {
        star = p
        mark = t
        p += 1
      } else if p < pattern.count, pattern[p] == "?" || pattern[p] == text[t] {
        p += 1
        t += 1
      } else if star >= 0 {
        p = star + 1
        mark += 1
        t = mark
      } else {
        return false
      }
    }
    return pattern[p...].allSatisfy { $0 == "*" }
  }
}
