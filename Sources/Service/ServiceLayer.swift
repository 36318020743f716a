import Model
import Store
import Synchronization
import Wire

/// Makes the back end of one kind from its connection, its transport and its surroundings.
package typealias BackendMaker =
  @Sendable (Connection, any Transport, Surroundings) throws(ServiceError) -> any Backend

/// Makes the transport of a connection from its settings and its name.
package typealias TransportMaker = @Sendable (TransportSettings, _ connection: String) -> any Transport

/// The only way from the browser and the commands to the back ends: connections, sign-in, sharing, cache and jobs.
///
/// Everything here may be called from any task; the forms with a completion belong to the main actor.
package final class ServiceLayer: Sendable {
  /// What the service layer needs from outside.
  package struct Parts: Sendable {
    package var makers: [BackendKind: BackendMaker]
    package var transport: TransportMaker
    /// Where the transports note every exchange.
    package var log: ExchangeLog
    package var surroundings: Surroundings
    package var environment: [String: String]
    package var paths: StandardPaths

    package init(
      makers: [BackendKind: BackendMaker], transport: @escaping TransportMaker, log: ExchangeLog,
      surroundings: Surroundings, environment: [String: String], paths: StandardPaths
    ) {
      self.makers = makers
      self.transport = transport
      self.log = log
      self.surroundings = surroundings
      self.environment = environment
      self.paths = paths
    }
  }

  package let jobs = JobCenter()
  let parts: Parts
  private let state: Mutex<State>

  private struct State {
    var configuration: Configuration
    var doors: [String: Door] = [:]
  }

  package init(_ configuration: Configuration, _ parts: Parts) {
    self.parts = parts
    state = Mutex(State(configuration: configuration))
  }

  package var configuration: Configuration { state.withLock { $0.configuration } }
  package var connections: [Connection] { configuration.connections }
  /// Whether what a sign-in obtains outlives the process.
  package var keepsSecrets: Bool { parts.surroundings.keeper.isLasting }
  /// Every exchange of every connection, without its secrets.
  package var log: ExchangeLog { parts.log }
  package var isOffline: Bool { parts.surroundings.isOffline }

  /// Takes a changed configuration. Connections that are as before stay open and signed in; changed ones are opened anew
  /// when next needed.
  package func adopt(_ configuration: Configuration) {
    state.withLock { state in
      let kept = state.doors.filter { name, door in
        configuration.connection(named: name).map { $0.isSame(as: door.connection) } ?? false
      }
      state = State(configuration: configuration, doors: kept)
    }
  }

  func door(_ name: String) throws(ServiceError) -> Door {
    try state.withLock { state throws(ServiceError) in
      if let door = state.doors[name] { return door }
      let connection = try state.configuration.requiredConnection(named: name)
      let surroundings = parts.surroundings
      let door = Door(connection, clock: surroundings.clock, isOffline: surroundings.isOffline) {
        [parts] () async throws(ServiceError) in try await parts.backend(of: connection)
      }
      state.doors[name] = door
      return door
    }
  }

  /// Makes the connection ready before somebody asks for something, so that the first answer comes sooner. Says nothing
  /// when it fails: the first request will.
  package func prepare(_ name: String) {
    guard let door = try? door(name) else { return }
    Task { _ = try? await door.backend() }
  }
}

extension ServiceLayer.Parts {
  fileprivate func backend(of connection: Connection) async throws(ServiceError) -> any Backend {
    guard let make = makers[connection.kind] else {
      throw ServiceError(.notOffered, "open \(connection.name)", detail: "this build has no \(connection.kind.title)")
    }
    guard !surroundings.isOffline else { return try make(connection, OfflineTransport(), surroundings) }
    let settings = try await TransportSettings(connection, environment: environment, secrets: surroundings.secrets)
    return try make(connection, transport(settings, connection.name), surroundings)
  }
}

// The five nouns, as tasks.
extension ServiceLayer {
  package func capabilities(of connection: String) async throws(ServiceError) -> Capabilities {
    try await door(connection).backend().capabilities
  }

  package func nature(of location: Location) async throws(ServiceError) -> LocationNature {
    try await door(location.connection).nature(of: location)
  }

  /// A page, live. Equal requests in flight share one exchange.
  package func list(_ location: Location, _ query: ListQuery = ListQuery()) async throws(ServiceError) -> Listing {
    try await door(location.connection).list(location, query)
  }

  package func item(_ location: Location) async throws(ServiceError) -> Item {
    try await door(location.connection).item(location)
  }

  package func search(_ connection: String, _ request: SearchRequest) async throws(ServiceError) -> Listing {
    try await door(connection).search(request)
  }

  /// The page as it was last received, marked with that moment; nil when it is not kept.
  package func keptListing(_ location: Location, _ query: ListQuery = ListQuery()) -> Listing? {
    try? door(location.connection).cache.listing(AnswerCache.ListingKey(location: location, query: query))
  }

  package func keptItem(_ location: Location) -> Item? {
    try? door(location.connection).cache.item(location)
  }

  /// The rows of a container as somebody wants to see them, handed over page by page.
  package func arranged(
    _ location: Location, _ arrangement: Arrangement, bounds: PageBounds = .standard,
    _ body: (Listing) async throws(ServiceError) -> Void
  ) async throws(ServiceError) {
    try await arranger(location, arrangement, bounds).each(body)
  }

  /// The same in one listing.
  package func arranged(_ location: Location, _ arrangement: Arrangement) async throws(ServiceError) -> Listing {
    try await arranger(location, arrangement, .standard).whole()
  }

  /// A search, arranged in the same way.
  package func arranged(
    _ connection: String, _ request: SearchRequest, _ arrangement: Arrangement
  ) async throws(ServiceError) -> Listing {
    let door = try door(connection)
    return try await Arranger(
      operation: "search \(connection)", arrangement: arrangement, bounds: .standard
    ) { query throws(ServiceError) in
      var request = request
      request.query = query
      return try await door.search(request)
    }.whole()
  }

  private func arranger(
    _ location: Location, _ arrangement: Arrangement, _ bounds: PageBounds
  ) throws(ServiceError) -> Arranger {
    let door = try door(location.connection)
    return Arranger(operation: "list \(location)", arrangement: arrangement, bounds: bounds) {
      query throws(ServiceError) in try await door.list(location, query)
    }
  }
}

// Pictures and forms of other programs.
extension ServiceLayer {
  package func charts(of location: Location) async throws(ServiceError) -> [Chart] {
    try await door(location.connection).signedIn { backend throws(ServiceError) in
      try await backend.charts(of: location)
    }
  }

  /// What a listing can be exported to beside CSV and JSON.
  package func exportFormats(of location: Location) async throws(ServiceError) -> [ExportFormat] {
    try await door(location.connection).backend().exportFormats(of: location)
  }

  /// The kind's own format with this id.
  ///
  /// - Throws: `.usage` naming the formats there are.
  package func exportFormat(_ id: String, of location: Location) async throws(ServiceError) -> ExportFormat {
    let formats = try await exportFormats(of: location)
    if let format = formats.first(where: { $0.id == id }) { return format }
    let known = RowForm.allCases.map(\.rawValue) + formats.map(\.id)
    throw ServiceError(
      .usage, "export \(location)", detail: "there is no format “\(id)” here",
      remedy: "Formats here: \(known.joined(separator: ", ")).")
  }
}

// What changes something.
extension ServiceLayer {
  package func upload(
    _ request: UploadRequest, to location: Location, progress: @escaping Progress = { _, _ in }
  ) async throws(ServiceError) -> Location {
    let operation = "upload to \(location)"
    return try await door(location.connection).writing(
      operation, beforeRepeat: { () throws(ServiceError) in try request.source.rewound(operation) }
    ) { backend throws(ServiceError) in try await backend.upload(request, to: location, progress: progress) }
  }

  package func delete(_ location: Location) async throws(ServiceError) -> ActionOutcome {
    try await door(location.connection).writing("delete \(location)") { backend throws(ServiceError) in
      try await backend.delete(location)
    }
  }

  package func perform(
    _ action: String, at location: Location, fields: [String: String]
  ) async throws(ServiceError) -> ActionOutcome {
    try await door(location.connection).writing(location.doing(action)) { backend throws(ServiceError) in
      try await backend.perform(action, at: location, fields: fields)
    }
  }

  /// Sends what waits in a connection's offline store and fetches what has changed.
  package func synchronize(
    _ connection: String, progress: @escaping Progress = { _, _ in }
  ) async throws(ServiceError) -> ActionOutcome {
    try await door(connection).synchronize(progress)
  }

  package func call(
    _ connection: String, _ call: RawCall, to sink: any ByteSink
  ) async throws(ServiceError) -> RawReply {
    let operation = "call \(call.method) \(call.path)"
    let door = try door(connection)
    let rewind = { () throws(ServiceError) in try call.body?.rewound(operation) ?? () }
    if call.isSafe {
      return try await door.signedIn(beforeRepeat: rewind) { backend throws(ServiceError) in
        try await backend.call(call, to: sink)
      }
    }
    return try await door.writing(operation, beforeRepeat: rewind) { backend throws(ServiceError) in
      try await backend.call(call, to: sink)
    }
  }

  package func signIn(
    _ connection: String, _ request: SignInRequest = SignInRequest()
  ) async throws(ServiceError) -> SignInState {
    try await door(connection).signIn(request)
  }

  package func signOut(
    _ connection: String, _ request: SignOutRequest = SignOutRequest()
  ) async throws(ServiceError) {
    try await door(connection).signOut(request)
  }

  package func signInState(_ connection: String, verifying: Bool = false) async throws(ServiceError) -> SignInState {
    try await door(connection).backend().signInState(verifying: verifying)
  }
}

extension ByteSource {
  func rewound(_ operation: String) throws(ServiceError) {
    do {
      try rewind()
    } catch {
      throw ServiceError(
        .signInNeeded, operation, detail: "the data cannot be sent a second time after signing in",
        remedy: "Sign in first, then try again.", cause: error)
    }
  }
}

// For tests.
extension ServiceLayer {
  /// How many wait for the first page of a container.
  func waitingReads(_ connection: String, _ location: Location) throws(ServiceError) -> Int {
    try door(connection).waitingReads(location)
  }
}
