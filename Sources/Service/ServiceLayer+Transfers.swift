import Model
import Store

// Content to and from files.
extension ServiceLayer {
  /// Streams content into a sink.
  package func download(
    _ location: Location, to sink: any ByteSink, progress: @escaping Progress = { _, _ in }
  ) async throws(ServiceError) -> ContentHead {
    try await door(location.connection).signedIn { backend throws(ServiceError) in
      try await backend.download(location, DownloadRequest(), to: sink, progress: progress)
    }
  }

  /// Downloads into `FILE.part`, continuing one that broke off when the content is the same; FILE appears when whole.
  ///
  /// - Parameter path: Absolute; an existing file is replaced at the end, a device or a pipe takes the bytes as they come.
  package func download(
    _ location: Location, toFile path: String, progress: @escaping Progress = { _, _ in }
  ) async throws(ServiceError) -> ContentHead {
    if Files.isSpecial(path) { return try await download(location, to: StreamFile(path), progress: progress) }
    let door = try door(location.connection)
    let file = try PartFile(path, from: location, ledger: PartLedger(parts.paths))
    do throws(ServiceError) {
      let head = try await door.signedIn { backend throws(ServiceError) in
        let request = file.request
        do throws(ServiceError) {
          return try await backend.download(location, request, to: file, progress: progress)
        } catch {
          // 416: the part is longer than what is there now, so it is not its beginning.
          guard error.status == 416, request.offset > 0 else { throw error }
          return try await backend.download(location, DownloadRequest(), to: file, progress: progress)
        }
      }
      try file.finish(size: head.size)
      return head
    } catch {
      file.discardIfEmpty()
      throw error
    }
  }

  /// The name to save a location's content under, safe as one name in a directory.
  package func fileName(of location: Location) async throws(ServiceError) -> String {
    let fallback = location.path.last ?? location.connection
    do {
      return FileName.safe(try await item(location).content?.name ?? fallback)
    } catch {
      // Some content has no page of its own; anything worse the download itself will say.
      guard error.code == .notOffered || error.code == .notFound else { throw error }
      return FileName.safe(fallback)
    }
  }
}

// The same as jobs.
extension ServiceLayer {
  /// Downloads into a directory, under the server's name made safe, or beside an existing file of that name.
  @MainActor
  package func startDownload(_ location: Location, into directory: String, title: String) -> Int {
    jobs.add(.download, title, location) { [self] control throws(ServiceError) in
      let name = FileName.free(try await fileName(of: location), in: directory)
      await control.retitle(name)
      let path = FilePath.joined(directory, name)
      _ = try await download(location, toFile: path, progress: control.progress)
      return .file(path)
    }
  }

  @MainActor
  package func startUpload(
    file path: String, to location: Location, keepsBoth: Bool = false, mediaType: String? = nil,
    decision: UploadRequest.ClashDecision? = nil
  ) -> Int {
    let name = FilePath.lastName(of: path)
    return jobs.add(.upload, name, location) { [self] control throws(ServiceError) in
      let source: FileSource
      do throws(FileError) { source = try FileSource(path) } catch { throw error.serviceError("upload \(name)") }
      let request = UploadRequest(
        source, name: name, mediaType: mediaType ?? MediaType.ofFile(named: name), keepsBoth: keepsBoth,
        whenTaken: decision)
      return .location(try await upload(request, to: location, progress: control.progress))
    }
  }

  /// Loads every page of a listing; `page` gets them one by one.
  @MainActor
  package func startLoading(
    _ location: Location, _ query: ListQuery, title: String, page: @escaping @MainActor @Sendable (Listing) -> Void
  ) -> Int {
    jobs.add(.loading, title, location) { [self] control throws(ServiceError) in
      var rows = 0
      try await eachPage(location, query, control) { listing throws(ServiceError) in
        rows += listing.rows.count
        await page(listing)
        return rows
      }
      return .rows(rows)
    }
  }

  /// Writes rows of a container into a file as they come; the file appears when whole.
  @MainActor
  package func startExport(
    _ location: Location, _ query: ListQuery, as form: RowForm, columns: [String]? = nil, toFile path: String,
    title: String
  ) -> Int {
    jobs.add(.export, title, location) { [self] control throws(ServiceError) in
      let file = try PartFile(path, from: location, ledger: PartLedger(parts.paths))
      var encoder: RowEncoder?
      var rows = 0
      do throws(ServiceError) {
        file.restart()
        try await eachPage(location, query, control) { listing throws(ServiceError) in
          if encoder == nil { encoder = try RowEncoder(form, listing, columns: columns) }
          encoder?.add(listing.rows)
          try file.append(encoder?.take() ?? [])
          rows += listing.rows.count
          return rows
        }
        encoder?.finish(next: nil)
        try file.append(encoder?.take() ?? [])
        try file.finish(size: nil)
      } catch {
        file.discard()
        throw error
      }
      return .file(path)
    }
  }

  /// Loads all rows of a container and writes them in a format of its kind; the file appears when whole.
  @MainActor
  package func startExport(
    _ location: Location, _ query: ListQuery, asFormat id: String, toFile path: String, title: String
  ) -> Int {
    if let form = RowForm(rawValue: id) {
      return startExport(location, query, as: form, toFile: path, title: title)
    }
    return jobs.add(.export, title, location) { [self] control throws(ServiceError) in
      let format = try await exportFormat(id, of: location)
      var whole: Listing?
      try await eachPage(location, query, control) { page throws(ServiceError) in
        if whole == nil { whole = page } else { whole?.rows += page.rows }
        return whole?.rows.count ?? 0
      }
      guard var whole else { throw ServiceError(.unreadable, "export \(location)") }
      whole.next = nil
      let bytes = try format.encode(whole)
      do throws(FileError) { try Files.replace(path, with: bytes) } catch { throw error.serviceError("write \(path)") }
      return .file(path)
    }
  }

  /// Sends what waits and fetches what has changed.
  @MainActor
  package func startSynchronization(_ connection: String) -> Int {
    jobs.add(.sync, "Synchronising \(connection)", Location(connection: connection)) {
      [self] control throws(ServiceError) in
      .words(try await synchronize(connection, progress: control.progress).message)
    }
  }

  private func eachPage(
    _ location: Location, _ query: ListQuery, _ control: JobControl,
    _ body: (Listing) async throws(ServiceError) -> Int
  ) async throws(ServiceError) {
    let door = try door(location.connection)
    var first = query
    first.limit = query.limit ?? 500
    let pages = Pages(operation: "load \(location)", bounds: .standard) { [first] cursor throws(ServiceError) in
      var query = first
      query.cursor = cursor
      return try await door.list(location, query)
    }
    try await pages.each(from: query.cursor) { listing throws(ServiceError) in
      await control.gate.pass()
      if Task.isCancelled { throw .cancelled("load \(location)") }
      let rows = try await body(listing)
      control.progress(Int64(rows), listing.total.count.map(Int64.init))
      return true
    }
  }
}

extension Total {
  /// The number, when it is exact.
  var count: Int? { if case .exact(let count) = self { count } else { nil } }
}
