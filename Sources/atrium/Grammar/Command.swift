import Model

/// One command of the program: drives parsing, help and completion, and runs.
struct Command: Sendable {
  let name: String
  /// What follows the name, one line for each form: `LOCATION`.
  let forms: [String]
  /// One line for the list of commands.
  let summary: String
  /// More lines for the command's own help.
  let details: [String]
  let options: [Option]
  /// How many arguments it takes.
  let arguments: ClosedRange<Int>
  /// Words its first argument may be, such as `list` and `check`.
  let subcommands: [String]
  /// Whether `--help` lists it.
  let isListed: Bool
  /// Whether it takes the whole terminal, which then also takes care of signals.
  let isFullScreen: Bool
  let run: @Sendable (Session) async throws(ServiceError) -> Int32

  init(
    _ name: String, _ forms: [String] = [""], _ summary: String, details: [String] = [], options: [Option] = [],
    arguments: ClosedRange<Int>, subcommands: [String] = [], listed: Bool = true, fullScreen: Bool = false,
    run: @escaping @Sendable (Session) async throws(ServiceError) -> Int32
  ) {
    self.name = name
    self.forms = forms
    self.summary = summary
    self.details = details
    self.options = options
    self.arguments = arguments
    self.subcommands = subcommands
    isListed = listed
    isFullScreen = fullScreen
    self.run = run
  }

  func option(named name: String) -> Option? { (options + Option.everywhere).first { $0.name == name } }
  func option(short: Character) -> Option? { (options + Option.everywhere).first { $0.short == short } }
}
