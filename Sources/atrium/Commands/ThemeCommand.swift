import Model
import Stage
import Store

enum ThemeCommand {
  static let command = Command(
    "theme", ["list", "show NAME", "check FILE"], "list, show or check themes",
    arguments: 1...2, subcommands: ["list", "show", "check"], run: run)

  private static func run(_ session: Session) async throws(ServiceError) -> Int32 {
    let library = session.themes
    switch (session.arguments[0], session.arguments.count > 1 ? session.arguments[1] : nil) {
    case ("list", nil): try list(library, session)
    case ("show", let name?): try show(try library.load(name), session)
    case ("check", let file?): return try check(try library.load(file: file), session)
    case ("show", nil), ("check", nil): throw .usage("name the theme", command)
    default: throw .usage("theme has list, show NAME and check FILE", command)
    }
    return ExitStatus.done
  }

  private static func list(_ library: ThemeLibrary, _ session: Session) throws(ServiceError) {
    let names = library.names + [Theme.plain.name]
    let width = names.map { TextWidth.columns(of: $0) }.max() ?? 0
    for name in names {
      // A broken theme is still listed: `theme check` says what is wrong with it.
      let title = (try? library.load(name))?.theme.title ?? "(broken)"
      try session.output.write("\(Visible.printed(name).padded(columns: width))  \(Visible.printed(title))\n")
    }
  }

  private static func check(_ loaded: ThemeLibrary.Loaded, _ session: Session) throws(ServiceError) -> Int32 {
    for warning in loaded.warnings { session.say(.warning, warning.description) }
    for name in loaded.theme.missingParts { session.say(.warning, "\(loaded.path): nothing says how \(name) looks") }
    let pairs = ThemeContrast.pairs(of: loaded.theme)
    for pair in pairs where pair.ratio < pair.goal {
      session.say(
        .warning,
        "\(loaded.path): \(pair.role) on \(pair.ground) has a contrast of \(tenths(pair.ratio)), \(tenths(pair.goal)) is wanted"
      )
    }
    let least = pairs.map(\.ratio).min().map { ", contrast from \(tenths($0))" } ?? ", colours of the terminal"
    try session.output.write(
      "\(loaded.path): \(Visible.printed(loaded.theme.title)), \(loaded.theme.brightness.rawValue)\(least)\n")
    return ExitStatus.done
  }

  /// One digit behind the point, cut and not rounded: 4.49 is not enough.
  private static func tenths(_ value: Double) -> String { "\(Int(value * 10) / 10).\(Int(value * 10) % 10)" }

  private static func show(_ loaded: ThemeLibrary.Loaded, _ session: Session) throws(ServiceError) {
    let theme = loaded.theme
    let isColoured = session.isColoured
    var text = "\(Visible.printed(theme.title)) (\(theme.brightness.rawValue))\n\nRoles\n"
    for role in Style.Role.allCases {
      text += line("\(role)", theme.look(of: Style(role)), isColoured)
    }
    text += "\nGrounds\n"
    for ground in Style.Ground.allCases {
      text += line("\(ground)", theme.look(of: Style(.text, on: ground)), isColoured)
    }
    try session.output.write(text)
  }

  private static func line(_ name: String, _ look: Look, _ isColoured: Bool) -> String {
    let sample = isColoured ? "\u{1B}[\(look.codes)m Sample 1,204.50 \u{1B}[0m  " : ""
    return "  \(name.padded(columns: 20))\(sample)\(look.words)\n"
  }
}

extension Session {
  var themes: ThemeLibrary { ThemeLibrary(paths: paths, executable: Executable.path) }

  /// A theme that is named but cannot be had is a mistake on the command line, also where nothing is drawn with it.
  func checkTheme() throws(ServiceError) {
    guard let name = invocation.value("theme"), name != ThemeLibrary.automatic else { return }
    do throws(ServiceError) {
      _ = try themes.load(name)
    } catch {
      throw ServiceError(.usage, error.operation, detail: error.detail, remedy: error.remedy, cause: error)
    }
  }
}

extension Theme {
  /// Roles and grounds the file says nothing about.
  fileprivate var missingParts: [String] {
    Style.Role.allCases.filter { roles[$0] == nil }.map { "the role \($0)" }
      + Style.Ground.allCases.filter { grounds[$0] == nil }.map { "the ground \($0)" }
  }
}

extension Look {
  /// For people: the colours and what else is done.
  fileprivate var words: String {
    var words: [String] = []
    if let foreground { words.append(foreground.text) }
    if let background { words.append("on \(background.text)") }
    if isBold { words.append("bold") }
    if isDim { words.append("dim") }
    if isItalic { words.append("italic") }
    if isUnderlined { words.append("underline") }
    if isReverse { words.append("reverse") }
    return words.joined(separator: " ")
  }
}

extension Color {
  fileprivate var text: String {
    switch self {
    case .standard: "default"
    case .terminal(let index): (index > 7 ? "bright-" : "") + Color.names[Int(index) % 8]
    case .rgb(let red, let green, let blue):
      "#"
        + [red, green, blue].map { value in
          let hex = String(value, radix: 16)
          return hex.utf8.count == 1 ? "0" + hex : hex
        }.joined()
    }
  }
}
