import Browser
import Model
import Sandbox
import Screens
import Service
import Store
import Terminal
import Wire

/// Joins the browser with what this program knows: configuration, themes, bookmarks, and the sandbox that is built in.
@MainActor
final class Browsing {
  private let session: Session
  private let service: ServiceLayer
  private let questions: QuestionQueue
  private let isDemo: Bool
  private var sandbox: Sandbox?
  private var notices: [String] = []
  /// Whether exchanges say how long they took.
  private var isTimed = true
  /// Typed while the terminal was asked about its ground.
  private var typed: [UInt8] = []
  private var showsSixel = false

  nonisolated init(_ session: Session, _ service: ServiceLayer, _ questions: QuestionQueue, isDemo: Bool) {
    self.session = session
    self.service = service
    self.questions = questions
    self.isDemo = isDemo
  }

  /// Runs the browser to its end.
  func run() async throws(ServiceError) -> Int32 {
    let settings = settings()
    let desk = ServiceDesk(
      service, questions: questions, house: house(), downloads: FilePath.workingDirectory,
      environment: session.environment)
    defer { sandbox?.stop() }
    let terminal = try Browsing.terminal(
      session, typed: typed, pictures: service.configuration.pictures, showsSixel: showsSixel)
    defer { terminal.close() }
    let programs = SystemPrograms(environment: session.environment)
    let browser = Browser(
      terminal: terminal, port: desk, programs: programs, clock: SystemPacemaker(), settings: settings)
    let watch = watchThemes(for: browser)
    defer { withExtendedLifetime(watch) {} }
    return await LocalForm.$current.withValue(.system()) { await browser.run(notices: notices) }
  }

  /// The real terminal.
  ///
  /// - Parameters:
  ///   - pictures: What the configuration says that pictures are made of.
  ///   - showsSixel: Whether the terminal itself said that it can.
  static func terminal(
    _ session: Session, typed: [UInt8] = [], pictures: Configuration.Pictures? = nil, showsSixel: Bool = false
  ) throws(ServiceError) -> NcursesTerminal {
    var environment = TerminalEnvironment(session.environment, allowsColor: !session.invocation.has("no-color"))
    switch pictures {
    case .blocks: environment.graphics = nil
    case .sixel: environment.graphics = .sixel
    case .kitty: environment.graphics = .kitty
    case .auto, nil: if showsSixel, environment.graphics == nil { environment.graphics = .sixel }
    }
    do throws(TerminalUnavailable) {
      return try NcursesTerminal(environment, typed: typed)
    } catch {
      throw ServiceError(.usage, unavailable: error.description)
    }
  }

  /// The browser on a stage: with the tape's theme, and times in UTC.
  func browser(
    on terminal: any TerminalDriver, clock: any Pacemaker, programs: any ProgramRunner, theme: String?,
    downloads: String, isTimed: Bool
  ) -> Browser {
    self.isTimed = isTimed
    var settings = settings(theme: theme)
    settings.zone = .utc
    settings.downloadDirectory = downloads
    let desk = ServiceDesk(service, questions: questions, house: house(), downloads: downloads)
    return Browser(terminal: terminal, port: desk, programs: programs, clock: clock, settings: settings)
  }

  private func settings(theme named: String? = nil) -> BrowserSettings {
    let configuration = service.configuration
    notices += configuration.warnings.map(\.description)
    let (keys, problems) = KeyMap.standard(overrides: configuration.keys)
    notices += problems
    var wanted = session.invocation.value("theme") ?? named ?? configuration.theme
    let asksForGraphics = configuration.pictures == .auto
    if wanted == ThemeLibrary.automatic || asksForGraphics {
      let answer = BackgroundQuery.ask(session.environment, graphics: asksForGraphics)
      typed += answer.typed
      showsSixel = answer.showsSixel
      if wanted == ThemeLibrary.automatic { wanted = ThemeLibrary.automaticName(on: answer.brightness) }
    }
    let (themes, theme) = themes(wanted: wanted)
    return BrowserSettings(
      themes: themes, theme: theme, keys: keys, bookmarks: isDemo ? [] : bookmarks(),
      memory: isDemo ? Memory() : memory(),
      downloadDirectory: FilePath.workingDirectory, lockAfter: configuration.lockAfter)
  }

  /// All themes that can be read, and the name of the one to begin with.
  private func themes(wanted: String?) -> (themes: [Theme], name: String) {
    var themes = session.themes.names.compactMap { try? session.themes.load($0).theme } + [.plain]
    guard let wanted else {
      return (themes, themes.contains { $0.name == "dusk" } ? "dusk" : themes[0].name)
    }
    do throws(ServiceError) {
      let loaded = try session.themes.load(wanted)
      notices += loaded.warnings.map(\.description)
      themes.removeAll { $0.name == loaded.theme.name }
      themes.append(loaded.theme)
      return (themes, loaded.theme.name)
    } catch {
      notices.append(error.message)
      return (themes, themes[0].name)
    }
  }

  /// A theme that is edited while the browser is open is drawn anew as soon as it is saved.
  private func watchThemes(for browser: Browser) -> ThemeWatch? {
    let library = session.themes
    let named = session.invocation.value("theme").flatMap { $0.contains("/") || $0.hasSuffix(".yaml") ? $0 : nil }
    let directories = named.map { [FilePath.directory(of: $0)] } ?? library.directories
    return ThemeWatch(directories) { names in
      let reloaded = names.map { name in
        Result { () throws(ServiceError) in
          if let named, FilePath.lastName(of: named) == name { return try library.load(file: named).theme }
          return try library.load(String(name.dropLast(5))).theme
        }
      }
      Task { @MainActor [weak browser] in
        for result in reloaded {
          switch result {
          case .success(let theme): browser?.renew(theme)
          case .failure(let error): browser?.tell(Message(.bad, error.message))
          }
        }
      }
    }
  }

  // MARK: What the browser has done

  private func house() -> ServiceDesk.House {
    ServiceDesk.House(
      openSandbox: { [weak self] () throws(ServiceError) in try self?.openSandbox() },
      changeConnection: { [weak self] change throws(ServiceError) in try self?.apply(change) },
      keepBookmarks: { [weak self] in self?.keep($0) },
      keepMemory: { [weak self] in self?.keep($0) },
      exchanges: { [service, isTimed] in service.log.exchanges.map { ExchangeInfo($0, isTimed: isTimed) } },
      exchange: { [service, isTimed] in service.log.exchange($0).map { ExchangeInfo($0, isTimed: isTimed) } },
      saveExchanges: { [service] ids, name throws(ServiceError) in
        let path = FileName.free(name, in: FilePath.workingDirectory)
        let bytes = HAR.archive(service.log.exchanges.filter { ids.contains($0.id) }, version: Program.version)
        let file = FilePath.joined(FilePath.workingDirectory, path)
        do throws(FileError) { try Files.replace(file, with: bytes) } catch {
          throw error.serviceError("write \(name)")
        }
        return file
      },
      vault: { [session] order throws(ServiceError) in try await VaultDesk(session.keeper).perform(order) })
  }

  private func openSandbox() throws(ServiceError) {
    guard sandbox == nil else { return }
    let sandbox = try SandboxCommand.open(SandboxOptions())
    self.sandbox = sandbox
    service.adopt(try Configuration(parsing: Array(sandbox.configuration.utf8), path: "sandbox").asking)
  }

  /// The settings of the form, in the order they are written.
  private static let settings = [
    "url", "plist", "app", "auth.method", "auth.consumerKey", "auth.issuer", "auth.clientID", "auth.user", "color",
    "readOnly",
  ]

  private func apply(_ change: ConnectionChange) throws(ServiceError) {
    guard !isDemo, sandbox == nil else {
      throw ServiceError(
        .notOffered, "change the connections", detail: "the demo keeps nothing",
        remedy: "Start atrium without demo, or use: atrium connections.")
    }
    let path = session.configurationPath.path
    switch change {
    case .add(let fields): try add(fields, to: path)
    case .edit(let name, let fields):
      for setting in Browsing.settings {
        guard let text = fields[setting]?.reveal() else { continue }
        let old = try service.configuration.requiredConnection(named: name).settings
        let isThere = setting == "readOnly" ? try old.flag(setting) == true : try old.text(setting) != nil
        guard isThere || !Browsing.isNothing(setting, text) else { continue }
        try ConfigurationFile(path).change { editor throws(ServiceError) in
          try editor.setting(setting, of: name, to: Browsing.isNothing(setting, text) ? nil : value(setting, text))
        }
      }
    case .remove(let name):
      try ConfigurationFile(path).change { editor throws(ServiceError) in try editor.removing(name) }
    }
    service.adopt(try Configuration.load(path, mustExist: true))
  }

  private func add(_ fields: [String: Secret], to path: String) throws(ServiceError) {
    let text = { (name: String) in fields[name]?.reveal() ?? "" }
    guard let kind = BackendKind(rawValue: text("kind")), Location.isConnectionName(text("name")) else {
      throw ServiceError(
        .usage, "add a connection", detail: "“\(text("name"))” cannot be its name",
        remedy: "Use letters, digits, - and _ only.")
    }
    let settings = Browsing.settings.filter { !Browsing.isNothing($0, text($0)) }.map {
      (path: $0, value: value($0, text($0)))
    }
    try ConfigurationFile(path).change { editor throws(ServiceError) in
      try editor.adding(text("name"), kind, settings)
    }
  }

  private static func isNothing(_ setting: String, _ text: String) -> Bool {
    text.isEmpty || (setting == "readOnly" && text == "false")
  }

  private func value(_ setting: String, _ text: String) -> EditedValue {
    switch setting {
    case "readOnly": .flag(true)
    // What was typed is meant from here, whatever directory the configuration is in.
    case "plist":
      .text(text.hasPrefix("/") || text.hasPrefix("~") ? text : FilePath.joined(FilePath.workingDirectory, text))
    default: .text(text)
    }
  }

  // MARK: Bookmarks

  private var bookmarkFile: String { FilePath.joined(session.paths.state, "bookmarks") }

  /// One location a line; lines that are none are left alone until the next change.
  private func bookmarks() -> [Location] {
    guard let bytes = try? Files.read(bookmarkFile, maxBytes: 1 << 20) else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap {
      try? Location(parsing: String($0))
    }
  }

  private func keep(_ bookmarks: [Location]) {
    keep(bookmarks.map { $0.text + "\n" }.joined(), in: bookmarkFile)
  }

  // MARK: Memory

  private var memoryFile: String { FilePath.joined(session.paths.state, "browser") }

  private func memory() -> Memory {
    guard let bytes = try? Files.read(memoryFile, maxBytes: 1 << 20) else { return Memory() }
    return Memory(text: String(decoding: bytes, as: UTF8.self))
  }

  private func keep(_ memory: Memory) { keep(memory.text, in: memoryFile) }

  /// What the browser remembers is a comfort: that it cannot be written stops nobody.
  private func keep(_ text: String, in file: String) {
    guard !isDemo else { return }
    try? Files.makeDirectory(session.paths.state)
    try? Files.replace(file, with: Array(text.utf8))
  }
}

extension ServiceError {
  /// The terminal's own line, `WHAT: WHY (HOW TO GO ON)`, taken apart.
  fileprivate init(_ code: Code, unavailable line: String) {
    let halves = line.split(separator: ": ", maxSplits: 1).map(String.init)
    let parts = (halves.last ?? line).split(separator: " (", maxSplits: 1).map(String.init)
    let remedy = parts.count > 1 ? String(parts[1].dropLast()) : nil
    self.init(code, halves.first ?? line, detail: parts.first, remedy: remedy)
  }
}
