import Model

// Several nodes, or a folder with all that is in it, as one file made by the server.
extension AlfrescoBackend {
  public func archive(of locations: [Location]) -> Location? {
    let nodes = locations.filter { location in
      guard location.connection == connection.name, case .node? = try? Place(location) else { return false }
      return true
    }
    guard !nodes.isEmpty, nodes.count == locations.count else { return nil }
    let paths = nodes.map { ("at", String($0.text.dropFirst(connection.name.utf8.count + 1))) }
    return Location(connection: connection.name, path: ["zip"], query: paths)
  }

  func archiveItem(_ references: [NodeReference], _ location: Location) -> Item {
    let names = references.map { Value.text($0.lastName ?? "a node") }
    let fields = [Field("holds", "Holds", .list(names)), Field("count", "Things", .optional(names.count), .integer)]
    return Item(
      location, title: Self.archiveName(references), sections: [Item.Section("Archive", fields)],
      content: ContentHead(name: Self.archiveName(references), mediaType: "application/zip"),
      notices: ["The server puts it together when it is downloaded."])
  }

  private static func archiveName(_ references: [NodeReference]) -> String {
    guard references.count == 1, let name = references[0].lastName else { return "archive.zip" }
    return "\(name).zip"
  }

  /// Orders the archive, waits for it, streams it, and tells the server that it is no longer needed.
  func downloadArchive(
    _ references: [NodeReference], to sink: any ByteSink, progress: @escaping Progress
  ) async throws(ServiceError) -> ContentHead {
    var ids: [String] = []
    for reference in references {
      let id = try await identify(reference)
      if !ids.contains(id) { ids.append(id) }
    }
    let archive = try await client.finishedArchive(of: ids) { round throws(ServiceError) in
      try await Pace.wait(round, "put the archive together")
    }
    let head = try await client.download(.node(archive.id), DownloadRequest(), to: sink, progress: progress)
    try? await client.cancelArchive(archive.id)
    return head
  }
}

/// How long to wait before asking again for something that the server makes: a moment at first, then longer.
enum Pace {
  /// - Throws: `.cancelled` when the task is.
  static func wait(_ round: Int, _ operation: String) async throws(ServiceError) {
    let milliseconds = min(3000, 150 << min(round, 5))
    do { try await Task.sleep(for: .milliseconds(milliseconds)) } catch { throw .cancelled(operation) }
  }
}
