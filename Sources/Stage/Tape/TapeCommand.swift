/// The words a line of a tape begins with; drives reading, the manual page and the reference.
package struct TapeCommand: Sendable {
  package let name: String
  /// What follows the name.
  package let form: String
  package let help: String
  /// Whether it sets the stage and so stands before the first step.
  package let isSetting: Bool

  private init(_ name: String, _ form: String, _ help: String, setting: Bool = false) {
    self.name = name
    self.form = form
    self.help = help
    isSetting = setting
  }

  package static let settings: [TapeCommand] = [
    TapeCommand("title", "\"TEXT\"", "names the film", setting: true),
    TapeCommand("seed", "N", "what the sandbox makes its data from", setting: true),
    TapeCommand(
      "clock", "TIME", "what the clock shows at the start, as 2026-03-02T09:30:00Z; it goes on by what the tape takes",
      setting: true),
    TapeCommand("pace", "TIME", "from one typed character to the next; 70ms unless told", setting: true),
    TapeCommand(
      "connections", "demo|own", "the five of the built-in sandbox, or those of your configuration", setting: true),
    TapeCommand(
      "timings", "none|real",
      "whether exchanges say how long they took when played out of sight; real ones are never quite the same",
      setting: true),
  ]

  package static let steps: [TapeCommand] = [
    TapeCommand("size", "COLSxROWS", "the terminal's size; in a real terminal its own stays"),
    TapeCommand("theme", "NAME", "the theme, from here on"),
    TapeCommand("show", "keys", "shows the keys as they are pressed; so it begins"),
    TapeCommand("hide", "keys", "shows them no more"),
    TapeCommand("type", "\"TEXT\" | env NAME", "types a text, or unseen what an environment variable holds"),
    TapeCommand("keys", "KEY…", "presses keys: enter, esc, down, ctrl-p, f1, x; down*3 presses it three times"),
    TapeCommand(
      "wait", "[gone] \"TEXT\" [TIME]", "goes on when the text stands on the screen, or is gone; fails after TIME (15s)"
    ),
    TapeCommand("hold", "", "goes on when the presenter presses Enter; without a presenter after two seconds"),
    TapeCommand("pause", "TIME", "rests: 800ms, 1.5s"),
    TapeCommand("caption", "[\"TEXT\"]", "shows a line below the screen; without text takes it away"),
    TapeCommand("screenshot", "NAME", "draws the screen into NAME.svg and NAME.txt, where --pictures is given"),
    TapeCommand("film", "on|off", "what happens between off and on is not in the film"),
  ]

  package static let all = settings + steps
}
