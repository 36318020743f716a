import Browser
import Model
import Screens

/// Plays a tape: presses its keys, waits for what it waits for, and takes the film.
///
/// Without a presenter nothing of it depends on how fast anything is: after each key it waits until all that the key began
/// has ended, the clock moves by what the tape takes, and a picture is taken.
@MainActor
package final class TapePlayer {
  /// What the tape needs of its house.
  package struct House {
    /// What an environment variable holds.
    package var variable: (String) -> String?
    /// Keeps a picture under a name.
    package var keep: @MainActor (_ name: String, CellBuffer, Theme) throws(ServiceError) -> Void
    package init(
      variable: @escaping (String) -> String?,
      keep: @escaping @MainActor (_ name: String, CellBuffer, Theme) throws(ServiceError) -> Void
    ) {
      self.variable = variable
      self.keep = keep
    }
  }

  private let tape: Tape
  private let terminal: StageTerminal
  private let browser: Browser
  private let clock: StageClock
  private let house: House
  private let speed: Double

  /// - Parameter speed: 2 plays twice as fast; what is waited for takes as long as it takes.
  package init(
    _ tape: Tape, on terminal: StageTerminal, _ browser: Browser, clock: StageClock, house: House, speed: Double = 1
  ) {
    self.tape = tape
    self.terminal = terminal
    self.browser = browser
    self.clock = clock
    self.house = house
    self.speed = speed
  }

  /// Plays to the end, or until somebody leaves the browser.
  ///
  /// - Throws: `TapeError` when something that was waited for did not come; `ServiceError` when a picture cannot be kept.
  package func play() async throws {
    await settle()
    for cue in tape.cues {
      await terminal.awaitTurn()
      guard !browser.isOver else { return }
      try await play(cue)
    }
  }

  private func play(_ cue: Tape.Cue) async throws {
    switch cue.step {
    case .type(let text): for character in text { await press(.character(character)) }
    case .typeVariable(let name):
      guard let text = house.variable(name) else {
        throw TapeError("the environment has no \(name)", line: cue.line)
      }
      for character in text { await press(.character(character), isSecret: true) }
    case .keys(let keys):
      for key in keys {
        await press(key)
        terminal.strip.breakKeys()
      }
    case .wait(let text, let isGone, let limit): try await wait(for: text, isGone: isGone, limit: limit, line: cue.line)
    case .hold:
      if terminal.isLive { await terminal.hold() } else { await rest(2000) }
    case .pause(let length): await pause(length)
    case .caption(let text):
      terminal.strip.caption = text
      terminal.strip.clearKeys()
      await settle()
    case .screenshot(let name):
      guard let still = terminal.still else { return }
      try house.keep(name, still.buffer, still.theme)
    case .film(let isOn): terminal.isFilming = isOn
    case .showKeys(let isOn): terminal.strip.showsKeys = isOn
    case .size(let size):
      if let event = terminal.resize(size) { browser.receive(event) }
      await settle()
    case .theme(let name):
      guard browser.use(theme: name) else {
        throw TapeError("there is no theme “\(name)” here; T shows those there are", line: cue.line)
      }
      await settle()
    }
  }

  private func press(_ key: Key, isSecret: Bool = false) async {
    await terminal.awaitTurn()
    terminal.strip.note(isSecret ? "•" : key.sign)
    browser.receive(.key(key))
    await settle()
    await rest(tape.settings.pace)
  }

  /// A rest long enough to read in takes the keys away first.
  private func pause(_ length: Int64) async {
    if length >= 1000 {
      await rest(min(500, length))
      terminal.strip.clearKeys()
      await settle()
    }
    await rest(length >= 1000 ? length - min(500, length) : length)
  }

  private func wait(for text: String, isGone: Bool, limit: Int64, line: Int) async throws {
    var waited: Int64 = 0
    while !browser.isOver, terminal.shown?.lines.contains(where: { $0.contains(text) }) ?? false == isGone {
      guard waited < limit else {
        throw TapeError(
          "“\(text)” \(isGone ? "did not go" : "did not appear") within \(Double(limit) / 1000) s", line: line,
          screen: terminal.shown.map(TextPicture.text))
      }
      // Short enough that nobody notices; what the time itself brings, such as a search while typing, comes meanwhile.
      await rest(50, paced: false)
      await terminal.awaitTurn()
      waited += 50
    }
  }

  // MARK: Time

  /// Waits until nothing is under way, then takes the picture.
  private func settle() async {
    await browser.settled()
    terminal.capture()
  }

  /// Lets time go by.
  private func rest(_ milliseconds: Int64, paced: Bool = true) async {
    if terminal.isLive {
      let length = paced ? Double(milliseconds) / speed : Double(milliseconds)
      try? await Task.sleep(for: .milliseconds(Int64(length)))
      return
    }
    let length = paced ? Int64((Double(milliseconds) / speed).rounded()) : milliseconds
    let target = Timestamp(milliseconds: clock.now().milliseconds + length)
    var last: Timestamp?
    while let next = browser.deadline, next <= target, next != last {
      clock.move(to: next)
      browser.wake()
      await settle()
      last = next
    }
    clock.move(to: target)
  }
}
