import Model

enum ManualCommand {
  static let command = Command(
    "man", Manual.names, "print a page of the manual",
    details: ["As a manual page: atrium man atrium-tape | man -l -"],
    options: [Option("format", choices: ["man", "markdown"], "man unless told")],
    arguments: 0...1, subcommands: Manual.names
  ) { session throws(ServiceError) in
    let name = session.arguments.first ?? Manual.names[0]
    guard Manual.names.contains(name) else {
      throw .usage("the manual has \(Manual.names.joined(separator: ", "))", session.invocation.command)
    }
    let page = Manual.page(name, session.commands)
    let isMarkdown = session.invocation.value("format") == "markdown"
    try session.output.write(isMarkdown ? page.markdown : page.roff(version: Program.version))
    return ExitStatus.done
  }
}
