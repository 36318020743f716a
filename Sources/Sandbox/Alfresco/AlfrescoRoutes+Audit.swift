import HTTPServer
import JSON

/// What the audit noted.
struct RepoAudit: Sendable {
  let id: Int
  let user: String
  let time: SandboxTime
  let action: String
  let node: String
  let path: String
}

extension AlfrescoRoutes {
  /// The audit, for administrators (reference 2.13). Changes are noted; reading is not.
  mutating func addAudit() {
    on("GET", "audit-applications") { call, repository in
      guard repository.isAdmin(call.user) else { throw AlfrescoFault.denied }
      return try call.list(call.paging.page([AuditEntry.application]))
    }
    on("GET", "audit-applications/{application}") { call, repository in
      try AuditEntry.check(call, repository)
      var entry = AuditEntry.application
      if call.include.contains("max"), let last = repository.audit.last { entry["maxEntryId"] = .int(last.id) }
      if call.include.contains("min"), let first = repository.audit.first { entry["minEntryId"] = .int(first.id) }
      return call.entry(entry)
    }
    on("GET", "audit-applications/{application}/audit-entries") { call, repository in
      try AuditEntry.check(call, repository)
      return try AuditEntry.list(repository.audit, call, repository)
    }
    on("GET", "audit-applications/{application}/audit-entries/{entry}") { call, repository in
      try AuditEntry.check(call, repository)
      guard let found = repository.audit.first(where: { String($0.id) == call["entry"] }) else {
        throw AlfrescoFault.unknownEntity(call["entry"])
      }
      return call.entry(AuditEntry.written(found, withValues: true, repository))
    }
    on("GET", "nodes/{id}/audit-entries") { call, repository in
      guard repository.isAdmin(call.user) else { throw AlfrescoFault.denied }
      let node = try repository.readable(call["id"], for: call.user)
      return try AuditEntry.list(repository.audit.filter { $0.node == node.id }, call, repository)
    }
  }
}

extension Repository {
  /// Notes a change that was made; the newest stand last, and the oldest give way.
  mutating func audit(_ call: AlfrescoCall) {
    let actions = ["POST": "CREATE", "PUT": "UPDATE", "DELETE": "DELETE"]
    guard let action = actions[call.request.method] else { return }
    let node = nodes[call["id"]]
    audit.append(
      RepoAudit(
        id: (audit.last?.id ?? 90_200) + 1, user: call.user, time: call.now, action: action, node: call["id"],
        path: node.map { ancestors(of: $0).map(\.name).joined(separator: "/") + "/\($0.name)" } ?? call.request.path))
    if audit.count > Self.mostAudited { audit.removeFirst() }
  }

  private static var mostAudited: Int { 5000 }
}

private enum AuditEntry {
  static let application: JSONNode = ["id": "alfresco-access", "name": "alfresco-access", "isEnabled": true]

  static func check(_ call: AlfrescoCall, _ repository: Repository) throws(AlfrescoFault) {
    guard repository.isAdmin(call.user) else { throw .denied }
    guard call["application"] == "alfresco-access" else { throw .unknownEntity(call["application"]) }
  }

  static func list(
    _ entries: [RepoAudit], _ call: AlfrescoCall, _ repository: Repository
  ) throws(AlfrescoFault) -> ServerResponse {
    let clause = try WhereClause(call.query("where"))
    try clause.allow(["createdByUser", "createdAt", "id", "valuesKey", "valuesValue"])
    var found = entries
    for predicate in clause.predicates {
      var kept: [RepoAudit] = []
      for entry in found where try holds(predicate, entry) { kept.append(entry) }
      found = kept
    }
    if call.query("orderBy")?.uppercased().hasSuffix("DESC") == true { found.reverse() }
    let withValues = call.include.contains("values")
    let page = try call.paging.page(found)
    let shown = ListPage(
      items: page.items, skipCount: page.skipCount, maxItems: page.maxItems,
      total: call.flag("omitTotalItems") == true ? nil : page.total, hasMore: page.hasMore)
    return call.list(shown.map { written($0, withValues: withValues, repository) })
  }

  private static func holds(
    _ predicate: WhereClause.Predicate, _ entry: RepoAudit
  ) throws(AlfrescoFault) -> Bool {
    switch (predicate.name, predicate.comparison) {
    case ("createdByUser", .equal): return predicate.values == [entry.user]
    case ("createdAt", .between):
      let bounds = predicate.values.compactMap { SandboxTime(iso: $0) }
      guard bounds.count == 2 else { throw .invalidQuery("createdAt") }
      return bounds[0] <= entry.time && entry.time <= bounds[1]
    case ("id", .between):
      let bounds = predicate.values.compactMap { Int($0) }
      guard bounds.count == 2 else { throw .invalidQuery("id") }
      return (bounds[0]...max(bounds[0], bounds[1])).contains(entry.id)
    case ("valuesKey", .equal): return entry.values.contains { $0.0 == predicate.values.first }
    case ("valuesValue", .equal): return entry.values.contains { $0.1 == predicate.values.first }
    default: throw .invalidQuery("Unexpected comparison of \(predicate.name)")
    }
  }

  static func written(_ entry: RepoAudit, withValues: Bool, _ repository: Repository) -> JSONNode {
    var node: JSONNode = [
      "id": .int(entry.id), "auditApplicationId": "alfresco-access",
      "createdByUser": [
        "id": .string(entry.user), "displayName": .string(repository.person(entry.user)?.displayName ?? entry.user),
      ],
      "createdAt": .string(entry.time.alfresco),
    ]
    if withValues {
      node["values"] = .object(entry.values.map { JSONNode.Member(key: $0.0, value: .string($0.1)) })
    }
    return node
  }
}

extension RepoAudit {
  fileprivate var values: [(String, String)] {
    [
      ("/alfresco-access/transaction/action", action), ("/alfresco-access/transaction/path", path),
      ("/alfresco-access/transaction/user", user),
    ]
  }
}
