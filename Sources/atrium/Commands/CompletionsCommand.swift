import Model

enum CompletionsCommand {
  static let command = Command(
    "completions", Completions.shells, "print a completion script for a shell",
    details: ["bash: source <(atrium completions bash)   zsh: into a file _atrium on $fpath   fish: | source"],
    arguments: 1...1, subcommands: Completions.shells
  ) { session throws(ServiceError) in
    let shell = session.arguments[0]
    guard Completions.shells.contains(shell) else {
      throw .usage("completions are for \(Completions.shells.joined(separator: ", "))", session.invocation.command)
    }
    try session.output.write(Completions.script(for: shell, session.commands))
    return ExitStatus.done
  }
}
