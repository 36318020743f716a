/// One option of a command: drives parsing, help and completion.
struct Option: Sendable {
  /// Without the dashes.
  let name: String
  let short: Character?
  /// What stands for its value in help; nil for an option that is there or not.
  let value: String?
  /// The values there are, when they are few.
  let choices: [String]
  let isRepeatable: Bool
  /// Whether there may be values beside the choices, which only the command knows.
  let isOpen: Bool
  let help: String

  init(
    _ name: String, short: Character? = nil, value: String? = nil, choices: [String] = [], repeatable: Bool = false,
    isOpen: Bool = false, _ help: String
  ) {
    self.name = name
    self.short = short
    self.value = value ?? (choices.isEmpty ? nil : choices.joined(separator: "|"))
    self.choices = choices
    isRepeatable = repeatable
    self.isOpen = isOpen
    self.help = help
  }

  var takesValue: Bool { value != nil }
  /// As a person writes it: `--limit N`.
  var spelling: String { (short.map { "-\($0), " } ?? "") + "--\(name)" + (value.map { " \($0)" } ?? "") }
}

extension Option {
  /// What every command takes.
  static let everywhere: [Option] = [
    Option("config", value: "FILE", "read this configuration instead of config.yaml"),
    Option("theme", value: "NAME|FILE", "use this theme"),
    Option("offline", "answer only from what is stored here"),
    Option("trace", value: "FILE", "write every exchange as HAR 1.2, secrets left out"),
    Option("log-level", choices: ["none", "error", "warning", "info", "debug"], "how much to say on standard error"),
    Option("plain", "line by line, for screen readers and terminals that cannot move their cursor"),
    Option("no-color", "no colour; bold and reverse stay"),
    Option("help", short: "h", "explain the command"),
    Option("version", "print the version"),
  ]
}
