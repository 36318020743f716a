import Model
import Screens

/// Help, made from the command table, in lines as wide as the terminal.
enum Help {
  /// - Parameter columns: Of the terminal; 80 where there is none.
  static func overview(_ commands: [Command], columns: Int = 80) -> String {
    let listed = commands.filter(\.isListed)
    let width = listed.map(\.name.count).max() ?? 0
    var text = """
      atrium: a terminal browser for bank accounts, documents and stored objects

      atrium                     open the browser on the configured connections
      atrium demo                open it on a built-in sandbox of all five
      atrium COMMAND [OPTIONS]   do one thing and print it


      """
    text += "Commands:\n"
    for command in listed {
      text += entry(command.name, command.summary, width: width, columns: columns)
    }
    text += "\nEverywhere:\n" + table(Option.everywhere, columns)
    let more =
      "A LOCATION is CONNECTION:/path, for example bank:/banks or docs:/files/Shared; atrium connections lists the "
      + "connections. Say atrium COMMAND --help for more, or atrium man | man -l - for all of it."
    return text + "\n" + lines(more, columns)
  }

  static func text(of command: Command, columns: Int = 80) -> String {
    var text = command.forms.map { "atrium \(command.name)\($0.isEmpty ? "" : " ")\($0)\n" }.joined()
    text += "\n" + lines("\(command.summary.prefix(1).uppercased())\(command.summary.dropFirst()).", columns)
    if !command.details.isEmpty { text += "\n" + command.details.map { lines($0, columns) }.joined() }
    if !command.options.isEmpty { text += "\nOptions:\n" + table(command.options, columns) }
    text += "\nEverywhere:\n" + table(Option.everywhere, columns)
    return text
  }

  private static func table(_ options: [Option], _ columns: Int) -> String {
    let width = min(30, columns / 3, options.map(\.spelling.count).max() ?? 0)
    return options.map { entry($0.spelling, $0.help, width: width, columns: columns) }.joined()
  }

  /// A term and what it means beside it, or below it where the term is long.
  private static func entry(_ term: String, _ help: String, width: Int, columns: Int) -> String {
    let indent = String(repeating: " ", count: width + 4)
    let wrapped = Wrap.lines(help, columns: max(20, columns - width - 4)).joined(separator: "\n" + indent)
    return TextWidth.columns(of: term) > width
      ? "  \(term)\n\(indent)\(wrapped)\n" : "  \(term.padded(columns: width))  \(wrapped)\n"
  }

  private static func lines(_ text: String, _ columns: Int) -> String {
    Wrap.lines(text, columns: columns).map { $0 + "\n" }.joined()
  }
}
