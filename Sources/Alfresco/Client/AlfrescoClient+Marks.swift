import JSON
import Model
import Wire

// How a node is judged and filed: ratings, categories, tags of the whole repository.
extension AlfrescoClient {
  /// Always the two schemes, `likes` and `fiveStar`.
  public func ratings(of id: String) async throws(ServiceError) -> Page<Rating> {
    try await Page(reply(Call("list the ratings", "GET", "nodes", id, "ratings")), Rating.init)
  }

  public func like(_ id: String) async throws(ServiceError) -> Entry<Rating> {
    try await rate(id, ["id": "likes", "myRating": true])
  }

  /// - Parameter stars: 1 to 5; one's own content cannot be given any.
  public func rate(_ id: String, stars: Int) async throws(ServiceError) -> Entry<Rating> {
    try await rate(id, ["id": "fiveStar", "myRating": .int(stars)])
  }

  private func rate(_ id: String, _ body: JSONNode) async throws(ServiceError) -> Entry<Rating> {
    try await Entry(reply(Call("rate a node", "POST", "nodes", id, "ratings").carrying(body)), Rating.init)
  }

  /// - Parameter scheme: `likes` or `fiveStar`.
  public func unrate(_ id: String, scheme: String) async throws(ServiceError) {
    _ = try await answer(Call("take a rating back", "DELETE", "nodes", id, "ratings", scheme))
  }

  // MARK: Categories, since 7.4

  public func category(_ id: String) async throws(ServiceError) -> Entry<Category> {
    let query = [("include", "count,path")]
    return try await Entry(reply(Call("read a category", "GET", "categories", id, query: query)), Category.init)
  }

  /// - Parameter id: A category's id, or `-root-`.
  public func subcategories(
    of id: String = "-root-", _ page: PageRequest = PageRequest()
  ) async throws(ServiceError) -> Page<Category> {
    let query = page.query + [("include", "count")]
    let call = Call("list the categories", "GET", "categories", id, "subcategories", query: query)
    return try await Page(reply(call), Category.init)
  }

  public func createCategory(_ name: String, in parent: String = "-root-") async throws(ServiceError) -> Entry<Category>
  {
    let call = Call("make the category “\(name)”", "POST", "categories", parent, "subcategories")
    return try await Entry(reply(call.carrying(["name": .string(name)])), Category.init)
  }

  public func renameCategory(_ id: String, to name: String) async throws(ServiceError) -> Entry<Category> {
    let call = Call("rename a category", "PUT", "categories", id).carrying(["name": .string(name)])
    return try await Entry(reply(call), Category.init)
  }

  public func deleteCategory(_ id: String) async throws(ServiceError) {
    _ = try await answer(Call("delete a category", "DELETE", "categories", id))
  }

  public func categories(of id: String, _ page: PageRequest = PageRequest()) async throws(ServiceError) -> Page<
    Category
  > {
    let query = page.query + [("include", "path")]
    let call = Call("list the categories of a node", "GET", "nodes", id, "category-links", query: query)
    return try await Page(reply(call), Category.init)
  }

  public func file(_ id: String, under category: String) async throws(ServiceError) -> Entry<Category> {
    let call = Call("file under a category", "POST", "nodes", id, "category-links")
    return try await Entry(reply(call.carrying(["categoryId": .string(category)])), Category.init)
  }

  public func unfile(_ id: String, from category: String) async throws(ServiceError) {
    _ = try await answer(Call("take out of a category", "DELETE", "nodes", id, "category-links", category))
  }

  // MARK: Tags of the repository

  /// - Parameter pattern: With `*` for any characters; nil for all tags.
  public func tags(matching pattern: String? = nil, _ page: PageRequest = PageRequest()) async throws(ServiceError)
    -> Page<Tag>
  {
    var query = page.query + [("include", "count")]
    if let pattern { query.append(("where", "(tag MATCHES ('\(Predicate.escaped(pattern))'))")) }
    return try await Page(reply(Call("list the tags", "GET", "tags", query: query)), Tag.init)
  }

  public func tag(_ id: String) async throws(ServiceError) -> Entry<Tag> {
    try await Entry(reply(Call("read a tag", "GET", "tags", id)), Tag.init)
  }

  /// Tag administrators only.
  public func renameTag(_ id: String, to tag: String) async throws(ServiceError) -> Entry<Tag> {
    try await Entry(reply(Call("rename a tag", "PUT", "tags", id).carrying(["tag": .string(tag)])), Tag.init)
  }
}

/// Text within a `where` predicate.
enum Predicate {
  /// Strings stand in single quotes there, which a backslash keeps.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      if character == "'" || character == "\\" { escaped.append("\\") }
      escaped.append(character)
    }
    return escaped
  }
}
