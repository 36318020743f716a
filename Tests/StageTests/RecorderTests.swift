import Model
import Testing

@testable import Stage

@MainActor
@Suite struct RecorderTests {
  private let clock = StageClock(Timestamp(milliseconds: 0), isLive: false)

  private func steps(_ act: (TapeRecorder) -> Void) -> [Tape.Step] {
    let recorder = TapeRecorder(clock: clock, settings: Tape.Settings())
    act(recorder)
    return recorder.tape.cues.map(\.step)
  }

  private func type(_ text: String, into recorder: TapeRecorder, isSecret: Bool = false) {
    for character in text { recorder.note(.key(.character(character)), isSecret: isSecret) }
  }

  @Test func `characters become one text, keys one line, a rest a pause`() {
    let steps = steps { recorder in
      type(":bank b", into: recorder)
      recorder.note(.key(.enter), isSecret: false)
      recorder.note(.key(.down), isSecret: false)
      clock.move(to: Timestamp(milliseconds: 1999))
      recorder.note(.key(.down), isSecret: false)
      recorder.note(.key(.character(" ")), isSecret: false)
      clock.move(to: Timestamp(milliseconds: 2100))
      type("x", into: recorder)
    }
    #expect(
      steps == [.type(":bank b"), .keys([.enter, .down]), .pause(1900), .keys([.down, .character(" ")]), .type("x")])
  }

  @Test func `a secret becomes a variable, however it was typed`() {
    let steps = steps { recorder in
      type("susan", into: recorder)
      recorder.note(.key(.tab), isSecret: false)
      type("wrong", into: recorder, isSecret: true)
      recorder.note(.key(.control("u")), isSecret: true)
      clock.move(to: Timestamp(milliseconds: 5000))
      recorder.note(.paste("geheim 1"), isSecret: true)
      recorder.note(.key(.backspace), isSecret: true)
      type("pin", into: recorder, isSecret: true)
      recorder.note(.key(.enter), isSecret: true)
      type("second", into: recorder, isSecret: true)
    }
    #expect(
      steps == [
        .type("susan"), .keys([.tab]), .typeVariable("TAPE_SECRET_1"), .keys([.enter]), .typeVariable("TAPE_SECRET_2"),
      ])
  }

  @Test func `what is no key leaves no trace`() {
    #expect(steps { $0.note(.focus(true), isSecret: false) }.isEmpty)
  }
}
