import Model
import Store

/// A command line, taken apart.
struct Invocation: Sendable {
  /// Nil when only options were given.
  let command: Command?
  let arguments: [String]
  private let values: [String: [String]]

  func has(_ option: String) -> Bool { values[option] != nil }
  func value(_ option: String) -> String? { values[option]?.last }
  func all(_ option: String) -> [String] { values[option] ?? [] }

  /// - Throws: `.usage` when it is no whole number of at least `minimum`.
  func integer(_ option: String, atLeast minimum: Int = 0) throws(ServiceError) -> Int? {
    guard let text = value(option) else { return nil }
    guard let number = Int(text), number >= minimum else {
      throw .usage("--\(option) takes a whole number from \(minimum) on, not “\(text)”")
    }
    return number
  }

  /// - Parameters:
  ///   - words: Without the program's name.
  ///   - commands: All there are.
  init(_ words: [String], commands: [Command]) throws(ServiceError) {
    let command = try Invocation.command(in: words, commands)
    var arguments: [String] = []
    var values: [String: [String]] = [:]
    var rest = words[...]
    var seenCommand = command == nil
    while let word = rest.popFirst() {
      if word == "--" {
        arguments += rest
        break
      }
      guard word.hasPrefix("-"), word != "-" else {
        if seenCommand { arguments.append(word) } else { seenCommand = true }
        continue
      }
      let (option, attached) = try Invocation.option(word, of: command, commands)
      if !option.takesValue, attached != nil { throw .usage("--\(option.name) takes no value", command) }
      var value = ""
      if option.takesValue {
        guard let given = attached ?? rest.popFirst() else {
          throw .usage("--\(option.name) needs a value: \(option.spelling)", command)
        }
        value = given
        guard option.isOpen || option.choices.isEmpty || option.choices.contains(value) else {
          let hint = Spelling.nearest(to: value, among: option.choices).map { "; did you mean \($0)?" } ?? ""
          throw .usage(
            "--\(option.name) takes one of \(option.choices.joined(separator: ", ")), not “\(value)”\(hint)", command)
        }
      }
      values[option.name, default: []].append(value)
    }
    self.command = command
    self.arguments = arguments
    self.values = values
  }

  /// Whether there are as many arguments as the command takes.
  func checkArguments() throws(ServiceError) {
    guard let command else { return }
    if arguments.count < command.arguments.lowerBound {
      throw .usage("\(command.name) needs more: atrium \(command.name) \(command.forms[0])", command)
    }
    if arguments.count > command.arguments.upperBound {
      throw .usage("“\(arguments[command.arguments.upperBound])” is more than \(command.name) takes", command)
    }
  }

  /// The first word that is neither an option nor an option's value.
  private static func command(in words: [String], _ commands: [Command]) throws(ServiceError) -> Command? {
    var rest = words[...]
    while let word = rest.popFirst(), word != "--" {
      if word.hasPrefix("-"), word != "-" {
        if !word.contains("="), let option = anyOption(word, commands), option.takesValue { _ = rest.popFirst() }
        continue
      }
      if let command = commands.first(where: { $0.name == word }) { return command }
      let hint = Spelling.nearest(to: word, among: commands.filter(\.isListed).map(\.name))
      throw .usage("there is no command “\(word)”" + (hint.map { "; did you mean \($0)?" } ?? ""))
    }
    return nil
  }

  private static func anyOption(_ word: String, _ commands: [Command]) -> Option? {
    (Option.everywhere + commands.flatMap(\.options)).first {
      word == "--\($0.name)" || $0.short.map { word == "-\($0)" } == true
    }
  }

  /// The option a word names, and the value that is part of the word (`--limit=5`, `-oFILE`).
  private static func option(
    _ word: String, of command: Command?, _ commands: [Command]
  ) throws(ServiceError) -> (Option, String?) {
    let known = (command?.options ?? []) + Option.everywhere
    if word.hasPrefix("--") {
      let halves = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(halves[0])
      if let option = known.first(where: { $0.name == name }) {
        return (option, halves.count > 1 ? String(halves[1]) : nil)
      }
      let hint = Spelling.nearest(to: name, among: known.map(\.name)).map { "; did you mean --\($0)?" } ?? ""
      throw .usage("there is no option --\(name)\(hint)", command)
    }
    let letter = word[word.index(after: word.startIndex)]
    guard let option = known.first(where: { $0.short == letter }) else {
      throw .usage("there is no option -\(letter)", command)
    }
    let attached = word.dropFirst(2)
    if !option.takesValue, !attached.isEmpty { throw .usage("there is no option \(word)", command) }
    return (option, attached.isEmpty ? nil : String(attached))
  }
}

extension ServiceError {
  /// A command line that does not say what to do.
  static func usage(_ detail: String, _ command: Command? = nil) -> ServiceError {
    ServiceError(
      .usage, "understand the command line", detail: detail,
      remedy: "See atrium \(command.map { "\($0.name) " } ?? "")--help.")
  }
}
