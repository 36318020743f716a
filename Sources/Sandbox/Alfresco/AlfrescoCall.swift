import HTTPServer
import JSON

/// One authenticated request, with the parameters that every resource understands.
struct AlfrescoCall: Sendable {
  let request: SandboxRequest
  /// Empty for an anonymous caller of a public resource.
  let user: String

  var now: SandboxTime { request.now }

  /// What a placeholder of the route matched.
  subscript(name: String) -> String { request[name] }

  func query(_ name: String) -> String? { request.query(name).flatMap { $0.isEmpty ? nil : $0 } }

  func flag(_ name: String) -> Bool? { query(name).map { $0.lowercased() == "true" } }

  func words(_ name: String) -> [String] {
    (query(name) ?? "").split(separator: ",").map { String($0.filter { $0 != " " }) }
  }

  var include: Set<String> { Set(words("include")) }

  func writer(_ repository: Repository) -> NodeEntry {
    NodeEntry(repository: repository, user: user, now: now, include: include)
  }

  /// The person that a path segment names; only oneself where the resource is private.
  func person(_ name: String, isPrivate: Bool = false) throws(AlfrescoFault) -> String {
    let id = name == "-me-" ? user : name
    guard !isPrivate || id == user else { throw .unknownEntity(name) }
    return id
  }

  // MARK: Bodies

  /// The body as one JSON object; an empty body is an empty object where that is allowed.
  func object(orEmpty: Bool = false) throws(AlfrescoFault) -> JSONValue {
    let value = try json(orEmpty: orEmpty)
    if value.kind == .array { throw .unsupported }
    guard value.kind == .object else { throw .badRequest("Unexpected JSON in the request body") }
    return value
  }

  /// The body as a list of objects: an array, or one object.
  func objects() throws(AlfrescoFault) -> (values: [JSONValue], isArray: Bool) {
    let value = try json(orEmpty: false)
    return value.kind == .array ? (Array(value.elements), true) : ([value], false)
  }

  private func json(orEmpty: Bool) throws(AlfrescoFault) -> JSONValue {
    let bytes = request.body()
    if bytes.isEmpty, orEmpty { return (try? JSONDocument("{}").root) ?? .absent }
    do {
      return try JSONDocument(bytes).root
    } catch {
      throw .badRequest("Could not read content from HTTP request body: \(error.reason)")
    }
  }

  // MARK: Answers

  /// A list of entries, cut down to `fields` where the request names some.
  func list(_ page: ListPage<JSONNode>, source: JSONNode? = nil) -> ServerResponse {
    var list: JSONNode = ["pagination": page.pagination]
    list["entries"] = .array(page.items.map { ["entry": selected($0)] })
    if let source { list["source"] = source }
    return .alfresco(["list": list])
  }

  func entry(_ node: JSONNode, status: Int = 200) -> ServerResponse { .entry(selected(node), status: status) }

  /// One entry, or a list where several were sent.
  func created(_ nodes: [JSONNode], isArray: Bool, status: Int = 201) -> ServerResponse {
    guard isArray else { return entry(nodes.first ?? [:], status: status) }
    var response = list(ListPage(items: nodes, skipCount: 0, maxItems: 100, total: nodes.count, hasMore: false))
    response.status = status
    return response
  }

  private func selected(_ node: JSONNode) -> JSONNode {
    let fields = Set(words("fields"))
    guard !fields.isEmpty, case .object(let members) = node else { return node }
    return .object(members.filter { fields.contains($0.key) || include.contains($0.key) })
  }

  var paging: Paging {
    get throws(AlfrescoFault) { try Paging(skipCount: query("skipCount"), maxItems: query("maxItems")) }
  }
}

/// Which part of a list is asked for.
struct Paging: Sendable, Equatable {
  let skipCount: Int
  let maxItems: Int

  init(skipCount: Int = 0, maxItems: Int = 100) {
    self.skipCount = skipCount
    self.maxItems = maxItems
  }

  init(skipCount: String?, maxItems: String?) throws(AlfrescoFault) {
    guard let skip = skipCount.map({ Int($0) }) ?? 0 else {
      throw .badRequest("Invalid paging parameter skipCount:\(skipCount ?? "")")
    }
    guard let most = maxItems.map({ Int($0) }) ?? 100 else {
      throw .badRequest("Invalid paging parameters skipCount: \(skip), maxItems:\(maxItems ?? "")")
    }
    guard skip >= 0 else { throw .badRequest("Negative values not supported for skipCount.") }
    guard most >= 1 else { throw .badRequest("Only positive values supported for maxItems.") }
    self.init(skipCount: skip, maxItems: most)
  }

  /// The part of `items` asked for.
  func page<Item>(_ items: [Item]) -> ListPage<Item> {
    let start = min(skipCount, items.count)
    let end = min(start.addingReportingOverflow(maxItems).overflow ? items.count : start + maxItems, items.count)
    return ListPage(
      items: Array(items[start..<end]), skipCount: skipCount, maxItems: maxItems, total: items.count,
      hasMore: end < items.count)
  }
}

/// One page of a list, and what is known about the rest.
struct ListPage<Item> {
  let items: [Item]
  let skipCount: Int
  let maxItems: Int
  /// nil where the server does not say.
  let total: Int?
  let hasMore: Bool

  func map<Other>(_ transform: (Item) throws -> Other) rethrows -> ListPage<Other> {
    ListPage<Other>(
      items: try items.map(transform), skipCount: skipCount, maxItems: maxItems, total: total, hasMore: hasMore)
  }

  var pagination: JSONNode {
    var node: JSONNode = ["count": .int(items.count), "hasMoreItems": .bool(hasMore)]
    if let total { node["totalItems"] = .int(total) }
    node["skipCount"] = .int(skipCount)
    node["maxItems"] = .int(maxItems)
    return node
  }
}

extension ListPage: Sendable where Item: Sendable {}
