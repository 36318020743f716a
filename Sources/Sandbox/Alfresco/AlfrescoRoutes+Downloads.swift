import HTTPServer
import JSON

extension AlfrescoRoutes {
  /// Several nodes in one archive, put together by the server (reference 2.12).
  mutating func addDownloads() {
    on("POST", "downloads") { call, repository in
      let ids = try call.object()["nodeIds"].elements.compactMap(\.string)
      guard !ids.isEmpty, Set(ids).count == ids.count else {
        throw AlfrescoFault.invalidArgument("nodeIds are expected, each once")
      }
      for id in ids { _ = try repository.readable(id, for: call.user) }
      let download = ZipDownload(id: repository.makeID(), user: call.user, nodes: ids, started: call.now)
      repository.downloads[download.id] = download
      return .entry(download.written(repository, at: call.now), status: 202)
    }
    on("GET", "downloads/{id}") { call, repository in
      .entry(try ZipDownload.find(call, repository).written(repository, at: call.now))
    }
    on("DELETE", "downloads/{id}") { call, repository in
      let download = try ZipDownload.find(call, repository)
      guard download.user == call.user else { throw AlfrescoFault.denied }
      if !download.isDone(call.now) { repository.downloads[download.id]?.isCancelled = true }
      return .empty(202)
    }
  }
}

extension ZipDownload {
  /// Seconds from the order to the finished archive.
  private static let delay = 1

  func isDone(_ now: SandboxTime) -> Bool { !isCancelled && started.adding(seconds: Self.delay) <= now }

  fileprivate static func find(_ call: AlfrescoCall, _ repository: Repository) throws(AlfrescoFault) -> ZipDownload {
    if let download = repository.downloads[call["id"]] { return download }
    guard repository.nodes[call["id"]] == nil else { throw .invalidArgument("Not a download: \(call["id"])") }
    throw .unknownEntity(call["id"])
  }

  /// Paths within the archive and what they hold; folders end with a slash.
  func members(_ repository: Repository) -> [(path: String, content: NodeContent?)] {
    func below(_ node: RepoNode, _ prefix: String) -> [(path: String, content: NodeContent?)] {
      guard repository.canRead(user, node) else { return [] }
      guard node.isFolder else { return [(prefix + node.name, node.content)] }
      let path = "\(prefix)\(node.name)/"
      let children = (repository.children[node.id] ?? []).compactMap { repository.nodes[$0] }
      return [(path, nil)] + children.flatMap { below($0, path) }
    }
    return nodes.compactMap { repository.nodes[$0] }.flatMap { below($0, "") }
  }

  fileprivate func written(_ repository: Repository, at now: SandboxTime) -> JSONNode {
    let files = members(repository).compactMap(\.content)
    let size = files.reduce(0) { $0 + $1.length(repository.corpus) }
    let done = isDone(now)
    let isTooLarge = size > 2_152_852_358
    let status = isCancelled ? "CANCELLED" : isTooLarge ? "MAX_CONTENT_SIZE_EXCEEDED" : done ? "DONE" : "PENDING"
    return [
      "id": .string(id), "filesAdded": .int(done ? files.count : 0), "bytesAdded": .int(done ? size : 0),
      "totalFiles": .int(done ? files.count : 0), "totalBytes": .int(done ? size : 0), "status": .string(status),
    ]
  }

  /// The archive as a file, once it is done.
  func delivery(_ repository: Repository, at now: SandboxTime) -> ContentDelivery? {
    guard isDone(now) else { return nil }
    let only = nodes.count == 1 ? nodes.first.flatMap { repository.nodes[$0] }?.name : nil
    let members = members(repository).map { ($0.path, $0.content?.opened(repository.corpus).collected()) }
    return ContentDelivery(
      name: only.map { "\($0).zip" } ?? "archive.zip", mimeType: "application/zip", encoding: "UTF-8",
      modified: started, content: .bytes(ZIPWriter.archive(members)))
  }
}

/// Writes archives whose members are stored as they are (APPNOTE 6.3, UTF-8 names).
enum ZIPWriter {
  static func archive(_ members: [(path: String, bytes: [UInt8]?)]) -> [UInt8] {
    var file: [UInt8] = []
    var directory: [UInt8] = []
    for (path, bytes) in members {
      let offset = file.count
      let content = bytes ?? []
      let name = Array(path.utf8)
      let sizes = word(Int(CRC32.checksum(content))) + word(content.count) + word(content.count)
      let common = half(20) + half(0x0800) + half(0) + half(0) + half(0x5B7D) + sizes + half(name.count) + half(0)
      file += [0x50, 0x4B, 3, 4] + common + name + content
      let attributes = bytes == nil ? 0x10 : 0
      directory +=
        [0x50, 0x4B, 1, 2] + half(20) + common + half(0) + half(0) + half(0) + word(attributes) + word(offset)
      directory += name
    }
    let count = half(members.count)
    return file + directory + [0x50, 0x4B, 5, 6] + half(0) + half(0) + count + count + word(directory.count)
      + word(file.count) + half(0)
  }

  private static func half(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }
  private static func word(_ value: Int) -> [UInt8] { half(value & 0xFFFF) + half(value >> 16 & 0xFFFF) }
}
