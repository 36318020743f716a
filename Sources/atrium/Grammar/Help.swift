import Model

/// Help, made from the command table.
enum Help {
  static func overview(_ commands: [Command]) -> String {
    let listed = commands.filter(\.isListed)
    let width = listed.map(\.name.count).max() ?? 0
    var text = """
      atrium: a terminal browser for bank accounts, documents and stored objects

      atrium                     open the browser on the configured connections
      atrium demo                open it on a built-in sandbox; nothing needs to be set up
      atrium COMMAND [OPTIONS]   do one thing and print it


      """
    text += "Commands:\n"
    for command in listed {
      text += "  \(command.name.padded(columns: width))  \(command.summary)\n"
    }
    text += "\nEverywhere:\n" + table(Option.everywhere)
    text += """

      A LOCATION is CONNECTION:/path, for example bank:/banks or docs:/files/Shared; atrium connections lists the
      connections. Say atrium COMMAND --help for more.

      """
    return text
  }

  static func text(of command: Command) -> String {
    var text = command.forms.map { "atrium \(command.name)\($0.isEmpty ? "" : " ")\($0)\n" }.joined()
    text += "\n\(command.summary.prefix(1).uppercased())\(command.summary.dropFirst()).\n"
    if !command.details.isEmpty { text += "\n" + command.details.map { $0 + "\n" }.joined() }
    if !command.options.isEmpty { text += "\nOptions:\n" + table(command.options) }
    text += "\nEverywhere:\n" + table(Option.everywhere)
    return text
  }

  private static func table(_ options: [Option]) -> String {
    let width = min(34, options.map(\.spelling.count).max() ?? 0)
    return options.map { option in
      let gap =
        option.spelling.count > width
        ? "\n" + String(repeating: " ", count: width + 4)
        : String(repeating: " ", count: width - option.spelling.count + 2)
      return "  \(option.spelling)\(gap)\(option.help)\n"
    }.joined()
  }
}
