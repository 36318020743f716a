import HTTPServer
import JSON

/// A form into which the server can turn a file.
struct Renditions: Sendable {
  let id: String
  let mimeType: String

  static let all = [
    Renditions(id: "doclib", mimeType: "image/png"), Renditions(id: "imgpreview", mimeType: "image/jpeg"),
    Renditions(id: "medium", mimeType: "image/jpeg"), Renditions(id: "pdf", mimeType: "application/pdf"),
    Renditions(id: "text", mimeType: "text/plain"),
  ]

  /// The renditions that exist for a type. The text one stands for a site that registered it: the product has none.
  static func offered(for mimeType: String) -> [Renditions] {
    switch mimeType {
    case _ where mimeType.hasPrefix("image/"): all.filter { $0.id == "doclib" || $0.id == "imgpreview" }
    case "application/pdf": all.filter { $0.id == "doclib" || $0.id == "text" }
    case _ where MimeTypes.isText(mimeType): all.filter { $0.id == "doclib" || $0.id == "pdf" }
    default: []
    }
  }

  /// Seconds from the order to the finished rendition.
  static let delay = 2

  /// The bytes of the rendition; nil where the transformation fails.
  func content(of node: RepoNode, _ corpus: DocumentCorpus) -> NodeContent? {
    switch (id, node.content) {
    case ("doclib", .some), ("imgpreview", .some), ("medium", .some):
      .picture(node.name.utf8.reduce(0) { $0 + Int($1) })
    case ("pdf", .text(let text, _)?): .text(text, .pdf)
    case ("text", .text(let text, _)?): .text(text, .plain)
    case ("pdf", let content?) where content.length(corpus) < 1 << 20:
      .bytes(
        PDFWriter.document(
          title: node.name,
          paragraphs: String(decoding: content.opened(corpus).collected(), as: UTF8.self).split(separator: "\n")
            .map(String.init)))
    default: nil
    }
  }
}

extension AlfrescoRoutes {
  /// Renditions are made some time after they were asked for (reference 2.6).
  mutating func addRenditions() {
    on("GET", "nodes/{id}/renditions") { call, repository in
      let node = try RenditionEntry.source(call, repository)
      let clause = try WhereClause(call.query("where"))
      try clause.allow(["status"])
      let status = clause.equal("status")
      guard status == nil || ["CREATED", "NOT_CREATED"].contains(status) else {
        throw AlfrescoFault.invalidArgument("Invalid status value: \(status ?? "")")
      }
      let entries = Renditions.offered(for: node.mimeType ?? "").map {
        RenditionEntry.written($0, node, call, repository)
      }
      let kept = entries.filter { status == nil || $0["status"] == .string(status ?? "") }
      return try call.list(call.paging.page(kept))
    }
    on("GET", "nodes/{id}/renditions/{rendition}") { call, repository in
      let node = try RenditionEntry.source(call, repository)
      return call.entry(RenditionEntry.written(try RenditionEntry.find(call, node), node, call, repository))
    }
    on("POST", "nodes/{id}/renditions", RenditionEntry.order)
    on("DELETE", "nodes/{id}/renditions/{rendition}") { call, repository in
      let node = try RenditionEntry.source(call, repository)
      guard repository.extras.renditions[node.id]?.removeValue(forKey: call["rendition"]) != nil else {
        throw AlfrescoFault.unknownEntity(call["rendition"])
      }
      return .empty(204)
    }
    free("GET", "\(Self.core)/nodes/{id}/renditions/{rendition}/content") { server, call in
      let delivery = try server.withRepository { try RenditionEntry.delivery(call, $0) }
      return delivery.response(to: call)
    }
  }
}

private enum RenditionEntry {
  static func source(_ call: AlfrescoCall, _ repository: Repository) throws(AlfrescoFault) -> RepoNode {
    let node = try repository.readable(call["id"], for: call.user)
    guard node.isFile else { throw .invalidArgument("Node id '\(node.id)' does not represent a file.") }
    return node
  }

  static func find(_ call: AlfrescoCall, _ node: RepoNode) throws(AlfrescoFault) -> Renditions {
    guard let found = Renditions.offered(for: node.mimeType ?? "").first(where: { $0.id == call["rendition"] }) else {
      throw .notFound("Rendition \(call["rendition"])")
    }
    return found
  }

  private static func isReady(_ id: String, _ node: RepoNode, _ call: AlfrescoCall, _ repository: Repository) -> Bool {
    repository.extras.renditions[node.id]?[id].map { $0 <= call.now } ?? false
  }

  static func written(
    _ rendition: Renditions, _ node: RepoNode, _ call: AlfrescoCall, _ repository: Repository
  ) -> JSONNode {
    var content: JSONNode = [
      "mimeType": .string(rendition.mimeType), "mimeTypeName": .string(MimeTypes.title(rendition.mimeType)),
    ]
    let made = isReady(rendition.id, node, call, repository) ? rendition.content(of: node, repository.corpus) : nil
    if let made {
      content["sizeInBytes"] = .int(made.length(repository.corpus))
      content["encoding"] = "UTF-8"
    }
    return ["id": .string(rendition.id), "status": made == nil ? "NOT_CREATED" : "CREATED", "content": content]
  }

  @Sendable static func order(_ call: AlfrescoCall, _ repository: inout Repository) throws -> ServerResponse {
    let node = try source(call, repository)
    let ids = try call.objects().values.flatMap { ($0["id"].string ?? "").split(separator: ",").map(String.init) }
    guard !ids.isEmpty else { throw AlfrescoFault.invalidArgument("Rendition id is expected") }
    let offered = Set(Renditions.offered(for: node.mimeType ?? "").map(\.id))
    for id in ids where !offered.contains(id) { throw AlfrescoFault.notFound("\(id) is not registered.") }
    let missing = ids.filter { repository.extras.renditions[node.id]?[$0] == nil }
    guard !missing.isEmpty else { throw AlfrescoFault.conflict("All renditions already exist") }
    for id in missing {
      repository.extras.renditions[node.id, default: [:]][id] = call.now.adding(seconds: Renditions.delay)
    }
    return .empty(202)
  }

  static func delivery(_ call: AlfrescoCall, _ repository: Repository) throws(AlfrescoFault) -> ContentDelivery {
    let node = try source(call, repository)
    let rendition = try find(call, node)
    if isReady(rendition.id, node, call, repository), let made = rendition.content(of: node, repository.corpus) {
      return ContentRoutes.delivery(
        made, name: "\(node.name)-\(rendition.id)", mimeType: rendition.mimeType, modified: node.modified, repository)
    }
    guard call.flag("placeholder") == true else { throw .unknownRelationship(node.id, rendition.id) }
    return ContentRoutes.delivery(
      .picture(0), name: "placeholder.png", mimeType: "image/png", modified: node.modified, repository)
  }
}
