package import Model
import Synchronization

/// What every back end promises the service layer, checked by walking through one.
///
/// The walk starts at the root, follows rows and links level by level, and looks at a bounded number of places. It
/// changes nothing on the server.
package struct BackendContract: Sendable {
  private let backend: any Backend
  private let connection: String
  private let mostPlaces: Int

  package init(_ backend: any Backend, connection: String, mostPlaces: Int = 40) {
    self.backend = backend
    self.connection = connection
    self.mostPlaces = mostPlaces
  }

  /// What was found, and every promise that was broken, in words.
  package struct Report: Sendable {
    package var listings = 0
    package var items = 0
    package var downloads = 0
    package var violations: [String] = []
  }

  package func walk() async -> Report {
    var report = Report()
    var queue = [(location: Location(connection: connection), opening: Row.Opening?.none)]
    var seen: Set<Location> = [Location(connection: connection)]
    var places = 0
    while places < mostPlaces, !queue.isEmpty {
      let (location, opening) = queue.removeFirst()
      places += 1
      for next in await look(at: location, opening, &report) where seen.insert(next.location).inserted {
        queue.append((next.location, next.opening))
      }
    }
    await missing(&report)
    await cancelled(&report)
    return report
  }

  /// Signing out ends what signing in began.
  package func signInAndOut() async -> [String] {
    do throws(ServiceError) {
      var broken: [String] = []
      if try await !backend.signIn(SignInRequest()).isSignedIn { broken.append("after signIn nobody is signed in") }
      if try await !backend.signInState(verifying: true).isSignedIn {
        broken.append("the state after signIn says nobody is signed in")
      }
      try await backend.signOut(SignOutRequest())
      _ = try await backend.signInState(verifying: false)
      return broken
    } catch {
      return ["signing in and out failed: \(error.message)"]
    }
  }
}

extension BackendContract {
  private typealias Place = (location: Location, opening: Row.Opening?)

  private func look(at location: Location, _ opening: Row.Opening?, _ report: inout Report) async -> [Place] {
    let nature: LocationNature
    do throws(ServiceError) {
      nature = try await backend.nature(of: location)
    } catch {
      report.violations += refusal(location, "nature", error)
      return []
    }
    switch (opening, nature) {
    case (.listing, .item): report.violations.append("\(location): its row opens a listing, but it is an item")
    case (.item, .container): report.violations.append("\(location): its row opens an item, but it is a container")
    default: break
    }
    var next: [Place] = []
    if nature != .item { next += await list(location, &report) }
    if nature != .container { next += await show(location, &report) }
    return next
  }

  private func list(_ location: Location, _ report: inout Report) async -> [Place] {
    do throws(ServiceError) {
      let listing = try await backend.list(location, ListQuery(limit: 5))
      report.listings += 1
      report.violations += check(listing, asked: location)
      if let next = listing.next { report.violations += try await page(location, listing, next) }
      // A few of many: the walk is about kinds of places, not about all of them.
      let rows = listing.rows.prefix(3) + listing.rows.suffix(1)
      for row in rows where row.hasContent { report.violations += await fetch(row.location, &report) }
      return rows.filter { $0.opening != .nothing }.map { ($0.location, $0.opening) }
    } catch {
      report.violations += refusal(location, "list", error)
      return []
    }
  }

  /// Some places belong to others, or wait for what this walk does not do; that has to be said in an ordinary way.
  private func refusal(_ location: Location, _ word: String, _ error: ServiceError) -> [String] {
    switch error.code {
    case .forbidden, .notOffered, .vaultLocked, .signInRefused, .signInNeeded: []
    default: ["\(location): \(word) failed: \(error.message)"]
    }
  }

  private func check(_ listing: Listing, asked: Location) -> [String] {
    var broken: [String] = []
    let ids = listing.columns.map(\.id)
    if Set(ids).count != ids.count { broken.append("a column twice: \(ids)") }
    if ids.contains("location") { broken.append("a column takes the name of the row's location") }
    if listing.location.connection != connection { broken.append("it says it is \(listing.location)") }
    let places = listing.rows.filter { $0.opening != .nothing }.map(\.location)
    if Set(places).count != places.count { broken.append("two rows lead to the same place") }
    for row in listing.rows {
      if row.location.connection != connection { broken.append("a row leads to \(row.location)") }
      if (try? Location(parsing: row.location.text)) != row.location {
        broken.append("the row’s location \(row.location) is not accepted back")
      }
      guard row.values.count == listing.columns.count else {
        broken.append("a row of \(row.values.count) values under \(listing.columns.count) columns")
        continue
      }
      for (column, value) in zip(listing.columns, row.values) where !value.fits(column.kind) {
        broken.append("the column \(column.id) of kind \(column.kind) holds \(value)")
      }
    }
    broken += check(listing.actions)
    return broken.map { "\(asked): \($0)" }
  }

  private func page(_ location: Location, _ first: Listing, _ next: String) async throws(ServiceError) -> [String] {
    let second = try await backend.list(location, ListQuery(limit: 5, cursor: next))
    var broken = check(second, asked: location)
    if second.columns.map(\.id) != first.columns.map(\.id) {
      broken.append("\(location): its second page has other columns")
    }
    let known = Set(first.rows.filter { $0.opening != .nothing }.map(\.location))
    let again = second.rows.filter { known.contains($0.location) }
    if !again.isEmpty { broken.append("\(location): its second page repeats \(again[0].location)") }
    return broken
  }

  private func show(_ location: Location, _ report: inout Report) async -> [Place] {
    do throws(ServiceError) {
      let item = try await backend.item(location)
      report.items += 1
      var broken: [String] = []
      let ids = item.fields.map(\.id)
      if Set(ids).count != ids.count { broken.append("a field twice: \(ids.sorted())") }
      // A field of kind text may hold anything: servers have properties of their own.
      for field in item.fields where field.kind != .text && !field.value.fits(field.kind) {
        broken.append("the field \(field.id) of kind \(field.kind) holds \(field.value)")
      }
      if item.location.connection != connection { broken.append("it says it is \(item.location)") }
      broken += check(item.actions)
      report.violations += broken.map { "\(location): \($0)" }
      return item.related.map { ($0.location, nil) }
    } catch {
      report.violations += refusal(location, "item", error)
      return []
    }
  }

  private func check(_ actions: [Action]) -> [String] {
    var broken: [String] = []
    if Set(actions.map(\.id)).count != actions.count { broken.append("an action twice: \(actions.map(\.id))") }
    for action in actions {
      let ids = action.fields.map(\.id)
      if Set(ids).count != ids.count { broken.append("the action \(action.id) has a field twice") }
      if action.id.contains(" ") || ids.contains(where: { $0.contains("=") || $0.contains(" ") }) {
        broken.append("the action \(action.id) cannot be written on a command line")
      }
    }
    return broken
  }

  private func fetch(_ location: Location, _ report: inout Report) async -> [String] {
    let sink = CountingSink()
    do throws(ServiceError) {
      let head = try await backend.download(location, DownloadRequest(), to: sink) { _, _ in }
      report.downloads += 1
      let (begins, bytes) = sink.counts
      var broken: [String] = []
      if begins != 1 { broken.append("the sink was begun \(begins) times") }
      if let size = head.size, size != bytes { broken.append("\(bytes) bytes came, \(size) were promised") }
      if head.name.isEmpty { broken.append("its content has no name") }
      return broken.map { "\(location): \($0)" }
    } catch {
      return refusal(location, "download", error)
    }
  }

  /// A place that is not there is said to be so.
  private func missing(_ report: inout Report) async {
    let location = Location(connection: connection, path: ["no such place", "at all"])
    do throws(ServiceError) {
      _ = try await backend.list(location, ListQuery())
      report.violations.append("a place that is not there can be listed")
    } catch {
      if error.code != .notFound { report.violations.append("a missing place fails with \(error.code)") }
    }
  }

  /// A cancelled request ends as cancelled, whether its answer was kept or not.
  private func cancelled(_ report: inout Report) async {
    let location = Location(connection: connection)
    let task = Task { [backend] () async -> ServiceError? in
      while !Task.isCancelled { await Task.yield() }
      do throws(ServiceError) {
        _ = try await backend.call(RawCall("GET", "/"), to: CountingSink())
        return nil
      } catch {
        return error
      }
    }
    task.cancel()
    if let error = await task.value, error.code != .cancelled, error.code != .notOffered {
      report.violations.append("\(location): a cancelled call fails with \(error.code)")
    }
  }
}

extension Value {
  /// Whether a column of this kind may hold the value.
  fileprivate func fits(_ kind: Column.Kind) -> Bool {
    switch (self, kind) {
    case (.null, _), (.text, .text), (.text, .currency), (.list, .text): true
    case (.integer, .integer), (.integer, .decimal), (.decimal, .decimal), (.money, .amount): true
    case (.time, .time), (.date, .date), (.time, .date), (.size, .size), (.flag, .flag): true
    default: false
    }
  }
}

private final class CountingSink: ByteSink {
  private let state = Mutex((begins: 0, bytes: Int64(0)))

  var counts: (begins: Int, bytes: Int64) { state.withLock { $0 } }

  func begin(_ head: ContentHead, at offset: Int64) { state.withLock { $0.begins += 1 } }
  func write(_ bytes: UnsafeRawBufferPointer) { state.withLock { $0.bytes += Int64(bytes.count) } }
}
