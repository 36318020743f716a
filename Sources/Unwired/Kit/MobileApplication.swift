import Model
import Synchronization
import Wire

/// This application on this device for this user, to the server (`SUPApplication`).
///
/// Its identifier comes first and counts with its capitals: without one nothing else can be done.
public final class MobileApplication: Sendable {
  private struct State {
    var registration = RegistrationStatus.unregistered
    var connection = ConnectionStatus.disconnected
    var settings: ApplicationSettings?
    var condition = DeviceCondition.normal
    /// A registration or a start is under way.
    var isBusy = false
    /// What goes on in the background after a failure that heals.
    var healing: Task<Void, Never>?
  }

  public let client: UnwiredClient
  /// Statuses and what the server says in between.
  public let events = EventChannel<ApplicationEvent>()
  /// Prepared by an administrator, under an activation code.
  private let isManual: Bool
  private let pauses: [Duration]
  private let state = Mutex(State())

  /// - Parameters:
  ///   - pauses: Before each attempt that goes on in the background after a connection error, the last one again and
  ///     again; none for no such attempts.
  /// - Throws: `.usage` without an identifier (`SUPPersistenceException`), `.configuration` for a wrong property.
  public convenience init(
    identifier: String, _ properties: ConnectionProperties, transport: (any Transport)? = nil,
    pauses: [Duration] = [.seconds(1), .seconds(5), .seconds(30), .seconds(60)]
  ) throws(ServiceError) {
    guard !identifier.isEmpty else {
      throw ServiceError(
        .usage, "use the application", detail: "it has no identifier",
        remedy: "Set the identifier first, as it is configured on the server; capitals matter.")
    }
    let client = UnwiredClient(
      server: try properties.server(application: identifier),
      transport: transport ?? CurlTransport(properties.transportSettings))
    if let login = properties.loginCredentials, properties.loginCertificate == nil {
      client.session.use(user: login.user, password: login.password)
    }
    client.session.send(cookies: properties.httpCookies)
    self.init(client, isManual: properties.activationCode != nil, pauses: pauses)
  }

  init(_ client: UnwiredClient, isManual: Bool, pauses: [Duration] = []) {
    self.client = client
    self.pauses = pauses
    self.isManual = isManual
  }

  deinit { state.withLock { $0.healing }?.cancel() }

  public var applicationIdentifier: String { client.server.application }
  public var registrationStatus: RegistrationStatus { state.withLock(\.registration) }
  public var connectionStatus: ConnectionStatus { state.withLock(\.connection) }
  public var deviceCondition: DeviceCondition { state.withLock(\.condition) }
  /// Nil before the first connection.
  public var applicationSettings: ApplicationSettings? { state.withLock(\.settings) }
}

// Registering and connecting.
extension MobileApplication {
  /// Registers, which implies a connection (`registerApplication:`).
  ///
  /// - Parameter timeout: How long to wait; the attempt goes on in the background after it. Zero does not wait, nil waits
  ///   to the end.
  /// - Returns: The registration; nil when it was not waited for.
  /// - Throws: `.timedOut` after the timeout (`SUPApplicationTimeoutException`); `.signInRefused`, `.forbidden`,
  ///   `.notFound` as the server refuses; `.unreachable` without a network. All but the first are final. `.busy` while a
  ///   registration or a start is under way: the two together confuse the state.
  @discardableResult
  public func register(timeout: Duration? = nil) async throws(ServiceError) -> Registration? {
    let operation = "register the application “\(applicationIdentifier)”"
    guard !isManual else { throw NativeFeature.manualRegistration.refusal(operation) }
    try begin(operation)
    return try await within(timeout, operation) { [self] () async throws(ServiceError) in
      defer { state.withLock { $0.isBusy = false } }
      return try await registering()
    }
  }

  /// What still goes on in the background gives way.
  private func begin(_ operation: String) throws(ServiceError) {
    let isFree = state.withLock { state in
      guard !state.isBusy else { return false }
      state.isBusy = true
      state.healing?.cancel()
      state.healing = nil
      return true
    }
    guard isFree else {
      throw ServiceError(
        .busy, operation, detail: "another attempt is under way", remedy: "Wait for its status, or stop the connection."
      )
    }
  }

  private func registering() async throws(ServiceError) -> Registration {
    become(.registering)
    let made: Registration
    do throws(ServiceError) {
      made = try await client.register()
    } catch {
      report(error)
      become(.registrationError, error)
      throw error
    }
    become(.connecting)
    let registration: Registration
    do throws(ServiceError) {
      // What the answer left out, and the policy, come with a look at the whole.
      registration = try await client.registration()
    } catch {
      // It stands on the server: what is missing is only the connection.
      adopt(made)
      report(error)
      lost(error)
      return made
    }
    adopt(registration)
    become(.connected)
    become(.registered)
    return registration
  }

  /// Connects as an existing registration (`startConnection:`); not to be combined with `register`.
  ///
  /// - Throws: `.notFound` when an administrator removed the registration, `.signInRefused` for refused credentials;
  ///   `.timedOut` as in `register`. What cannot be reached is tried again in the background.
  @discardableResult
  public func startConnection(as id: String, timeout: Duration? = nil) async throws(ServiceError) -> Registration? {
    let operation = "connect to “\(applicationIdentifier)”"
    try begin(operation)
    return try await within(timeout, operation) { [self] () async throws(ServiceError) in
      defer { state.withLock { $0.isBusy = false } }
      return try await connecting(as: id)
    }
  }

  private func connecting(as id: String) async throws(ServiceError) -> Registration {
    become(.connecting)
    do throws(ServiceError) {
      let registration = try await client.connect(as: id)
      adopt(registration)
      become(.connected)
      become(.registered)
      return registration
    } catch {
      report(error)
      if error.code == .notFound {
        become(.disconnected, error)
        become(.unregistered, error)
      } else {
        lost(error)
      }
      throw error
    }
  }

  /// Takes leave of the server; the registration stays (`stopConnection:`).
  public func stopConnection() {
    state.withLock { state in
      state.healing?.cancel()
      state.healing = nil
    }
    become(.disconnecting)
    client.session.disconnect()
    become(.disconnected)
  }

  /// Disconnects and removes the registration on the server (`unregisterApplication:`).
  public func unregister() async throws(ServiceError) {
    become(.disconnecting)
    become(.disconnected)
    become(.unregistering)
    do throws(ServiceError) {
      try await client.unregister()
    } catch {
      become(.registrationError, error)
      throw error
    }
    become(.unregistered)
  }

  /// Looks at the settings again and tells what has changed since (`onApplicationSettingsChanged`).
  @discardableResult
  public func refreshSettings() async throws(ServiceError) -> ApplicationSettings {
    let settings = ApplicationSettings(try await client.registration())
    adopt(settings)
    return settings
  }
}

// Statuses.
extension MobileApplication {
  private func become(_ status: RegistrationStatus, _ error: ServiceError? = nil) {
    state.withLock { $0.registration = status }
    events.post(.registration(status, error))
  }

  private func become(_ status: ConnectionStatus, _ error: ServiceError? = nil) {
    state.withLock { $0.connection = status }
    events.post(.connection(status, error))
  }

  private func become(_ condition: DeviceCondition) {
    let isNew = state.withLock { state in
      defer { state.condition = condition }
      return state.condition != condition
    }
    if isNew { events.post(.deviceCondition(condition)) }
  }

  private func report(_ error: ServiceError) {
    become(error.status == nil && error.code == .unreachable ? .outOfCoverage : .normal)
    guard let status = error.status else { return }
    events.post(.communicationError(status: status, message: error.detail ?? error.reason))
  }

  private func adopt(_ registration: Registration) { adopt(ApplicationSettings(registration)) }

  private func adopt(_ settings: ApplicationSettings) {
    become(.normal)
    let (changed, earlier) = state.withLock { state in
      defer { state.settings = settings }
      return (state.settings.map { settings.changes(since: $0) } ?? [], state.settings?.customizationBundleID)
    }
    if !changed.isEmpty { events.post(.settingsChanged(changed)) }
    let bundle = settings.customizationBundleID
    if bundle != earlier { events.post(.customizationBundle(bundle)) }
  }

  /// A connection error heals: attempts go on, unless it is the server that refuses.
  private func lost(_ error: ServiceError) {
    become(.connectionError, error)
    guard error.status == nil, let id = client.session.connectionID, !pauses.isEmpty else { return }
    state.withLock { state in
      guard state.healing == nil else { return }
      state.healing = Task { [weak self, pauses] in
        var attempt = 0
        while !Task.isCancelled {
          try? await Task.sleep(for: pauses[min(attempt, pauses.count - 1)])
          attempt += 1
          guard !Task.isCancelled, let self, await !self.isHealed(as: id) else { return }
        }
      }
    }
  }

  private func isHealed(as id: String) async -> Bool {
    do throws(ServiceError) {
      _ = try await connecting(as: id)
      state.withLock { $0.healing = nil }
      return true
    } catch {
      guard error.status != nil else { return false }
      // Refused: no use in asking again.
      state.withLock { $0.healing = nil }
      return true
    }
  }
}

/// Waits for some work, or only so long; the work goes on then.
private func within<Value: Sendable>(
  _ timeout: Duration?, _ operation: String, _ work: @escaping @Sendable () async throws(ServiceError) -> Value
) async throws(ServiceError) -> Value? {
  guard let timeout else { return try await work() }
  let attempt = Task { () -> Result<Value?, ServiceError> in
    do throws(ServiceError) { return .success(try await work()) } catch { return .failure(error) }
  }
  guard timeout > .zero else { return nil }
  let (outcomes, sink) = AsyncStream<Result<Value?, ServiceError>>.makeStream()
  let waiting = Task { sink.yield(await attempt.value) }
  let timer = Task {
    do { try await Task.sleep(for: timeout) } catch { return }
    sink.yield(
      .failure(
        ServiceError(
          .timedOut, operation, detail: "nothing came within \(timeout)",
          remedy: "It goes on in the background: wait for its status, or stop it.")))
  }
  defer {
    timer.cancel()
    waiting.cancel()
  }
  for await outcome in outcomes { return try outcome.get() }
  throw .cancelled(operation)
}
