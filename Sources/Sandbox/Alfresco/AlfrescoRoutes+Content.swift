import HTTPServer
import JSON

extension AlfrescoRoutes {
  /// Bytes in and out (reference 2.3.2, 2.3.3).
  mutating func addContent() {
    free("GET", "\(Self.core)/nodes/{id}/content") { server, call in
      let delivery = try server.withRepository { repository in
        if let download = repository.downloads[call["id"]] {
          guard download.user == call.user else { throw AlfrescoFault.denied }
          guard let archive = download.delivery(repository, at: call.now) else {
            throw AlfrescoFault.unknownEntity(call["id"])
          }
          return archive
        }
        return try ContentRoutes.delivery(of: repository.readable(call["id"], for: call.user), repository)
      }
      return delivery.response(to: call)
    }
    free("PUT", "\(Self.core)/nodes/{id}/content", ContentRoutes.replace)
    free("POST", "\(Self.core)/nodes/{id}/children", ContentRoutes.create)
    on("POST", "nodes/{id}/request-direct-access-url") { _, _ in
      throw AlfrescoFault.unavailable("Direct access URLs have been disabled.")
    }
  }
}

enum ContentRoutes {
  static func delivery(of node: RepoNode, _ repository: Repository) throws(AlfrescoFault) -> ContentDelivery {
    guard let content = node.content else {
      throw .invalidArgument("NodeId of content is expected: \(node.id)")
    }
    return delivery(content, name: node.name, mimeType: node.mimeType, modified: node.modified, repository)
  }

  static func delivery(
    _ content: NodeContent, name: String, mimeType: String?, modified: SandboxTime, _ repository: Repository
  ) -> ContentDelivery {
    ContentDelivery(
      name: name, mimeType: mimeType ?? "application/octet-stream", encoding: MimeTypes.encoding(content),
      modified: modified, content: content.opened(repository.corpus))
  }

  @Sendable static func replace(_ server: AlfrescoServer, _ call: AlfrescoCall) throws -> ServerResponse {
    let type = call.request.header("Content-Type")
    if let type, type.lowercased().hasPrefix("multipart/") {
      throw AlfrescoFault(415, "framework.exception.UnsupportedMediaType", "Unsupported media type \(type)")
    }
    let content = try stored(call.request.server.body)
    return try server.withRepository { repository in
      var node = try repository.writable(call["id"], for: call.user, at: call.now)
      guard node.isFile else { throw AlfrescoFault.invalidArgument("NodeId of content is expected: \(node.id)") }
      if let name = call.query("name") {
        try repository.rename(&node, to: name)
        repository.replace(node)
      }
      let mimeType = type.flatMap { plainType($0) } ?? node.mimeType
      repository.write(
        content, mimeType: mimeType, to: node.id, by: call.user, at: call.now,
        isMajor: call.flag("majorVersion") ?? false, comment: call.query("comment"))
      let written = try repository.readable(node.id, for: call.user)
      return call.entry(call.writer(repository).single(written))
    }
  }

  /// A media type without its parameters; nil for what clients send when they know none.
  private static func plainType(_ header: String) -> String? {
    let type = header.prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
    return ["", "application/x-www-form-urlencoded"].contains(type) ? nil : type
  }

  private static func stored(_ body: RequestBody) throws -> NodeContent {
    if body.count <= MultipartReader.memoryLimit { return .bytes(try body.bytes()) }
    guard let writer = SpooledFile.Writer() else {
      throw AlfrescoFault(507, "framework.exception.InsufficientStorage", "No room for the upload")
    }
    var isWritten = true
    body.withChunks { chunk in
      if isWritten { isWritten = writer.write(chunk) }
    }
    guard isWritten else {
      throw AlfrescoFault(507, "framework.exception.InsufficientStorage", "No room for the upload")
    }
    return .spooled(writer.finished())
  }

  @Sendable static func create(_ server: AlfrescoServer, _ call: AlfrescoCall) throws -> ServerResponse {
    let type = call.request.header("Content-Type") ?? "application/json"
    guard type.lowercased().hasPrefix("multipart/") else {
      let (values, isArray) = try call.objects()
      return try server.withRepository { repository in
        let nodes = try values.map { try make($0, call, &repository) }
        return call.created(nodes.map(call.writer(repository).single), isArray: isArray)
      }
    }
    guard MultipartReader.boundary(of: type) != nil else {
      throw AlfrescoFault(415, "framework.exception.UnsupportedMediaType", "no multipart boundary param")
    }
    guard let parts = MultipartReader.parts(of: call.request.server.body, contentType: type) else {
      throw AlfrescoFault.badRequest("Could not read the multipart body")
    }
    let upload = try NodeUpload(parts)
    return try server.withRepository { repository in
      let node = try upload.store(below: call["id"], call, &repository)
      return call.entry(call.writer(repository).single(node), status: 201)
    }
  }

  /// Makes a folder or an empty file from JSON.
  private static func make(
    _ body: JSONValue, _ call: AlfrescoCall, _ repository: inout Repository
  ) throws(AlfrescoFault) -> RepoNode {
    guard let wanted = body["name"].string, !wanted.isEmpty else { throw .invalidArgument("Node name is expected") }
    guard let type = body["nodeType"].string, !type.isEmpty else { throw .invalidArgument("Node type is expected") }
    guard NodeTypes.all.contains(type), !NodeTypes.abstract.contains(type) else {
      throw .invalidArgument("Cannot create type: \(type)")
    }
    var parent = try repository.container(call["id"], for: call.user)
    try Repository.check(name: wanted)
    if let path = body["relativePath"].string {
      parent = try repository.makeFolders(path, below: parent, for: call.user, at: call.now)
    }
    let name = call.flag("autoRename") == true ? repository.freeName(wanted, in: parent.id) : wanted
    guard repository.child(named: name, of: parent.id) == nil else { throw .nameExists(name) }
    let isFile = !RepoNode.folderTypes.contains(type)
    var node = RepoNode(
      id: repository.makeID(), name: name, type: type, parent: parent.id, created: call.now, creator: call.user,
      content: isFile ? .bytes([]) : nil, mimeType: isFile ? MimeTypes.guess(name) : nil)
    try NodeWriting.apply(properties: body["properties"], to: &node)
    for aspect in body["aspectNames"].elements.compactMap(\.string) { node.add(aspect: aspect) }
    let isMajor = call.flag("majorVersion")
    if isFile, isMajor != nil || call.flag("versioningEnabled") == true {
      repository.addVersion(&node, by: call.user, at: call.now, isMajor: isMajor ?? true, comment: nil)
    }
    repository.attach(node)
    repository.note(
      "org.alfresco.documentlibrary.\(isFile ? "file" : "folder")-added", node, by: call.user, at: call.now)
    return node
  }
}

/// A file sent as a form; flags count as parts only, never in the query.
struct NodeUpload: Sendable {
  private let file: MultipartPart
  private let fields: [String: String]

  init(_ parts: [MultipartPart]) throws(AlfrescoFault) {
    guard let file = parts.first(where: { $0.name.lowercased() == "filedata" }) else {
      throw .badRequest("Required parameters are missing")
    }
    self.file = file
    let others = parts.filter { $0.name.lowercased() != "filedata" }
    // Part names are compared without case; property names are not.
    fields = Dictionary(others.map { ($0.name.contains(":") ? $0.name : $0.name.lowercased(), $0.text) }) { $1 }
    guard !(flag("autorename") && flag("overwrite")) else {
      throw .invalidArgument("Both 'overwrite' and 'autoRename' should not be true when uploading a file")
    }
  }

  private func flag(_ name: String) -> Bool { fields[name]?.lowercased() == "true" }

  func store(
    below id: String, _ call: AlfrescoCall, _ repository: inout Repository
  ) throws(AlfrescoFault) -> RepoNode {
    let found = try repository.readable(id, for: call.user)
    guard found.isFolder else { throw .invalidArgument("NodeId of folder is expected: \(id)") }
    guard repository.access(call.user, found).contains(.create) else { throw .denied }
    let wanted = fields["name"] ?? file.fileName ?? ""
    guard !wanted.isEmpty else { throw .badRequest("Required parameters are missing") }
    try Repository.check(name: wanted)
    for rendition in (fields["renditions"] ?? "").split(separator: ",") {
      guard Renditions.all.contains(where: { $0.id == rendition }) else { throw .notFound("Rendition \(rendition)") }
    }
    let path = fields["relativepath"] ?? ""
    let parent = try repository.makeFolders(path, below: found, for: call.user, at: call.now)
    guard let existing = repository.child(named: wanted, of: parent.id), !flag("autorename") else {
      return try add(repository.freeName(wanted, in: parent.id), to: parent.id, call, &repository)
    }
    guard flag("overwrite") else { throw .fileExists(wanted) }
    let node = try repository.writable(existing, for: call.user, at: call.now)
    guard node.isVersioned else { throw .fileExists(wanted) }
    repository.write(
      file.content, mimeType: mimeType(wanted), to: existing, by: call.user, at: call.now,
      isMajor: flag("majorversion"), comment: fields["comment"])
    return try repository.readable(existing, for: call.user)
  }

  private func mimeType(_ name: String) -> String {
    let sent = file.contentType.map { $0.prefix { $0 != ";" }.filter { $0 != " " } } ?? ""
    return sent.isEmpty || sent == "application/octet-stream" ? MimeTypes.guess(name) : String(sent)
  }

  private func add(
    _ name: String, to parent: String, _ call: AlfrescoCall, _ repository: inout Repository
  ) throws(AlfrescoFault) -> RepoNode {
    let type = fields["nodetype"] ?? "cm:content"
    guard NodeTypes.isKind(type, of: "cm:content") else { throw .invalidArgument("Cannot create type: \(type)") }
    var node = RepoNode(
      id: repository.makeID(), name: name, type: type, parent: parent, created: call.now, creator: call.user,
      content: file.content, mimeType: mimeType(name))
    for (key, value) in fields where key.contains(":") && !value.isEmpty {
      node.properties[key] = .string(value)
      if key == "cm:title" || key == "cm:description" { node.add(aspect: "cm:titled") }
    }
    for aspect in (fields["aspectnames"] ?? "").split(separator: ",") { node.add(aspect: String(aspect)) }
    if fields["versioningenabled"]?.lowercased() != "false" {
      let isMajor = fields["majorversion"].map { $0.lowercased() == "true" } ?? true
      repository.addVersion(&node, by: call.user, at: call.now, isMajor: isMajor, comment: fields["comment"])
    }
    repository.attach(node)
    repository.note("org.alfresco.documentlibrary.file-added", node, by: call.user, at: call.now)
    return node
  }
}
