import Model

/// Bounds of loading everything; beyond them a listing says that it is not complete.
package struct PageBounds: Sendable {
  package var rows = 1_000_000
  package var pages = 20_000
  package static let standard = PageBounds()
  package init(rows: Int = 1_000_000, pages: Int = 20_000) {
    self.rows = rows
    self.pages = pages
  }
}

/// Walks the pages of a listing; while one is worked on, the next is already under way.
struct Pages: Sendable {
  typealias Load = @Sendable (_ cursor: String?) async throws(ServiceError) -> Listing
  let operation: String
  let bounds: PageBounds
  let load: Load

  /// Hands over page after page until there are no more or `body` says false.
  ///
  /// - Throws: What `load` throws; `.unreadable` when a cursor leads to itself; `.tooLarge` beyond the bounds.
  func each(
    from cursor: String? = nil, first: Listing? = nil,
    _ body: (Listing) async throws(ServiceError) -> Bool
  ) async throws(ServiceError) {
    var page: Listing
    if let first { page = first } else { page = try await load(cursor) }
    var seen: Set<String> = cursor.map { [$0] } ?? []
    var (rows, pages) = (0, 0)
    while true {
      rows += page.rows.count
      pages += 1
      guard let next = page.next else {
        _ = try await body(page)
        return
      }
      guard seen.insert(next).inserted else {
        throw ServiceError(.unreadable, operation, detail: "the server's pages lead in a circle")
      }
      guard rows < bounds.rows, pages < bounds.pages else {
        _ = try await body(page)
        throw ServiceError(
          .tooLarge, operation, detail: "there are more than \(rows) rows",
          remedy: "Narrow it with a filter, or go on page by page with --cursor.")
      }
      let following = Task { [load] () async -> Result<Listing, ServiceError> in
        do throws(ServiceError) { return .success(try await load(next)) } catch { return .failure(error) }
      }
      let result = try await withTaskCancellation(of: following) { () async throws(ServiceError) -> Listing? in
        try await body(page) ? try await following.value.get() : nil
      }
      guard let result else { return }
      page = result
    }
  }

  /// Ends the other task when this one is cancelled, fails, or does not want it any more.
  private func withTaskCancellation<Value>(
    of task: Task<Value, Never>, _ body: () async throws(ServiceError) -> Listing?
  ) async throws(ServiceError) -> Listing? {
    let result: Result<Listing?, ServiceError> = await withTaskCancellationHandler {
      do throws(ServiceError) { return .success(try await body()) } catch { return .failure(error) }
    } onCancel: {
      task.cancel()
    }
    if case .success(.some) = result {} else { task.cancel() }
    return try result.get()
  }
}
