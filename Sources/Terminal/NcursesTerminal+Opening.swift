internal import CNcurses
import Glibc
import Model

/// How the terminal is found and opened.
extension NcursesTerminal {
  /// The terminal's name, or the common one where its own is not known here; never a terminal without a movable cursor.
  static func usableTerm(_ term: String) throws(TerminalUnavailable) -> String {
    guard !term.isEmpty else { throw .cannotMove(term) }
    switch cncurses_probe(term) {
    case 1: return term
    case 0: throw .cannotMove(term)
    default:
      guard cncurses_probe("xterm-256color") == 1 else { throw .cannotMove(term) }
      return "xterm-256color"
    }
  }

  static func open(
    _ term: String, _ output: UnsafeMutablePointer<FILE>, _ input: UnsafeMutablePointer<FILE>, direct: Bool
  ) -> OpaquePointer? {
    // The size comes from the terminal, also after a resize; LINES and COLUMNS in the environment would freeze it.
    use_env(false)
    use_tioctl(true)
    let earlier = getenv("TERMINFO").map { String(cString: $0) }
    if direct, let entry = DirectColor.compiledEntry(of: term, environment: currentEnvironment()),
      let description = DirectColor.description(from: entry)
    {
      setenv("TERMINFO", description, 1)
    }
    let screen = newterm(term, output, input) ?? (direct ? reopened(term, output, input, earlier) : nil)
    if let earlier { setenv("TERMINFO", earlier, 1) } else { unsetenv("TERMINFO") }
    return screen
  }

  private static func reopened(
    _ term: String, _ output: UnsafeMutablePointer<FILE>, _ input: UnsafeMutablePointer<FILE>, _ terminfo: String?
  ) -> OpaquePointer? {
    if let terminfo { setenv("TERMINFO", terminfo, 1) } else { unsetenv("TERMINFO") }
    return newterm(term, output, input)
  }

  private static func currentEnvironment() -> [String: String] {
    var variables: [String: String] = [:]
    for name in ["TERMINFO", "HOME", "TERMINFO_DIRS"] {
      if let value = getenv(name) { variables[name] = String(cString: value) }
    }
    return variables
  }

  static func startColors() -> Int {
    guard has_colors(), start_color() == OK else { return 0 }
    use_default_colors()
    return Int(cncurses_colors())
  }
}
