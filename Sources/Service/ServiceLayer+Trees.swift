import Model
import Store

// Folders with all that is in them, to and from this machine.
extension ServiceLayer {
  /// Downloads containers, with all below them, and single things into a directory. What is there already in the same
  /// size is left alone, so a tree that broke off goes on where it stopped.
  @MainActor
  package func startTreeDownload(
    _ roots: [(location: Location, name: String, isContainer: Bool)], into directory: String, title: String
  ) -> Int {
    jobs.add(.download, title, roots.first?.location ?? Location(connection: "")) {
      [self] control throws(ServiceError) in
      var walk = TreeWalk(progress: control.progress)
      for root in roots {
        let path = FilePath.joined(directory, FileName.safe(root.name))
        try await fetch(root.location, isContainer: root.isContainer, size: nil, to: path, &walk, control, depth: 0)
      }
      guard walk.failures.isEmpty else { throw walk.failure("download \(title)") }
      return .file(roots.count == 1 ? FilePath.joined(directory, FileName.safe(roots[0].name)) : directory)
    }
  }

  /// Several things, or a container with all below it, as one archive that the server makes.
  @MainActor
  package func startArchiveDownload(_ locations: [Location], into directory: String, title: String) -> Int {
    jobs.add(.download, title, locations.first ?? Location(connection: "")) { [self] control throws(ServiceError) in
      let operation = "download \(title)"
      guard let first = locations.first,
        let archive = try await door(first.connection).backend().archive(of: locations)
      else { throw .notOffered(operation, "the server makes no archive of these") }
      let path = FilePath.joined(directory, FileName.free(FileName.safe(title), in: directory))
      _ = try await download(archive, toFile: path, progress: control.progress)
      return .file(path)
    }
  }

  private func fetch(
    _ location: Location, isContainer: Bool, size: Int64?, to path: String, _ walk: inout TreeWalk,
    _ control: JobControl, depth: Int
  ) async throws(ServiceError) {
    await control.gate.pass()
    if Task.isCancelled { throw .cancelled("download \(location)") }
    guard isContainer else {
      if let size, Files.size(path) == size { return walk.done += size }
      do throws(ServiceError) {
        let before = walk.done
        let head = try await download(location, toFile: path) { [progress = walk.progress] bytes, _ in
          progress(before + bytes, nil)
        }
        walk.done += head.size ?? size ?? 0
      } catch {
        try walk.bear(error, location)
      }
      return
    }
    guard depth < TreeWalk.deepest else { return walk.failures.append(.tooDeep(location)) }
    try make(path)
    do throws(ServiceError) {
      try await children(of: location) { rows, listing throws(ServiceError) in
        let names = FileNames(rows.map { listing.value("name", in: $0).exactText })
        for (row, name) in zip(rows, names.unique) {
          let size: Int64? = if case .size(let size) = listing.value("size", in: row) { size } else { nil }
          try await fetch(
            row.location, isContainer: row.opening == .listing, size: size, to: FilePath.joined(path, name), &walk,
            control, depth: depth + 1)
        }
      }
    } catch {
      try walk.bear(error, location)
    }
  }

  /// All rows of a container that are worth fetching.
  private func children(
    of location: Location, _ body: ([Row], Listing) async throws(ServiceError) -> Void
  ) async throws(ServiceError) {
    var query = ListQuery(limit: 500)
    repeat {
      let listing = try await list(location, query)
      try await body(listing.rows.filter { $0.hasContent || $0.opening == .listing }, listing)
      query.cursor = listing.next
    } while query.cursor != nil
  }

  private func make(_ path: String) throws(ServiceError) {
    do throws(FileError) { try Files.makeDirectory(path) } catch {
      throw error.serviceError("make the directory \(path)")
    }
  }

  // MARK: Upload

  /// Uploads a file, or a directory with all that is in it. Where a name is taken the person decides.
  @MainActor
  package func startUpload(path: String, to location: Location) -> Int {
    guard Files.isDirectory(path) else {
      return startUpload(file: path, to: location, decision: clash(location, isMany: false))
    }
    let name = FilePath.lastName(of: path)
    return jobs.add(.upload, name, location) { [self] control throws(ServiceError) in
      let plan = try UploadPlan(path)
      let decision = await clash(location, isMany: true)
      var places: [String: Location] = [:]
      for folder in plan.folders {
        let above = folder.contains("/") ? places[FilePath.directory(of: folder)] ?? location : location
        places[folder] = try await folderPlace(FilePath.lastName(of: folder), in: above)
      }
      var done: Int64 = 0
      for file in plan.files {
        await control.gate.pass()
        if Task.isCancelled { throw .cancelled("upload \(name)") }
        guard let place = places[FilePath.directory(of: file.path)] else { continue }
        let source: FileSource
        let absolute = FilePath.joined(FilePath.directory(of: path), file.path)
        do throws(FileError) { source = try FileSource(absolute) } catch { throw error.serviceError("upload \(name)") }
        let base = done
        let title = FilePath.lastName(of: file.path)
        let request = UploadRequest(
          source, name: title, mediaType: MediaType.ofFile(named: title), whenTaken: decision)
        _ = try await upload(request, to: place) { [progress = control.progress] bytes, _ in
          progress(base + bytes, plan.total)
        }
        done += file.size
      }
      return .location(places[name] ?? location)
    }
  }

  /// Makes a folder, or takes the one that is there.
  private func folderPlace(_ name: String, in parent: Location) async throws(ServiceError) -> Location {
    do throws(ServiceError) {
      let made = try await perform("new-folder", at: parent, fields: ["name": name])
      return made.location ?? parent.appending(name)
    } catch {
      guard error.code == .conflict else { throw error }
      var query = ListQuery(limit: 500)
      repeat {
        let listing = try await list(parent, query)
        let found = listing.rows.first { row in
          row.opening == .listing && listing.value("name", in: row).exactText.lowercased() == name.lowercased()
        }
        if let found { return found.location }
        query.cursor = listing.next
      } while query.cursor != nil
      throw error
    }
  }

  /// Asks what to do with a taken name; of many files also once for all that follow.
  @MainActor
  private func clash(_ location: Location, isMany: Bool) -> UploadRequest.ClashDecision {
    let asker = parts.surroundings.asker
    let memory = ClashMemory()
    return { name throws(ServiceError) in
      if let known = memory.forAll { return known }
      let question = Question(
        connection: location.connection, title: "“\(name)” is there already",
        message: "What should become of the file you are uploading to \(location)?",
        kind: .choice(ClashMemory.choices(isMany: isMany)))
      guard case .chosen(let word) = try await asker.ask(question) else { throw .cancelled("upload \(name)") }
      return try memory.take(word, "upload \(name)")
    }
  }
}
