import Model
import OMCE
import Service
import Store

extension ConnectionsCommand {
  static func add(_ name: String, _ session: Session) async throws(ServiceError) {
    let invocation = session.invocation
    var settings = try values(session)
    var kind = invocation.value("kind").flatMap(BackendKind.init)
    if let plist = invocation.value("plist") {
      guard kind == nil || kind == .omce else { throw .usage("a plist belongs to the kind omce", command) }
      guard Files.exists(plist) else {
        throw FileError(.open, plist, number: 2).serviceError("import the Oracle configuration")
      }
      kind = .omce
      let path = FilePath.joined(FilePath.workingDirectory, plist)
      if invocation.has("reference") {
        // Read all the same: one that is none is better known now than at the first use.
        tell(try ProfileImport(path, in: "", prefix: name), session)
        settings.insert(("plist", .text(path)), at: 0)
      } else {
        settings.insert(("backend", try await imported(path, name, session)), at: 0)
      }
    }
    if kind == nil, Prompt.isPossible { kind = try await askedKind(session) }
    guard let kind else {
      throw .usage("say --kind, one of \(BackendKind.allCases.map(\.rawValue).joined(separator: ", "))", command)
    }
    if kind != .omce, !settings.contains(where: { $0.path == "url" }) {
      guard Prompt.isPossible else { throw .usage("say --url", command) }
      settings.insert(("url", .text(try await Prompt.line("Address: ", to: session.errors))), at: 0)
    }
    try change(session) { editor throws(ServiceError) in try editor.adding(name, kind, settings) }
    session.tell("Added \(name). Try it with atrium connections test \(name).")
  }

  /// The tree of an Oracle configuration for the file, its secrets for the vault.
  private static func imported(
    _ path: String, _ name: String, _ session: Session
  ) async throws(ServiceError) -> EditedValue {
    let profile = try ProfileImport(path, in: "", prefix: name)
    tell(profile, session)
    guard !profile.secrets.isEmpty else { return profile.tree }
    _ = try session.service(offer: Prompt.isPossible ? .always : .never)
    guard let keeper = session.keeper, try await keeper.isReady() else {
      throw ServiceError(
        .vaultLocked, "import \(path)", detail: "its secrets belong into a vault, and there is none",
        remedy: "Create one with atrium vault create, or add --reference to point at the file instead.")
    }
    for (name, secret) in profile.secrets { try await keeper.keep(secret, named: name) }
    return profile.tree
  }

  /// What was understood, and what is still missing.
  private static func tell(_ profile: ProfileImport, _ session: Session) {
    let width = profile.summary.lines.map(\.title.count).max() ?? 0
    for (title, text) in profile.summary.lines {
      session.tell("  \(title)\(String(repeating: " ", count: width - title.count))  \(text)")
    }
    for warning in profile.warnings { session.say(.warning, warning) }
    for missing in profile.summary.missing { session.say(.warning, missing) }
  }

  static func edit(_ name: String, _ session: Session) throws(ServiceError) {
    let settings = try values(session)
    let removed = session.invocation.all("unset")
    guard !settings.isEmpty || !removed.isEmpty else { throw .usage("say --set or --unset", command) }
    for (path, value) in settings {
      try change(session) { editor throws(ServiceError) in try editor.setting(path, of: name, to: value) }
    }
    for path in removed {
      try change(session) { editor throws(ServiceError) in try editor.setting(path, of: name, to: nil) }
    }
    session.tell("Changed \(name).")
  }

  static func remove(_ name: String, _ session: Session) async throws(ServiceError) {
    _ = try session.configuration().requiredConnection(named: name)
    try await DoCommand.confirm("Remove \(name) from the configuration", session, "remove \(name)")
    try change(session) { editor throws(ServiceError) in try editor.removing(name) }
    session.tell("Removed \(name).")
  }

  private static func change(
    _ session: Session, _ edit: (ConfigurationEditor) throws(ServiceError) -> [UInt8]
  ) throws(ServiceError) {
    try ConfigurationFile(session.configurationPath.path).change(edit)
  }

  private static func values(_ session: Session) throws(ServiceError) -> [(path: String, value: EditedValue)] {
    var values: [(path: String, value: EditedValue)] = []
    if let url = session.invocation.value("url") { values.append(("url", .text(url))) }
    for setting in session.invocation.all("set") {
      guard let equals = setting.firstIndex(of: "="), equals != setting.startIndex else {
        throw .usage("--set takes PATH=VALUE, not “\(setting)”", command)
      }
      let path = String(setting[..<equals])
      guard path != "name", path != "kind" else { throw .usage("“\(path)” cannot be set", command) }
      values.append((path, value(String(setting[setting.index(after: equals)...]))))
    }
    return values
  }

  private static func value(_ text: String) -> EditedValue {
    func rest(_ prefix: String) -> String { String(text.dropFirst(prefix.count)) }
    if text == "true" || text == "false" { return .flag(text == "true") }
    if let number = Int(text), String(number) == text { return .number(number) }
    if text.hasPrefix("env:") { return .secret(.environment(rest("env:"))) }
    if text.hasPrefix("file:") { return .secret(.file(rest("file:"))) }
    if text.hasPrefix("vault:") { return .secret(.vault(rest("vault:"))) }
    return .text(text)
  }

  private static func askedKind(_ session: Session) async throws(ServiceError) -> BackendKind {
    for kind in BackendKind.allCases { session.ask("  \(kind.rawValue)  \(kind.title)") }
    while true {
      let word = try await Prompt.line("Kind: ", to: session.errors)
      if let kind = BackendKind(rawValue: word) { return kind }
    }
  }
}
