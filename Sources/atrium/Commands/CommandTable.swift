import Model

/// All commands, in the order help lists them.
enum CommandTable {
  static let all: [Command] = [
    DemoCommand.command, SandboxCommand.command,
    ListCommand.command, ShowCommand.command, GetCommand.command, PutCommand.command, DoCommand.command,
    RemoveCommand.command, SearchCommand.command, CallCommand.command,
    LoginCommand.command, LogoutCommand.command, StatusCommand.command,
    ConnectionsCommand.command, SyncCommand.command, VaultCommand.command,
    PlayCommand.command, RecordCommand.command, ThemeCommand.command,
    DoctorCommand.command, CompletionsCommand.command, CompleteCommand.command, ManualCommand.command,
  ]

  /// What no command at all does.
  static func browse(_ session: Session) async throws(ServiceError) -> Int32 {
    try await BrowseCommand.run(session)
  }
}
