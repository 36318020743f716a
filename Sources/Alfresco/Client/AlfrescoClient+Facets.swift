import JSON
import Model
import Wire

// What hangs on a node: versions, comments, tags, renditions.
extension AlfrescoClient {
  /// Newest first; empty for what has no versions. Each id is the version's label.
  public func versions(of id: String, _ page: PageRequest = PageRequest()) async throws(ServiceError) -> Page<Node> {
    try await Page(reply(Call("list the versions", "GET", "nodes", id, "versions", query: page.query)), Node.init)
  }

  public func version(_ label: String, of id: String) async throws(ServiceError) -> Entry<Node> {
    let query = [("include", "properties,aspectNames")]
    let call = Call("read version \(label)", "GET", "nodes", id, "versions", label, query: query)
    return try await Entry(reply(call), Node.init)
  }

  /// Copies an old version forward as a new one; history stays. Returns the new version.
  public func revert(
    _ id: String, to label: String, major: Bool = true, comment: String? = nil
  ) async throws(ServiceError) -> Entry<Node> {
    var body: JSONNode = ["majorVersion": .bool(major)]
    if let comment { body["comment"] = .string(comment) }
    let call = Call("go back to version \(label)", "POST", "nodes", id, "versions", label, "revert").carrying(body)
    return try await Entry(reply(call), Node.init)
  }

  public func deleteVersion(_ label: String, of id: String) async throws(ServiceError) {
    _ = try await answer(Call("delete version \(label)", "DELETE", "nodes", id, "versions", label))
  }

  public func comments(of id: String, _ page: PageRequest = PageRequest()) async throws(ServiceError) -> Page<Comment> {
    try await Page(reply(Call("list the comments", "GET", "nodes", id, "comments", query: page.query)), Comment.init)
  }

  public func comment(on id: String, _ text: String) async throws(ServiceError) -> Entry<Comment> {
    let body: JSONNode = ["content": .string(PlainText.asMarkup(text))]
    return try await Entry(
      reply(Call("write a comment", "POST", "nodes", id, "comments").carrying(body)), Comment.init)
  }

  public func updateComment(
    _ comment: String, of id: String, _ text: String
  ) async throws(ServiceError) -> Entry<Comment> {
    let body: JSONNode = ["content": .string(PlainText.asMarkup(text))]
    let call = Call("change a comment", "PUT", "nodes", id, "comments", comment).carrying(body)
    return try await Entry(reply(call), Comment.init)
  }

  public func deleteComment(_ comment: String, of id: String) async throws(ServiceError) {
    _ = try await answer(Call("delete a comment", "DELETE", "nodes", id, "comments", comment))
  }

  public func tags(of id: String, _ page: PageRequest = PageRequest()) async throws(ServiceError) -> Page<Tag> {
    try await Page(reply(Call("list the tags", "GET", "nodes", id, "tags", query: page.query)), Tag.init)
  }

  /// Tags are kept in lower case; one that is there already is no error.
  public func tag(_ id: String, _ tag: String) async throws(ServiceError) -> Entry<Tag> {
    let call = Call("add the tag “\(tag)”", "POST", "nodes", id, "tags").carrying(["tag": .string(tag)])
    return try await Entry(reply(call), Tag.init)
  }

  public func untag(_ id: String, tagID: String) async throws(ServiceError) {
    _ = try await answer(Call("remove a tag", "DELETE", "nodes", id, "tags", tagID))
  }

  public func renditions(
    of id: String, _ page: PageRequest = PageRequest()
  ) async throws(ServiceError) -> Page<Rendition> {
    let call = Call("list the renditions", "GET", "nodes", id, "renditions", query: page.query)
    return try await Page(reply(call), Rendition.init)
  }

  public func rendition(_ rendition: String, of id: String) async throws(ServiceError) -> Entry<Rendition> {
    let call = Call("read the rendition “\(rendition)”", "GET", "nodes", id, "renditions", rendition)
    return try await Entry(reply(call), Rendition.init)
  }

  /// Asks for a rendition; the server makes it later. One that somebody else asked for already is as good.
  public func requestRendition(_ rendition: String, of id: String) async throws(ServiceError) {
    let call = Call("ask for the rendition “\(rendition)”", "POST", "nodes", id, "renditions")
    do throws(ServiceError) {
      _ = try await answer(call.carrying(["id": .string(rendition)]))
    } catch {
      guard error.code == .conflict else { throw error }
    }
  }
}
