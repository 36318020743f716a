package import Model
import Synchronization

/// A back end that does what a test tells it: each function is a closure, and every call is noted.
package final class StubBackend: Backend {
  package typealias Lister = @Sendable (Location, ListQuery) async throws(ServiceError) -> Listing

  /// What the stub answers; anything not set is not offered.
  package struct Script: Sendable {
    package var nature: LocationNature = .container
    package var list: Lister?
    package var item: (@Sendable (Location) async throws(ServiceError) -> Item)?
    package var search: (@Sendable (SearchRequest) async throws(ServiceError) -> Listing)?
    package var download:
      (@Sendable (Location, DownloadRequest, any ByteSink) async throws(ServiceError) -> ContentHead)?
    package var upload: (@Sendable (UploadRequest, Location) async throws(ServiceError) -> Location)?
    package var write: (@Sendable (String, Location) async throws(ServiceError) -> ActionOutcome)?
    package var call: (@Sendable (RawCall, any ByteSink) async throws(ServiceError) -> RawReply)?
    package var signIn: (@Sendable (SignInRequest) async throws(ServiceError) -> SignInState)?
    package init() {}
  }

  package let kind = BackendKind.openbank
  package let capabilities: Capabilities = [.search, .download, .upload, .delete, .rawCall]
  private let script: Script
  private let notes = Mutex<[String]>([])
  private let signedIn = Mutex(false)

  package init(_ script: Script = Script()) { self.script = script }

  package convenience init(_ make: (inout Script) -> Void) {
    var script = Script()
    make(&script)
    self.init(script)
  }

  /// Every call so far, such as `list bank:/banks`.
  package var calls: [String] { notes.withLock { $0 } }
  package func count(of call: String) -> Int { calls.count { $0.hasPrefix(call) } }
  /// Whether a sign-in has succeeded.
  package var isSignedIn: Bool { signedIn.withLock { $0 } }

  private func note(_ call: String) { notes.withLock { $0.append(call) } }

  package func nature(of location: Location) async throws(ServiceError) -> LocationNature {
    note("nature \(location)")
    return script.nature
  }

  package func list(_ location: Location, _ query: ListQuery) async throws(ServiceError) -> Listing {
    note("list \(location)")
    guard let list = script.list else { throw .notOffered("list \(location)") }
    return try await list(location, query)
  }

  package func item(_ location: Location) async throws(ServiceError) -> Item {
    note("item \(location)")
    guard let item = script.item else { throw .notOffered("open \(location)") }
    return try await item(location)
  }

  package func search(_ request: SearchRequest) async throws(ServiceError) -> Listing {
    note("search \(request.text)")
    guard let search = script.search else { throw .notOffered("search") }
    return try await search(request)
  }

  package func download(
    _ location: Location, _ request: DownloadRequest, to sink: any ByteSink, progress: @escaping Progress
  ) async throws(ServiceError) -> ContentHead {
    note("download \(location) from \(request.offset)")
    guard let download = script.download else { throw .notOffered("download \(location)") }
    return try await download(location, request, sink)
  }

  package func upload(
    _ request: UploadRequest, to location: Location, progress: @escaping Progress
  ) async throws(ServiceError) -> Location {
    note("upload \(location)")
    guard let upload = script.upload else { throw .notOffered("upload to \(location)") }
    return try await upload(request, location)
  }

  package func delete(_ location: Location) async throws(ServiceError) -> ActionOutcome {
    note("delete \(location)")
    guard let write = script.write else { throw .notOffered("delete \(location)") }
    return try await write("delete", location)
  }

  package func perform(
    _ action: String, at location: Location, fields: [String: String]
  ) async throws(ServiceError) -> ActionOutcome {
    note("\(action) \(location)")
    guard let write = script.write else { throw .notOffered("\(action) \(location)") }
    return try await write(action, location)
  }

  package func call(_ call: RawCall, to sink: any ByteSink) async throws(ServiceError) -> RawReply {
    note("call \(call.method) \(call.path)")
    guard let answer = script.call else { throw .notOffered("call \(call.path)") }
    return try await answer(call, sink)
  }

  package func signIn(_ request: SignInRequest) async throws(ServiceError) -> SignInState {
    note("signIn")
    let state = try await script.signIn?(request) ?? SignInState(isSignedIn: true, user: "susan")
    signedIn.withLock { $0 = state.isSignedIn }
    return state
  }

  package func signOut(_ request: SignOutRequest) async throws(ServiceError) {
    note("signOut")
    signedIn.withLock { $0 = false }
  }

  package func signInState(verifying: Bool) async throws(ServiceError) -> SignInState {
    note("signInState")
    return SignInState(isSignedIn: isSignedIn, user: isSignedIn ? "susan" : nil)
  }
}

extension StubBackend {
  /// A lister over rows of one numbered column, in pages, with the row's number as the cursor.
  ///
  /// - Parameters:
  ///   - count: Rows in all.
  ///   - most: The server's own limit of rows a page.
  package static func numbers(_ count: Int, most: Int = 100) -> Lister {
    { location, query throws(ServiceError) in
      let start = query.cursor.flatMap(Int.init) ?? 0
      let end = min(count, start + min(most, query.limit ?? most))
      let columns = [Column("id", "Number", .integer), Column("name", "Name")]
      let rows = (start..<end).map { number in
        // Names repeat every seven rows and run against the numbers, so that sorting by them shows.
        Row(location.appending("\(number)"), [.integer(Int64(number)), .text("row \(6 - number % 7)")])
      }
      return Listing(
        location, title: "Numbers", columns: columns, rows: rows, next: end < count ? "\(end)" : nil,
        total: .exact(count))
    }
  }
}

/// Lets a test hold work up and see who has come so far.
package final class Turnstile: Sendable {
  private struct State {
    var isOpen = false
    var arrived = 0
    var held: [CheckedContinuation<Void, Never>] = []
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  package init() {}

  package var arrived: Int { state.withLock { $0.arrived } }

  /// Waits until the turnstile opens; returns at once afterwards.
  package func pass() async {
    await withCheckedContinuation { continuation in
      let (isOpen, reached) = state.withLock { state in
        state.arrived += 1
        if !state.isOpen { state.held.append(continuation) }
        let arrived = state.arrived
        let reached = state.watchers.filter { $0.count <= arrived }.map(\.continuation)
        state.watchers.removeAll { $0.count <= arrived }
        return (state.isOpen, reached)
      }
      for watcher in reached { watcher.resume() }
      if isOpen { continuation.resume() }
    }
  }

  package func open() {
    let held = state.withLock { state in
      defer { state.held = [] }
      state.isOpen = true
      return state.held
    }
    for continuation in held { continuation.resume() }
  }

  /// Waits until so many have arrived.
  package func arrivals(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if state.arrived >= count { return true }
        state.watchers.append((count, continuation))
        return false
      }
      if isReached { continuation.resume() }
    }
  }
}
