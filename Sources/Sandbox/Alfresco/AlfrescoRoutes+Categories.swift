import HTTPServer
import JSON

/// A term of the classification that nodes are filed under.
struct RepoCategory: Sendable {
  let id: String
  var name: String
  /// Nil right below the root.
  let parent: String?
}

extension AlfrescoRoutes {
  /// Categories and what is filed under them (reference 2.7); administrators change the tree.
  mutating func addCategories() {
    on("GET", "categories/{category}") { call, repository in
      let category = try CategoryEntry.find(call["category"], repository)
      return call.entry(CategoryEntry.written(category, call.include, repository))
    }
    on("GET", "categories/{category}/subcategories") { call, repository in
      let parent = call["category"] == "-root-" ? nil : try CategoryEntry.find(call["category"], repository).id
      let found = repository.categories.filter { $0.parent == parent }.sorted { $0.name < $1.name }
      return try call.list(call.paging.page(found).map { CategoryEntry.written($0, call.include, repository) })
    }
    on("POST", "categories/{category}/subcategories", CategoryEntry.make)
    on("PUT", "categories/{category}") { call, repository in
      guard repository.isAdmin(call.user) else { throw AlfrescoFault.denied }
      let category = try CategoryEntry.find(call["category"], repository)
      let name = try CategoryEntry.name(of: call.object(), under: category.parent, repository)
      guard let index = repository.categories.firstIndex(where: { $0.id == category.id }) else {
        throw AlfrescoFault.unknownEntity(category.id)
      }
      repository.categories[index].name = name
      return call.entry(CategoryEntry.written(repository.categories[index], call.include, repository))
    }
    on("DELETE", "categories/{category}", CategoryEntry.remove)
    addCategoryLinks()
  }

  private mutating func addCategoryLinks() {
    on("GET", "nodes/{id}/category-links") { call, repository in
      let node = try repository.readable(call["id"], for: call.user)
      let filed = node.categories.compactMap { id in repository.categories.first { $0.id == id } }
      return try call.list(call.paging.page(filed).map { CategoryEntry.written($0, call.include, repository) })
    }
    on("POST", "nodes/{id}/category-links") { call, repository in
      var node = try repository.writable(call["id"], for: call.user, at: call.now)
      let (values, isArray) = try call.objects()
      let filed = try values.map { value in
        guard let id = value["categoryId"].string else { throw AlfrescoFault.invalidArgument("categoryId is expected") }
        return try CategoryEntry.find(id, repository)
      }
      node.add(aspect: "cm:generalclassifiable")
      node.properties["cm:categories"] = .array((node.categories + filed.map(\.id)).uniqued().map { .string($0) })
      repository.replace(node)
      return call.created(filed.map { CategoryEntry.written($0, call.include, repository) }, isArray: isArray)
    }
    on("DELETE", "nodes/{id}/category-links/{category}") { call, repository in
      var node = try repository.writable(call["id"], for: call.user, at: call.now)
      guard node.categories.contains(call["category"]) else {
        throw AlfrescoFault.unknownRelationship(node.id, call["category"])
      }
      let rest = node.categories.filter { $0 != call["category"] }
      node.properties["cm:categories"] = rest.isEmpty ? nil : .array(rest.map { .string($0) })
      repository.replace(node)
      return .empty(204)
    }
  }
}

extension RepoNode {
  /// Ids of the categories it is filed under.
  var categories: [String] {
    guard case .array(let values)? = properties["cm:categories"] else { return [] }
    return values.compactMap { if case .string(let id) = $0 { id } else { nil } }
  }
}

private enum CategoryEntry {
  static func find(_ id: String, _ repository: Repository) throws(AlfrescoFault) -> RepoCategory {
    guard let category = repository.categories.first(where: { $0.id == id }) else { throw .unknownEntity(id) }
    return category
  }

  static func name(
    of value: JSONValue, under parent: String?, _ repository: Repository
  ) throws(AlfrescoFault) -> String {
    guard let name = value["name"].string, !name.isEmpty else {
      throw .invalidArgument("Category name must not be null or empty")
    }
    guard !repository.categories.contains(where: { $0.parent == parent && $0.name == name }) else {
      throw .nameExists(name)
    }
    return name
  }

  static func written(_ category: RepoCategory, _ include: Set<String>, _ repository: Repository) -> JSONNode {
    var entry: JSONNode = [
      "id": .string(category.id), "name": .string(category.name), "parentId": .string(category.parent ?? "-root-"),
      "hasChildren": .bool(repository.categories.contains { $0.parent == category.id }),
    ]
    if include.contains("count") {
      entry["count"] = .int(repository.nodes.values.count { $0.categories.contains(category.id) })
    }
    if include.contains("path") { entry["path"] = .string(path(of: category, repository)) }
    return entry
  }

  private static func path(of category: RepoCategory, _ repository: Repository) -> String {
    var names: [String] = []
    var next = category.parent
    while let id = next, let parent = repository.categories.first(where: { $0.id == id }) {
      names.insert(parent.name, at: 0)
      next = parent.parent
    }
    return "/" + (["categories", "General"] + names).joined(separator: "/")
  }

  @Sendable static func make(_ call: AlfrescoCall, _ repository: inout Repository) throws -> ServerResponse {
    guard repository.isAdmin(call.user) else { throw AlfrescoFault.denied }
    let parent = call["category"] == "-root-" ? nil : try find(call["category"], repository).id
    let (values, isArray) = try call.objects()
    var made: [RepoCategory] = []
    for value in values {
      let name = try name(of: value, under: parent, repository)
      let category = RepoCategory(id: repository.makeID(), name: name, parent: parent)
      repository.categories.append(category)
      made.append(category)
    }
    return call.created(made.map { written($0, call.include, repository) }, isArray: isArray)
  }

  /// With everything below it; nodes lose what no longer exists.
  @Sendable static func remove(_ call: AlfrescoCall, _ repository: inout Repository) throws -> ServerResponse {
    guard repository.isAdmin(call.user) else { throw AlfrescoFault.denied }
    var gone: Set<String> = [try find(call["category"], repository).id]
    while true {
      let more = repository.categories.filter { $0.parent.map(gone.contains) == true }.map(\.id)
      guard !gone.isSuperset(of: more) else { break }
      gone.formUnion(more)
    }
    repository.categories.removeAll { gone.contains($0.id) }
    for var node in repository.nodes.values where !gone.isDisjoint(with: node.categories) {
      let rest = node.categories.filter { !gone.contains($0) }
      node.properties["cm:categories"] = rest.isEmpty ? nil : .array(rest.map { .string($0) })
      repository.nodes[node.id] = node
    }
    repository.transaction += 1
    return .empty(204)
  }
}
