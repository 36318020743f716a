import Glibc
import Model
import Store

/// What `doctor` found out about one thing.
struct Finding {
  enum State: String {
    case fine
    /// Worth knowing; nothing is broken.
    case notice
    case broken
  }

  let check: String
  let state: State
  let text: String
  let advice: String?

  init(_ check: String, _ state: State, _ text: String, _ advice: String? = nil) {
    self.check = check
    self.state = state
    self.text = text
    self.advice = advice
  }

  /// For people: a mark, what was checked, what was found, and below it what to do.
  var lines: String {
    let mark = state == .fine ? "ok " : state == .notice ? "-- " : "!! "
    var lines = "\(mark) \(Visible.printed(check).padded(columns: 20)) \(Visible.printed(text))\n"
    if let advice { lines += "    \(String(repeating: " ", count: 20)) \(Visible.printed(advice))\n" }
    return lines
  }
}

extension Finding {
  static func ofSurroundings(_ session: Session) -> [Finding] {
    let environment = session.environment
    return [
      terminal(session), locale(environment), colours(session), clipboard(environment), programs(environment),
      escapeKey(environment), libraries, vault(session), state(session.paths),
    ]
  }

  static func of(_ configuration: Configuration, _ session: Session) -> Finding {
    let path = session.configurationPath.path
    guard Files.exists(path) else {
      return Finding(
        "configuration", .notice, "there is none at \(path)", "Run atrium connections add, or atrium demo.")
    }
    let count = configuration.connections.count
    guard let warning = configuration.warnings.first else {
      return Finding("configuration", .fine, "\(path): \(count) \(count == 1 ? "connection" : "connections")")
    }
    return Finding("configuration", .notice, warning.description, "Correct the key, or remove it.")
  }

  static func ofTheme(_ configuration: Configuration, _ session: Session) -> [Finding] {
    let name = session.invocation.value("theme") ?? configuration.theme
    guard let name else {
      let names = session.themes.names
      return [
        names.isEmpty
          ? Finding("theme", .notice, "no themes found", "Install Atrium, or put themes into \(session.paths.themes).")
          : Finding("theme", .fine, "the standard one; there are \(names.joined(separator: ", "))")
      ]
    }
    if name == ThemeLibrary.automatic { return [Finding("theme", .fine, "light or dark, as the terminal says")] }
    do throws(ServiceError) {
      return [Finding("theme", .fine, try session.themes.load(name).theme.title)]
    } catch {
      return [Finding("theme", .broken, error.reason, error.advice(at: .command))]
    }
  }

  private static func terminal(_ session: Session) -> Finding {
    guard session.output.isTerminal else { return Finding("terminal", .notice, "standard output is no terminal") }
    let name = session.environment["TERM"] ?? ""
    if name.isEmpty || name == "dumb" {
      return Finding(
        "terminal", .broken, "TERM is \(name.isEmpty ? "not set" : name)", "Set TERM to what your terminal is.")
    }
    let width = session.output.columns ?? 80
    if width < 40 {
      return Finding("terminal", .notice, "\(name), \(width) columns", "Make the window wider: 80 is good.")
    }
    return Finding("terminal", .fine, "\(name), \(width) columns")
  }

  private static func locale(_ environment: [String: String]) -> Finding {
    let name = TerminalTraits.localeName(environment) ?? ""
    if TerminalTraits.namesUnicode(environment) { return Finding("locale", .fine, name) }
    return Finding(
      "locale", .notice, "\(name.isEmpty ? "none is set" : name): only ASCII is drawn",
      "Set LANG=C.UTF-8 for all scripts.")
  }

  private static func colours(_ session: Session) -> Finding {
    let environment = session.environment
    if session.invocation.has("no-color") || environment["NO_COLOR"].map({ !$0.isEmpty }) == true {
      return Finding("colours", .notice, "switched off; bold and reverse stay", "Unset NO_COLOR to have them.")
    }
    switch environment["COLORTERM"] {
    case "truecolor", "24bit": return Finding("colours", .fine, "24 bits")
    default: break
    }
    let name = environment["TERM"] ?? ""
    if name.contains("256color") || name.contains("direct") {
      return Finding("colours", .fine, "256", "Set COLORTERM=truecolor if your terminal can do 24 bits.")
    }
    return Finding("colours", .notice, "few", "Set TERM to a name with -256color if your terminal can do that.")
  }

  private static func clipboard(_ environment: [String: String]) -> Finding {
    let tools = ["wl-copy", "xclip", "xsel"].filter { tool in
      (environment["PATH"] ?? "").split(separator: ":").contains { access("\($0)/\(tool)", X_OK) == 0 }
    }
    if let tool = tools.first { return Finding("clipboard", .fine, "through \(tool), and the terminal (OSC 52)") }
    return Finding(
      "clipboard", .notice, "through the terminal only (OSC 52)",
      "Install wl-clipboard or xclip where the terminal does not pass it on.")
  }

  /// What shows and edits something outside.
  private static func programs(_ environment: [String: String]) -> Finding {
    let path = (environment["PATH"] ?? "").split(separator: ":")
    let missing = [("PAGER", "less"), ("EDITOR", "vi")].filter { variable, standard in
      let named = environment[variable].flatMap { $0.isEmpty ? nil : $0 } ?? standard
      let program = named.split(separator: " ").first.map(String.init) ?? standard
      return access(program, X_OK) != 0 && !path.contains { access("\($0)/\(program)", X_OK) == 0 }
    }
    guard let (variable, _) = missing.first else { return Finding("programs", .fine, "a pager and an editor") }
    return Finding(
      "programs", .notice, "\(missing.map { $0.0 }.joined(separator: " and ")): there is no such program",
      "Set \(variable) to one that is installed, for what o opens.")
  }

  /// Inside tmux a lone Esc waits for what tmux waits for, too.
  private static func escapeKey(_ environment: [String: String]) -> Finding {
    guard !(environment["TMUX"] ?? "").isEmpty else { return Finding("Esc", .fine, "acts at once") }
    return Finding(
      "Esc", .notice, "tmux holds it back for half a second, unless it is told not to",
      "Put set -s escape-time 10 into ~/.tmux.conf.")
  }

  /// The two that are loaded when they are first needed (docs/decisions.md).
  private static var libraries: Finding {
    let missing = [("libcurl.so.4", "libcurl4"), ("libmicrohttpd.so.12", "libmicrohttpd12")].filter { library, _ in
      guard let handle = dlopen(library, RTLD_LAZY) else { return true }
      dlclose(handle)
      return false
    }
    guard !missing.isEmpty else { return Finding("libraries", .fine, "libcurl and libmicrohttpd") }
    return Finding(
      "libraries", .broken, "\(missing.map { $0.0 }.joined(separator: " and ")) cannot be loaded",
      "Install \(missing.map { $0.1 }.joined(separator: " and ")).")
  }

  private static func vault(_ session: Session) -> Finding {
    do throws(ServiceError) {
      if try session.configuration().keeper == .secretService { return secretService(session.environment) }
      let vault = try session.vault()
      guard vault.exists else {
        return Finding(
          "vault", .notice, "there is none: what signing in obtains lives as long as the process",
          "Create one with atrium vault create.")
      }
      let operation = "read the vault"
      let left = try VaultCommand.during(operation) { () throws(VaultError) in try vault.triesLeft() }
      if let left, left <= 3 {
        return Finding(
          "vault", .notice, "\(left) \(left == 1 ? "try" : "tries") left before it is deleted",
          "Unlock it with the right PIN: that sets the count back.")
      }
      return Finding("vault", .fine, "“\(vault.name)” is \(vault.isLocked ? "locked" : "unlocked")")
    } catch {
      return Finding("vault", .broken, error.reason, error.advice)
    }
  }

  private static func secretService(_ environment: [String: String]) -> Finding {
    let isThere = (environment["PATH"] ?? "").split(separator: ":").contains { access("\($0)/secret-tool", X_OK) == 0 }
    return isThere
      ? Finding("keeper", .fine, "the Secret Service, through secret-tool")
      : Finding(
        "keeper", .broken, "keeper: secret-service, and the program secret-tool is not installed",
        "Install it (Debian: libsecret-tools), or take the setting out.")
  }

  private static func state(_ paths: StandardPaths) -> Finding {
    var existing = paths.state
    while !Files.exists(existing), existing != "/" { existing = FilePath.directory(of: existing) }
    guard access(existing, W_OK) == 0 else {
      return Finding("state directory", .broken, "\(existing) cannot be written", "Check who owns it.")
    }
    return Finding("state directory", .fine, paths.state)
  }
}
