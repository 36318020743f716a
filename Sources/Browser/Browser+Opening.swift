import Model
import Screens
import Terminal

extension Browser {
  /// Opens the browser on this process's terminal and runs it to its end; the terminal is then as it was.
  ///
  /// - Parameters:
  ///   - environment: The process environment: `TERM`, locale, `NO_COLOR`, `PAGER`, `EDITOR`.
  ///   - allowsColor: False for `--no-color`.
  ///   - notices: Said at the start: what is odd in the configuration.
  /// - Returns: The exit status.
  /// - Throws: `TerminalUnavailable` before anything was drawn.
  package static func run(
    _ port: any ServicePort, environment: [String: String], settings: BrowserSettings, allowsColor: Bool = true,
    notices: [String] = []
  ) async throws(TerminalUnavailable) -> Int32 {
    let terminal = try NcursesTerminal(TerminalEnvironment(environment, allowsColor: allowsColor))
    let browser = Browser(
      terminal: terminal, port: port, programs: SystemPrograms(environment: environment), clock: SystemPacemaker(),
      settings: settings)
    let status = await browser.run(notices: notices)
    terminal.close()
    return status
  }
}
