import Model
import Screens

/// Writes down what a person does in the browser, as a tape that does it again.
///
/// Waiting is not written: the player waits by itself until what a key began has ended. What is typed into a secret field
/// is left out; a variable stands in its place.
@MainActor
package final class TapeRecorder {
  private let clock: any WallClock
  package private(set) var tape: Tape
  private var last: Timestamp

  /// Rests shorter than the least are a person's way of typing, longer ones than the most an absence; in milliseconds.
  private static let pauses: ClosedRange<Int64> = 1200...10_000

  package init(clock: any WallClock, settings: Tape.Settings) {
    self.clock = clock
    tape = Tape(settings)
    last = clock.now()
  }

  /// - Parameter isSecret: Whether the field that has the cursor is not shown.
  package func note(_ event: TerminalEvent, isSecret: Bool) {
    switch event {
    case .key(let key): note(key, isSecret: isSecret)
    case .paste(let text):
      notePause()
      note(text: text, isSecret: isSecret)
    default: break
    }
  }

  private func note(_ key: Key, isSecret: Bool) {
    notePause()
    switch key {
    case .character(let character) where isSecret || isTyping || character != " ":
      note(text: String(character), isSecret: isSecret)
    // How a secret came about is nobody's business either: the variable holds it as it was in the end.
    case .backspace where isSecret, .delete where isSecret, .control("u") where isSecret: break
    default:
      if case .keys(let keys)? = tape.cues.last?.step {
        replaceLast(.keys(keys + [key]))
      } else {
        tape.cues.append(Tape.Cue(.keys([key])))
      }
    }
  }

  private var isTyping: Bool {
    if case .type? = tape.cues.last?.step { true } else { false }
  }

  private func note(text: String, isSecret: Bool) {
    if isSecret {
      if case .typeVariable? = tape.cues.last?.step { return }
      let count = tape.cues.count { if case .typeVariable = $0.step { true } else { false } }
      tape.cues.append(Tape.Cue(.typeVariable("TAPE_SECRET_\(count + 1)")))
    } else if case .type(let before)? = tape.cues.last?.step {
      replaceLast(.type(before + text))
    } else {
      tape.cues.append(Tape.Cue(.type(text)))
    }
  }

  private func replaceLast(_ step: Tape.Step) { tape.cues[tape.cues.count - 1] = Tape.Cue(step) }

  private func notePause() {
    let now = clock.now()
    let rest = now.milliseconds - last.milliseconds
    last = now
    guard rest >= TapeRecorder.pauses.lowerBound, !tape.cues.isEmpty else { return }
    // A secret typed with rests in it stays one.
    if case .typeVariable? = tape.cues.last?.step { return }
    tape.cues.append(Tape.Cue(.pause(min(rest, TapeRecorder.pauses.upperBound) / 100 * 100)))
  }
}
