import Glibc
import Model

/// What the environment says about the terminal; read once, before anything is drawn.
package struct TerminalEnvironment: Sendable {
  package var term: String
  package var isUnicode: Bool
  package var allowsColor: Bool
  package var offersDirectColor: Bool
  package var isInsideTmux: Bool
  package var isInsideScreen: Bool
  /// Graphics that the environment tells of: kitty and others by name. Nothing inside tmux or screen, which take such
  /// pictures for something else.
  package var graphics: Graphic.Canvas.Form?
  /// How long a lone Esc waits for the rest of a sequence.
  package var escapeDelay: Duration

  /// - Parameter variables: the process environment, or a test's.
  package init(_ variables: [String: String], allowsColor: Bool = true) {
    term = variables["TERM"] ?? ""
    isUnicode = TerminalTraits.namesUnicode(variables)
    // NO_COLOR counts when it is not empty (no-color.org).
    self.allowsColor = allowsColor && (variables["NO_COLOR"] ?? "").isEmpty
    offersDirectColor = DirectColor.isOffered(variables)
    isInsideTmux = !(variables["TMUX"] ?? "").isEmpty
    isInsideScreen = !isInsideTmux && !(variables["STY"] ?? "").isEmpty
    graphics = isInsideTmux || isInsideScreen ? nil : TerminalEnvironment.graphics(variables)
    let milliseconds = variables["ESCDELAY"].flatMap(Int.init).map { min(max($0, 1), 90) } ?? 25
    escapeDelay = .milliseconds(milliseconds)
  }

  private static func graphics(_ variables: [String: String]) -> Graphic.Canvas.Form? {
    let program = variables["TERM_PROGRAM"] ?? ""
    let term = variables["TERM"] ?? ""
    if !(variables["KITTY_WINDOW_ID"] ?? "").isEmpty || ["ghostty", "WezTerm"].contains(program) { return .kitty }
    if ["xterm-kitty", "xterm-ghostty"].contains(term) { return .kitty }
    let showsSixel = program == "mintty" || ["foot", "mlterm", "contour"].contains { term.hasPrefix($0) }
    return showsSixel ? .sixel : nil
  }

  /// Makes the C library draw what the locale names; a UTF-8 locale that is not installed is replaced by C.UTF-8.
  package func applyLocale() {
    if setlocale(LC_ALL, "") == nil || String(cString: nl_langinfo(Int32(CODESET))) != "UTF-8", isUnicode {
      setlocale(LC_CTYPE, "C.UTF-8")
    }
  }
}

/// Why the full screen cannot be opened, in a line that says what to do.
package struct TerminalUnavailable: Error, Sendable, CustomStringConvertible {
  package let description: String

  package static let noTerminal = TerminalUnavailable(
    description: "open the browser: this is not a terminal (use a command such as atrium ls; see atrium --help)")

  package static func cannotMove(_ term: String) -> TerminalUnavailable {
    let name = term.isEmpty ? "TERM is not set" : "the terminal “\(term)” cannot move its cursor"
    return TerminalUnavailable(
      description: "open the browser: \(name) (set TERM to what your terminal is, or use a command such as atrium ls)")
  }
}

extension TerminalEnvironment {
  /// Pieces of one string that screen passes on at most, in bytes.
  private static let screenPiece = 700

  /// A sequence as it must be written to reach the terminal outside tmux or screen.
  package func passedThrough(_ sequence: String) -> String {
    // tmux takes it in a wrapping of its own, with every Esc doubled.
    if isInsideTmux { return "\u{1B}Ptmux;" + sequence.replacing("\u{1B}", with: "\u{1B}\u{1B}") + "\u{1B}\\" }
    guard isInsideScreen else { return sequence }
    // screen passes on what stands in a device control string, and cuts a long one: it is sent in pieces.
    var wrapped = ""
    var rest = sequence[...]
    while !rest.isEmpty {
      wrapped += "\u{1B}P" + rest.prefix(TerminalEnvironment.screenPiece) + "\u{1B}\\"
      rest = rest.dropFirst(TerminalEnvironment.screenPiece)
    }
    return wrapped
  }
}
