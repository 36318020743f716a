import Model
import Screens
import Stage
import Store

/// The pages of the manual, made from the tables that the program itself goes by.
enum Manual {
  static let names = ["atrium", "atrium-config", "atrium-tape"]

  static func page(_ name: String, _ commands: [Command]) -> ManualPage {
    switch name {
    case "atrium-config": configuration
    case "atrium-tape": tape
    default: program(commands.filter(\.isListed))
    }
  }

  private static let seeAlso = ManualPage.Block.section("See also")

  // MARK: atrium(1)

  private static func program(_ commands: [Command]) -> ManualPage {
    var blocks: [ManualPage.Block] = [
      .section("Synopsis"),
      .code(["atrium [OPTIONS]", "atrium COMMAND [OPTIONS] [ARGUMENTS]"]),
      .section("Description"),
      .text(
        "Atrium browses bank accounts, documents and stored objects of five kinds of back end with one set of keys. "
          + "Without a command it opens the browser on the configured connections; with one it does one thing, prints it "
          + "and ends."),
      .text(
        "Places are named by locations, CONNECTION:/path, such as bank:/accounts or docs:/files/Shared. The browser shows "
          + "them at the top, commands take them as arguments, and every one that is printed is accepted back."),
      .section("Commands"),
    ]
    for command in commands {
      blocks.append(.part(command.name))
      blocks.append(.code(command.forms.map { "atrium \(command.name)\($0.isEmpty ? "" : " " + $0)" }))
      let summary = "\(command.summary.prefix(1).uppercased())\(command.summary.dropFirst())."
      blocks.append(.text(([summary] + command.details).joined(separator: " ")))
      blocks += command.options.map { .definition($0.spelling, $0.help) }
    }
    blocks.append(.section("Options"))
    blocks += Option.everywhere.map { .definition($0.spelling, $0.help) }
    return ManualPage(
      name: "atrium", chapter: 1, summary: "a terminal browser for bank accounts, documents and stored objects",
      blocks: blocks + keys + endings)
  }

  private static var keys: [ManualPage.Block] {
    let rows = KeyMap.standard.rows.filter { !$0.keys.isEmpty }
    return [
      .section("Keys"), .text("Each action has a name, in brackets, by which keys: of atrium-config(5) moves it."),
    ]
      + rows.map { row in
        .definition(
          row.keys.map(\.sign).joined(separator: " "), "\(row.help) [\(row.command.rawValue)]")
      }
  }

  private static let endings: [ManualPage.Block] = [
    .section("Exit status"),
    .definition("0", "done"),
    .definition("1", "failed, not permitted, or not offered"),
    .definition("2", "the command line, the configuration or the connection's safety is wrong"),
    .definition("3", "a sign-in, or the vault, is needed"),
    .definition("4", "there is no such thing"),
    .definition("5", "the server cannot be reached, or is in trouble"),
    .definition("6", "a conflict with what somebody else has changed"),
    .section("Environment"),
    .definition("ATRIUM_CONFIG", "the configuration, in place of config.yaml"),
    .definition("ATRIUM_PIN_FILE", "a file whose first line is the vault's PIN"),
    .definition("NO_COLOR", "no colour where it is not empty; bold and reverse stay"),
    .definition("COLORTERM", "truecolor or 24bit, where the terminal shows 24-bit colour"),
    .definition("LC_ALL, LC_CTYPE, LANG", "whether anything outside ASCII is drawn"),
    .definition("LC_NUMERIC, LC_TIME", "how the browser writes numbers and months; what scripts read stays exact"),
    .definition("PAGER, EDITOR, BROWSER", "programs that show or edit something outside"),
    .definition("ESCDELAY", "milliseconds that a lone Esc waits, 25 unless told"),
    .section("Files"),
    .definition("$XDG_CONFIG_HOME/atrium/config.yaml", "the configuration, see atrium-config(5)"),
    .definition("$XDG_CONFIG_HOME/atrium/themes/", "themes of your own"),
    .definition("$XDG_DATA_HOME/atrium/", "vault and offline store"),
    .definition("$XDG_STATE_HOME/atrium/", "session state, history and logs"),
    .definition("$XDG_CACHE_HOME/atrium/", "cache, which may be deleted"),
    .section("Examples"),
    .code([
      "atrium demo", "atrium ls bank:/accounts --format csv --columns label,balance,currency",
      "atrium get docs:/files/Shared/report.pdf", "atrium put photo.png mobile:/storage/Photos/",
      "atrium play tour.tape --cast tour.cast",
    ]),
    seeAlso, .text("atrium-config(5), atrium-tape(5)"),
  ]

  // MARK: atrium-config(5)

  private static var configuration: ManualPage {
    var blocks: [ManualPage.Block] = [
      .section("Description"),
      .text(
        "config.yaml under $XDG_CONFIG_HOME/atrium says which connections there are. It is YAML, so JSON is welcome too. "
          + "An unknown key is warned of by name and line and does no harm; a value of the wrong type is reported with file, "
          + "line and column. Changes that the program makes keep comments."),
      .section("The file"),
    ]
    blocks += SettingsManual.top.map { .definition("\($0.path): \($0.form)", $0.help) }
    blocks += [
      .section("Secrets"),
      .text("A SECRET is a text, or where to find it:"),
      .definition("{ env: NAME }", "an environment variable"),
      .definition("{ file: PATH }", "the first line of a file"),
      .definition("{ command: [WORD…] }", "the first line a program prints"),
      .definition("{ vault: NAME }", "an entry of the vault"),
      .section("Every connection"),
    ]
    blocks += SettingsManual.common.map { .definition("\($0.path): \($0.form)", $0.help) }
    for kind in BackendKind.allCases {
      blocks.append(.section("kind: \(kind.rawValue)"))
      blocks.append(.text("\(kind.title)."))
      blocks += SettingsManual.own(kind).map { .definition("\($0.path): \($0.form)", $0.help) }
    }
    blocks += [
      .section("Example"),
      .code([
        "theme: auto", "keys: { ctrl-r: refresh }", "connections:", "  - name: bank", "    kind: openbank",
        "    url: https://api.example.org/obp/v5.1.0", "    auth:", "      method: direct",
        "      consumerKey: { vault: bank-key }", "      user: susan", "      password: { env: OBP_PASSWORD }",
        "  - name: docs", "    kind: alfresco", "    url: https://docs.example.org/alfresco",
        "    auth: { method: basic, user: susan }", "    color: \"#cc3333\"", "    readOnly: true",
      ]),
      seeAlso, .text("atrium(1)"),
    ]
    return ManualPage(name: "atrium-config", chapter: 5, summary: "the configuration of atrium", blocks: blocks)
  }

  // MARK: atrium-tape(5)

  private static let tape = ManualPage(
    name: "atrium-tape", chapter: 5, summary: "keyboard demos that atrium plays",
    blocks: [
      .section("Description"),
      .text(
        "A tape is a text file that says what a person does at the keyboard, one command a line. atrium play plays it in "
          + "your terminal or into files, atrium demo --tape plays it and then leaves the keyboard to you, and atrium record "
          + "writes one."),
      .text(
        "After each key the player waits until all that the key began has ended: nothing has to be said about how long a "
          + "server takes. Played out of sight, the clock moves only by what the tape takes, the data is made from the seed, "
          + "and the same tape makes the same film, byte for byte."),
      .text(
        "Words stand apart by spaces. A TEXT stands in double quotes, in which \\\" and \\\\ stand for themselves. What "
          + "follows # is a comment. A mistake is reported with its line and column before anything is opened."),
      .section("Settings"),
      .text("They stand before the first step."),
    ] + TapeCommand.settings.map { .definition("\($0.name) \($0.form)", $0.help) } + [
      .text("size, theme, show and hide set the stage, too, when nothing has happened yet."),
      .section("Steps"),
    ] + TapeCommand.steps.map { .definition($0.form.isEmpty ? $0.name : "\($0.name) \($0.form)", $0.help) } + [
      .section("The presenter"),
      .text(
        "While a tape plays in a terminal, any key takes over: the tape waits, and the keyboard is yours until F12 gives it "
          + "back. At a hold, Enter or Space goes on. Ctrl-C twice leaves, as ever."),
      .section("Example"),
      .code([
        "title \"To the bank\"", "size 100x28", "theme dusk", "", "wait \"Choose a door\"",
        "caption \"A colon goes anywhere\"", "type \":bank:/accounts\"", "keys enter", "wait \"Sign in to bank\"",
        "keys enter", "wait \"Everyday account\"", "keys down*3", "pause 2s", "screenshot accounts",
      ]),
      seeAlso, .text("atrium(1)"),
    ])
}
