import Glibc
import Model
import OMCE
import Service
import Store
import Synchronization
import Wire

/// One run of a command: what was asked, where answers go, and the parts that are made when first needed.
final class Session: Sendable {
  let invocation: Invocation
  let environment: [String: String]
  let paths: StandardPaths
  let output: Output
  let errors: Output
  let interrupts = Interrupts()
  /// The time that everything of this run goes by.
  let clock = SessionClock()
  let log: ExchangeLog
  let commands: [Command]
  private let state = Mutex(State())

  private struct State {
    var configuration: Configuration?
    var service: ServiceLayer?
    var trace: HARFile?
    var narration: ExchangeLog.Subscription?
    var keeper: (any LastingKeeper)?
    /// What the profiles of connections want logged, by name.
    var profileLogging: [String: ProfileLogging?] = [:]
  }

  init(_ invocation: Invocation, environment: [String: String], commands: [Command]) {
    self.invocation = invocation
    log = ExchangeLog(clock: clock)
    self.environment = environment
    self.commands = commands
    output = Output(1, environment: environment)
    errors = Output(2, environment: environment)
    paths = StandardPaths(environment: environment)
  }

  var arguments: [String] { invocation.arguments }

  /// Whether the terminal is the browser's, so that nothing may be written to it.
  var isFullScreen: Bool { !isPlain && invocation.command?.isFullScreen ?? true }

  /// Whether everything is said line by line, without a cursor that moves.
  var isPlain: Bool { invocation.has("plain") }

  /// Begins to write the trace, and to tell of exchanges, where that was asked for.
  func startLogging() throws(ServiceError) {
    if let path = invocation.value("trace") {
      let trace = try HARFile(path: path, log: log, version: Program.version)
      state.withLock { $0.trace = trace }
    }
    guard !isFullScreen else { return }
    let narration = log.observe { [weak self] exchange in
      guard let self, exchange.state != .running else { return }
      narrate(exchange)
    }
    state.withLock { $0.narration = narration }
  }

  /// Tells of an exchange as far as the option wants it or, without one, the profile of its connection.
  private func narrate(_ exchange: Exchange) {
    let profile = profileLogging(exchange.connection)
    var level = level
    if !invocation.has("log-level"), let own = profile.flatMap({ Level(rawValue: $0.level) }) { level = own }
    if level >= .info {
      ask("atrium: \(level.rawValue): " + Narration.line(of: exchange, isDetailed: level == .debug))
    }
    guard level > .none, let profile, profile.showsHTTP else { return }
    for line in Narration.lines(of: exchange, profile) { ask("atrium: http: \(line)") }
  }

  private func profileLogging(_ name: String) -> ProfileLogging? {
    state.withLock { state in
      if let known = state.profileLogging[name] { return known }
      let found = state.configuration?.connection(named: name).flatMap { ProfileLogging($0) }
      state.profileLogging[name] = .some(found)
      return found
    }
  }

  /// Ends the trace; says so when it could not be written.
  func endLogging() {
    let trace = state.withLock { state in
      defer { (state.trace, state.narration) = (nil, nil) }
      return state.trace
    }
    guard let trace else { return }
    if trace.failure != 0 { say(.error, "the trace could not be written: \(String(cString: strerror(trace.failure)))") }
    trace.close()
  }

  /// Where the configuration is, and whether somebody named it, so that it must be there.
  var configurationPath: (path: String, isNamed: Bool) {
    let named = invocation.value("config") ?? environment["ATRIUM_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
    return named.map { ($0, true) } ?? (paths.configurationFile, false)
  }

  /// The configuration; says what is odd in it the first time.
  func configuration() throws(ServiceError) -> Configuration {
    if let configuration = state.withLock({ $0.configuration }) { return configuration }
    let (path, isNamed) = configurationPath
    let configuration = try Configuration.load(path, mustExist: isNamed)
    // The browser shows them itself.
    if !isFullScreen { for warning in configuration.warnings { say(.warning, warning.description) } }
    state.withLock { $0.configuration = configuration }
    return configuration
  }

  /// The service layer over the configuration, made once.
  ///
  /// - Parameters:
  ///   - asker: Who answers questions; the terminal, where there is one, when nil.
  ///   - offer: When a person is offered a new vault, there being none.
  func service(asker: (any Asker)? = nil, offer: VaultOffer = .never) throws(ServiceError) -> ServiceLayer {
    if let service = state.withLock({ $0.service }) { return service }
    let configuration = try configuration()
    let parts = parts(
      asker: asker ?? TerminalAsker(self), paths: paths, vault: configuration.vault, keeper: configuration.keeper,
      offer: offer)
    let service = ServiceLayer(configuration, parts)
    state.withLock { $0.service = service }
    return service
  }

  func parts(
    asker: any Asker, paths: StandardPaths, vault name: String? = nil, keeper kind: Configuration.Keeper = .vault,
    offer: VaultOffer = .never, detour: String? = nil
  ) -> ServiceLayer.Parts {
    let (log, clock) = (log, clock)
    let asker = NotedAsker(RedactedAsker(asker, log.redactor))
    let keeper: any LastingKeeper =
      switch kind {
      case .vault:
        VaultKeeper(
          vault(named: name, in: paths), pins: pins(asker: asker.inner),
          offersVault: { offer == .always || (offer == .afterQuestions && asker.hasAsked) }, directory: paths.offline)
      case .secretService: SecretServiceKeeper(environment: environment, directory: paths.offline)
      }
    state.withLock { $0.keeper = keeper }
    let secrets = RedactedSecrets(SecretSources(environment: environment, lasting: keeper), log.redactor)
    let surroundings = Surroundings(
      asker: asker, secrets: secrets, keeper: RedactedKeeper(keeper, log.redactor), clock: clock,
      randomBytes: SystemRandom.bytes, isOffline: invocation.has("offline"), stores: keeper)
    return ServiceLayer.Parts(
      makers: BackendMakers.all,
      transport: { settings, connection in
        RetryingTransport(
          CurlTransport(settings, log: log, connection: connection, detour: detour), clock: clock)
      }, log: log, surroundings: surroundings, environment: environment, paths: paths)
  }

  /// Keeps what signing in obtains; nil before the service layer has been made.
  var keeper: (any LastingKeeper)? { state.withLock { $0.keeper } }

  /// The vault that the configuration chooses, or the command line.
  func vault() throws(ServiceError) -> Vault {
    let named = invocation.value("name")
    if let named, !Location.isConnectionName(named) {
      throw .usage("“\(named)” cannot name a vault: use letters, digits, -, _ and .", invocation.command)
    }
    let chosen = try configuration().vault
    return vault(named: named ?? chosen, in: paths)
  }

  func vault(named name: String?, in paths: StandardPaths) -> Vault {
    Vault(name: name ?? "default", directory: paths.data, clock: clock, keyring: KernelKeyring())
  }

  /// Where the PIN comes from: the option, the environment, or the person.
  func pins(asker: (any Asker)? = nil) -> PINSource {
    PINSource(
      file: invocation.value("pin-file"), environment: environment, asker: asker ?? TerminalAsker(self))
  }

  /// A location given as an argument.
  func location(_ text: String) throws(ServiceError) -> Location {
    do {
      return try Location(parsing: text)
    } catch {
      throw ServiceError(.usage, "understand the location", detail: error.description, remedy: "See atrium --help.")
    }
  }

  /// Whether bold may be used: on a terminal that knows it.
  var isStyled: Bool { output.isTerminal && !["", "dumb"].contains(environment["TERM"] ?? "") }

  /// Whether colours may be used.
  var isColoured: Bool {
    isStyled && !invocation.has("no-color") && environment["NO_COLOR", default: ""].isEmpty
  }

  var isJSON: Bool { invocation.value("format") == "json" }
}

// What is said on standard error.
extension Session {
  enum Level: String, Comparable {
    case none, error, warning, info, debug
    private var rank: Int {
      switch self {
      case .none: 0
      case .error: 1
      case .warning: 2
      case .info: 3
      case .debug: 4
      }
    }
    static func < (a: Level, b: Level) -> Bool { a.rank < b.rank }
  }

  var level: Level { invocation.value("log-level").flatMap(Level.init) ?? .warning }

  /// A line on standard error, when the chosen level wants it. It stays one line whatever a server said.
  func say(_ level: Level, _ text: String) {
    guard level <= self.level else { return }
    ask("atrium: \(level == .warning ? "warning: " : level == .error ? "" : "\(level.rawValue): ")\(text)")
  }

  /// A line on standard error about what the command has done.
  func tell(_ text: String) {
    if level > .none { ask(text) }
  }

  /// A line on standard error that somebody has to see for the command to go on.
  func ask(_ text: String) {
    try? errors.write(Visible.escaped(text) + "\n")
    try? errors.flush()
  }
}
