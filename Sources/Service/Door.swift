import Model
import Store
import Synchronization
import Wire

/// One connection from the inside: its back end, made when first needed, with sign-in, sharing and cache around it.
final class Door: Sendable {
  typealias Maker = @Sendable () async throws(ServiceError) -> any Backend

  let connection: Connection
  let cache = AnswerCache()
  private let clock: any WallClock
  private let isOffline: Bool
  private let make: Maker
  private let made = Mutex<(any Backend)?>(nil)
  private let making = Coalescer<Int, any Backend>()
  private let gate = SignInGate()
  private let listings = Coalescer<ReadKey<AnswerCache.ListingKey>, Listing>()
  private let items = Coalescer<ReadKey<Location>, Item>()
  private let natures = Coalescer<ReadKey<Location>, LocationNature>()
  private let searches = Coalescer<ReadKey<SearchRequest>, Listing>()

  /// Equal reads share an exchange only when no write lies between them.
  private struct ReadKey<Key: Hashable & Sendable>: Hashable, Sendable {
    let key: Key
    let epoch: Int
  }

  init(_ connection: Connection, clock: any WallClock, isOffline: Bool, make: @escaping Maker) {
    self.connection = connection
    self.clock = clock
    self.isOffline = isOffline
    self.make = make
  }

  func backend() async throws(ServiceError) -> any Backend {
    if let backend = made.withLock({ $0 }) { return backend }
    return try await making.value(for: 0, "open \(connection.name)") {
      [self] () async throws(ServiceError) -> any Backend in
      if let backend = made.withLock({ $0 }) { return backend }
      let backend = try await make()
      made.withLock { $0 = backend }
      return backend
    }
  }

  /// The back end, when it has been made.
  var backendIfMade: (any Backend)? { made.withLock { $0 } }
}

// Reads.
extension Door {
  func list(_ location: Location, _ query: ListQuery) async throws(ServiceError) -> Listing {
    let key = AnswerCache.ListingKey(location: location, query: query)
    let epoch = cache.epoch
    return try await listings.value(for: ReadKey(key: key, epoch: epoch), "list \(location)") {
      [self] () async throws(ServiceError) -> Listing in
      let listing = try await signedIn { backend throws(ServiceError) in try await backend.list(location, query) }
      let guarded = guarding(listing)
      cache.keep(guarded, for: key, at: clock.now(), epoch: epoch)
      return guarded
    }
  }

  func item(_ location: Location) async throws(ServiceError) -> Item {
    let epoch = cache.epoch
    return try await items.value(for: ReadKey(key: location, epoch: epoch), "open \(location)") {
      [self] () async throws(ServiceError) -> Item in
      var item = try await signedIn { backend throws(ServiceError) in try await backend.item(location) }
      item.actions = item.actions.map(guarding)
      cache.keep(item, for: location, at: clock.now(), epoch: epoch)
      return item
    }
  }

  func nature(of location: Location) async throws(ServiceError) -> LocationNature {
    if let nature = cache.nature(location) { return nature }
    let epoch = cache.epoch
    return try await natures.value(for: ReadKey(key: location, epoch: epoch), "open \(location)") {
      [self] () async throws(ServiceError) -> LocationNature in
      let nature = try await signedIn { backend throws(ServiceError) in try await backend.nature(of: location) }
      cache.keep(nature, for: location, epoch: epoch)
      return nature
    }
  }

  func search(_ request: SearchRequest) async throws(ServiceError) -> Listing {
    try await searches.value(for: ReadKey(key: request, epoch: cache.epoch), "search \(connection.name)") {
      [self] () async throws(ServiceError) -> Listing in
      let listing = try await signedIn { backend throws(ServiceError) in try await backend.search(request) }
      return guarding(listing)
    }
  }

  /// Runs a request against the back end, with one sign-in and one repeat when it asks for it.
  func signedIn<Value: Sendable>(
    beforeRepeat: () throws(ServiceError) -> Void = {},
    _ request: (any Backend) async throws(ServiceError) -> Value
  ) async throws(ServiceError) -> Value {
    let backend = try await backend()
    return try await gate.passing(
      { () async throws(ServiceError) in try await request(backend) }, beforeRepeat: beforeRepeat
    ) { [self] () async throws(ServiceError) -> SignInState in
      guard !isOffline else { throw ServiceError(.offline, "sign in to \(connection.name)") }
      let state = try await backend.signIn(SignInRequest())
      // What was seen as nobody, or as somebody else, is not what this person sees.
      cache.forgetAll()
      return state
    }
  }

  /// How many wait for the first page of a container; for tests.
  func waitingReads(_ location: Location) -> Int {
    listings.waiters(
      for: ReadKey(key: AnswerCache.ListingKey(location: location, query: ListQuery()), epoch: cache.epoch))
  }

  private func guarding(_ listing: Listing) -> Listing {
    guard connection.isReadOnly else { return listing }
    var listing = listing
    listing.actions = listing.actions.map(guarding)
    return listing
  }

  private func guarding(_ action: Action) -> Action {
    guard connection.isReadOnly, action.disabled == nil else { return action }
    return Action(
      action.id, action.title, fields: action.fields, disabled: "this connection is read-only", warning: action.warning)
  }
}

// Writes.
extension Door {
  /// Runs something that changes the server. Nothing kept before it is believed after it, even when it failed: the
  /// failure may have come after the change.
  func writing<Value: Sendable>(
    _ operation: String, beforeRepeat: () throws(ServiceError) -> Void = {},
    _ request: (any Backend) async throws(ServiceError) -> Value
  ) async throws(ServiceError) -> Value {
    guard !connection.isReadOnly else { throw ServiceError(.readOnly, operation) }
    do throws(ServiceError) {
      let value = try await signedIn(beforeRepeat: beforeRepeat, request)
      cache.forgetAll()
      return value
    } catch {
      cache.forgetAll()
      throw error
    }
  }

  /// Synchronises, also a connection that is read-only: nothing of it waits to be sent.
  func synchronize(_ progress: @escaping Progress) async throws(ServiceError) -> ActionOutcome {
    defer { cache.forgetAll() }
    return try await signedIn { backend throws(ServiceError) in try await backend.synchronize(progress: progress) }
  }

  /// Nobody is asked for a password that cannot be sent.
  func signIn(_ request: SignInRequest) async throws(ServiceError) -> SignInState {
    guard !isOffline else { throw ServiceError(.offline, "sign in to \(connection.name)") }
    let backend = try await backend()
    let state = try await backend.signIn(request)
    gate.record(.success(state))
    cache.forgetAll()
    return state
  }

  func signOut(_ request: SignOutRequest) async throws(ServiceError) {
    let backend = try await backend()
    try await backend.signOut(request)
    cache.forgetAll()
  }
}
