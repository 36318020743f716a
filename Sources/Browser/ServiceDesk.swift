import Model
import Screens
import Service

/// The service layer as the browser uses it: requests and jobs through it, and what is known of each connection.
@MainActor
package final class ServiceDesk: ServicePort {
  /// What the program around the browser does for it.
  package struct House {
    /// Opens the sandbox and takes its connections into the service layer; nil where that cannot be.
    package var openSandbox: (@MainActor () async throws(ServiceError) -> Void)?
    /// Writes a change of the connections into the configuration and takes it into the service layer.
    package var changeConnection: @MainActor (_ change: ConnectionChange) throws(ServiceError) -> Void
    package var keepBookmarks: @MainActor ([Location]) -> Void
    package var keepMemory: @MainActor (Memory) -> Void
    /// The exchange log, oldest first.
    package var exchanges: @MainActor () -> [ExchangeInfo]
    package var exchange: @MainActor (_ id: Int) -> ExchangeInfo?
    /// Writes exchanges as an HTTP archive under a name; where it now is.
    package var saveExchanges: @MainActor (_ ids: [Int], _ name: String) throws(ServiceError) -> String
    /// Does something with the vault, off the main actor since a PIN takes its time, and says how it stands then.
    package var vault: @Sendable (VaultOrder) async throws(ServiceError) -> VaultInfo

    package init(
      openSandbox: (@MainActor () async throws(ServiceError) -> Void)? = nil,
      changeConnection: @escaping @MainActor (_ change: ConnectionChange) throws(ServiceError) -> Void,
      keepBookmarks: @escaping @MainActor ([Location]) -> Void = { _ in },
      keepMemory: @escaping @MainActor (Memory) -> Void = { _ in },
      exchanges: @escaping @MainActor () -> [ExchangeInfo] = { [] },
      exchange: @escaping @MainActor (_ id: Int) -> ExchangeInfo? = { _ in nil },
      saveExchanges: @escaping @MainActor (_ ids: [Int], _ name: String) throws(ServiceError) -> String = {
        _, name throws(ServiceError) in throw .notOffered("write \(name)")
      },
      vault: @escaping @Sendable (VaultOrder) async throws(ServiceError) -> VaultInfo = { _ throws(ServiceError) in
        throw .notOffered("look at the vault", "there is none here")
      }
    ) {
      self.openSandbox = openSandbox
      self.changeConnection = changeConnection
      self.keepBookmarks = keepBookmarks
      self.keepMemory = keepMemory
      self.exchanges = exchanges
      self.exchange = exchange
      self.saveExchanges = saveExchanges
      self.vault = vault
    }
  }

  package var onChange: (() -> Void)?
  let service: ServiceLayer
  private let questions: QuestionQueue
  let house: House
  private let downloads: String
  let converter: Converter
  private var states: [String: ConnectionInfo.State] = [:]
  private var capabilities: [String: Capabilities] = [:]
  /// Questions to back ends about connections that are under way.
  private var lessons = 0

  /// - Parameters:
  ///   - questions: The asker that the service layer's back ends were given.
  ///   - downloads: Directory that downloads go to.
  package init(
    _ service: ServiceLayer, questions: QuestionQueue, house: House, downloads: String,
    environment: [String: String] = [:]
  ) {
    self.service = service
    self.questions = questions
    self.house = house
    self.downloads = downloads
    converter = Converter(environment: environment)
    questions.onChange = { [weak self] in self?.onChange?() }
    service.jobs.onChange = { [weak self] _ in self?.onChange?() }
  }

  // MARK: What is known

  package var connections: [ConnectionInfo] {
    service.connections.map { connection in
      ConnectionInfo(
        name: connection.name, kind: connection.kind, address: (try? connection.settings.text("url")) ?? "",
        state: states[connection.name] ?? .untouched, color: try? connection.settings.text("color"),
        isReadOnly: connection.isReadOnly, capabilities: capabilities[connection.name] ?? [])
    }
  }

  package var jobs: [JobInfo] { service.jobs.jobs.map(JobInfo.init) }

  package var question: (id: Int, question: Question)? { questions.current.map { ($0.id, $0.question) } }

  package func answer(_ question: Int, _ answer: Answer?) {
    if let answer { questions.answer(question, answer) } else { questions.cancel(question) }
  }

  /// Learns from the end of a request how its connection does.
  func note(_ connection: String, _ failure: ServiceError?, isOffline: Bool = false) {
    let before = states[connection] ?? .untouched
    guard let failure else {
      if isOffline {
        states[connection] = .offline
      } else if case .live(user: .some) = before {
        return
      } else {
        states[connection] = .live(user: nil)
        learn(connection)
      }
      onChange?()
      return
    }
    switch failure.code {
    case .signInNeeded, .signInRefused: states[connection] = .signedOut
    case .unreachable, .timedOut, .brokenOff: states[connection] = .unreachable(failure.reason)
    case .offline: states[connection] = .offline
    default: return
    }
    onChange?()
  }

  /// Who we are there and what can be done there: known to the back end without asking its server.
  private func learn(_ connection: String) {
    lessons += 1
    service.signInState(connection) { [weak self] result in
      self?.endLesson()
      guard case .success(let state) = result, state.user != nil else { return }
      self?.states[connection] = .live(user: state.user)
      self?.onChange?()
    }
    guard capabilities[connection] == nil else { return }
    lessons += 1
    Task { [weak self, service] in
      defer { self?.endLesson() }
      guard let known = try? await service.capabilities(of: connection) else { return }
      self?.capabilities[connection] = known
      self?.onChange?()
    }
  }

  private func endLesson() {
    lessons -= 1
    onChange?()
  }

  package var isWorking: Bool {
    lessons > 0 || jobs.contains { $0.state == .running || $0.state == .waiting }
  }

  func signedOut(_ connection: String) {
    states[connection] = .signedOut
    onChange?()
  }

  // MARK: Orders

  package func order(_ order: JobOrder) {
    switch order {
    case .download(let location, let name): _ = service.startDownload(location, into: downloads, title: name)
    case .upload(let path, let location): _ = service.startUpload(path: path, to: location)
    case .downloadTree(let branches, let name):
      _ = service.startTreeDownload(
        branches.map { ($0.location, $0.name, $0.isContainer) }, into: downloads, title: name)
    case .downloadArchive(let locations, let name):
      _ = service.startArchiveDownload(locations, into: downloads, title: "\(name).zip")
    case .pause(let id): service.jobs.pause(id)
    case .resume(let id): service.jobs.resume(id)
    case .cancel(let id): service.jobs.cancel(id)
    case .clear: service.jobs.forgetFinished()
    case .synchronize(let connection): _ = service.startSynchronization(connection)
    case .export(let location, let query, let format, let name):
      _ = service.startExport(location, query, asFormat: format, toFile: "\(downloads)/\(name)", title: name)
    }
    onChange?()
  }

  package func startSandbox(reply: @escaping @MainActor (Reply) -> Void) {
    guard let open = house.openSandbox else {
      return reply(.failure(.notOffered("open the sandbox", "run atrium demo for it")))
    }
    Task { [weak self] in
      do throws(ServiceError) {
        try await open()
        reply(.done)
      } catch {
        reply(.failure(error))
      }
      self?.onChange?()
    }
  }

  package func change(_ change: ConnectionChange) throws(ServiceError) {
    try house.changeConnection(change)
    onChange?()
  }

  package func keep(bookmarks: [Location]) { house.keepBookmarks(bookmarks) }

  package func keep(memory: Memory) { house.keepMemory(memory) }
}

extension JobInfo {
  init(_ job: Job) {
    let state: State
    var result: String?
    switch job.state {
    case .waiting: state = .waiting
    case .running: state = .running
    case .paused: state = .paused
    case .done(let end):
      state = .done
      switch end {
      case .file(let path): result = path
      case .location(let location): result = location.text
      case .rows(let count): result = Format.count(count, "row")
      case .words(let words): result = words
      }
    case .failed(let error): state = .failed(error.message)
    case .cancelled: state = .cancelled
    }
    self.init(
      id: job.id, title: job.title, state: state, done: job.done, total: job.total, rate: job.rate,
      canPause: job.canPause, countsBytes: job.kind == .download || job.kind == .upload, result: result,
      synchronizes: job.kind == .sync ? job.location.connection : nil)
  }
}
