import FoundationEssentials
import Model
import Service
import Store
import Synchronization
import Wire

/// One run of a command: what was asked, where answers go, and the parts that are made when first needed.
final class Session: Sendable {
  let invocation: Invocation
  let environment: [String: String]
  let paths: StandardPaths
  let output = Output(1)
  let errors = Output(2)
  let interrupts = Interrupts()
  let commands: [Command]
  private let state = Mutex(State())

  private struct State {
    var configuration: Configuration?
    var service: ServiceLayer?
  }

  init(_ invocation: Invocation, environment: [String: String], commands: [Command]) {
    self.invocation = invocation
    self.environment = environment
    self.commands = commands
    paths = StandardPaths(environment: environment)
  }

  var arguments: [String] { invocation.arguments }

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
    for warning in configuration.warnings { say(.warning, warning.description) }
    state.withLock { $0.configuration = configuration }
    return configuration
  }

  /// The service layer over the configuration, made once.
  ///
  /// - Parameter asker: Who answers questions; the terminal, where there is one, when nil.
  func service(asker: (any Asker)? = nil) throws(ServiceError) -> ServiceLayer {
    if let service = state.withLock({ $0.service }) { return service }
    let parts = parts(asker: asker ?? TerminalAsker(self), paths: paths)
    let service = ServiceLayer(try configuration(), parts)
    state.withLock { $0.service = service }
    return service
  }

  func parts(asker: any Asker, paths: StandardPaths) -> ServiceLayer.Parts {
    let keeper = MemoryKeeper()
    let surroundings = Surroundings(
      asker: asker, secrets: SecretSources(environment: environment, keeper: keeper), keeper: keeper,
      clock: SystemClock(), randomBytes: SystemRandom.bytes, isOffline: invocation.has("offline"))
    return ServiceLayer.Parts(
      makers: BackendMakers.all, transport: { CurlTransport($0) }, surroundings: surroundings,
      environment: environment, paths: paths)
  }

  /// A location given as an argument.
  func location(_ text: String) throws(ServiceError) -> Location {
    do {
      return try Location(parsing: text)
    } catch {
      throw ServiceError(.usage, "understand the location", detail: error.description, remedy: "See atrium --help.")
    }
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
    tell("atrium: \(level == .warning ? "warning: " : level == .error ? "" : "\(level.rawValue): ")\(text)")
  }

  /// A line on standard error that belongs to the command itself.
  func tell(_ text: String) {
    try? errors.write(Visible.escaped(text) + "\n")
    try? errors.flush()
  }
}
