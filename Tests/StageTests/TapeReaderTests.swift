import Model
import TestKit
import Testing

@testable import Stage

@Suite struct TapeReaderTests {
  @Test func `settings come first, then what the person does`() throws {
    let tape = try TapeReader.read(
      """
      # A tour.
      title "Two \\"doors\\""
      size 100x30
      theme dawn
      seed 7
      clock 2026-01-05T10:00:00Z
      pace 40ms
      hide keys

      type ":bank:/banks"   # goes there
      keys enter down*3 ctrl-p # *
      wait "Rainbow" 2s
      wait gone "Loading"
      pause 1.5s
      caption "Here"
      caption
      size 80x24
      theme dusk
      show keys
      screenshot banks-2
      film off
      type env PASSWORD
      hold
      """)
    #expect(tape.settings.title == "Two \"doors\"")
    #expect(tape.settings.size == Size(columns: 100, rows: 30))
    #expect(tape.settings.theme == "dawn")
    #expect(tape.settings.seed == 7)
    #expect(tape.settings.clock.rfc3339 == "2026-01-05T10:00:00Z")
    #expect(tape.settings.pace == 40)
    #expect(!tape.settings.showsKeys)
    #expect(
      tape.cues.map(\.step) == [
        .type(":bank:/banks"), .keys([.enter, .down, .down, .down, .control("p")]),
        .wait("Rainbow", isGone: false, limit: 2000), .wait("Loading", isGone: true, limit: Tape.standardLimit),
        .pause(1500), .caption("Here"), .caption(nil), .size(Size(columns: 80, rows: 24)), .theme("dusk"),
        .showKeys(true), .screenshot("banks-2"), .film(false), .typeVariable("PASSWORD"), .hold,
      ])
    #expect(tape.cues.first?.line == 10)
  }

  struct Mistake: CustomTestStringConvertible {
    let tape: String
    let says: String
    init(_ tape: String, _ says: String) {
      self.tape = tape
      self.says = says
    }
    var testDescription: String { tape }
  }

  @Test(arguments: [
    Mistake("\n  tpye \"x\"", "2:3: there is no command “tpye”; did you mean type?"),
    Mistake("keys entr", "1:6: there is no key “entr”; did you mean enter?"),
    Mistake("keys down*x", "1:6: “down*x” must be a key and how often"),
    Mistake("type hello", "1:6: “hello” must be a text in quotes"),
    Mistake("type", "1:5: type needs a text in quotes"),
    Mistake("type \"abc", "1:6: the text does not end"),
    Mistake("type \"a\\n\"", "1:6: only \\\" and \\\\ may follow a backslash"),
    Mistake("wait \"\"", "1:6: wait for a text that is not empty"),
    Mistake("pause 3", "1:7: “3” must be a time such as 800ms or 1.5s"),
    Mistake("pause -1s", "1:7: “-1s” must be a time"),
    Mistake("size 10x2", "1:6: “10x2” must be a size such as 100x30"),
    Mistake("film maybe", "1:6: there is no choice “maybe”; there is on and off"),
    Mistake("screenshot ../x", "1:12: “../x” must be a name"),
    Mistake("hold now", "1:6: “now” is more than hold takes"),
    Mistake("keys x\nseed 1", "2:1: “seed” sets the stage"),
    Mistake("clock noon", "1:7: “noon” must be a time such as"),
    Mistake("connections mine", "1:13: there is no choice “mine”"),
  ]) func `a mistake is named with its line and column`(_ mistake: Mistake) {
    let error = #expect(throws: TapeError.self) { try TapeReader.read(mistake.tape) }
    #expect(error?.description.hasPrefix(mistake.says) == true, "\(error?.description ?? "")")
  }

  @Test func `every command of the table can be read, and no other`() throws {
    let examples = [
      "title": "\"T\"", "seed": "1", "clock": "2026-01-01T00:00:00Z", "pace": "1ms", "connections": "own",
      "timings": "real",
      "size": "80x24", "theme": "dusk", "show": "keys", "hide": "keys", "type": "\"x\"", "keys": "x", "wait": "\"x\"",
      "hold": "", "pause": "1s", "caption": "", "screenshot": "x", "film": "on",
    ]
    #expect(Set(examples.keys) == Set(TapeCommand.all.map(\.name)))
    for command in TapeCommand.all {
      _ = try TapeReader.read("\(command.name) \(examples[command.name] ?? "")")
    }
  }

  @Test func `what is written is read back as it was`() throws {
    var settings = Tape.Settings()
    settings.title = "A \\ and a \"quote\""
    settings.size = Size(columns: 90, rows: 20)
    settings.pace = 2000
    settings.connections = .own
    settings.showsKeys = false
    settings.showsTimings = true
    let tape = Tape(
      settings,
      cues: [
        .keys([.character("*"), .character(" "), .control("r"), .function(5), .down, .down]),
        .type("# \"x\" \\"), .typeVariable("PIN"), .wait("a", isGone: true, limit: 250), .hold, .pause(1234),
        .caption(nil), .caption("c"), .screenshot("s"), .film(true), .showKeys(false), .theme("dusk"),
      ].map { Tape.Cue($0) })
    let read = try TapeReader.read(TapeWriter.text(of: tape))
    #expect(read.settings == tape.settings)
    #expect(read.cues.map(\.step) == tape.cues.map(\.step))
  }
}
