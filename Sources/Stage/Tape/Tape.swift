import Model

/// A demo written down: how the stage is set, and what the person at the keyboard does.
package struct Tape: Sendable, Equatable {
  package enum Connections: String, Sendable, CaseIterable {
    /// The five of the built-in sandbox.
    case demo
    /// Those of the person's own configuration.
    case own
  }

  /// What must be known before the curtain rises.
  package struct Settings: Sendable, Equatable {
    package var title: String?
    package var size: Size?
    package var theme: String?
    package var seed: UInt64?
    /// What the clock shows at the start; it goes on by what the tape takes.
    package var clock: Timestamp
    /// Milliseconds between two typed characters.
    package var pace: Int64
    package var connections: Connections
    package var showsKeys: Bool
    /// Whether exchanges say how long they took although nobody watches; such a film is never quite the same.
    package var showsTimings: Bool

    package init() {
      clock = Settings.standardClock
      pace = 70
      connections = .demo
      showsKeys = true
      showsTimings = false
    }

    /// 2026-03-02T09:30:00Z, a Monday morning.
    package static let standardClock = Timestamp(milliseconds: 1_772_443_800_000)
  }

  package enum Step: Sendable, Equatable {
    case type(String)
    /// Types what an environment variable holds, unseen.
    case typeVariable(String)
    case keys([Key])
    case wait(String, isGone: Bool, limit: Int64)
    /// Waits for the presenter's Enter.
    case hold
    case pause(Int64)
    /// Nil takes it away.
    case caption(String?)
    case screenshot(String)
    case film(Bool)
    case showKeys(Bool)
    case size(Size)
    case theme(String)
  }

  /// A step and where it stands.
  package struct Cue: Sendable, Equatable {
    package let step: Step
    package let line: Int
    package init(_ step: Step, line: Int = 0) {
      self.step = step
      self.line = line
    }
  }

  package var settings: Settings
  package var cues: [Cue]

  package init(_ settings: Settings = Settings(), cues: [Cue] = []) {
    self.settings = settings
    self.cues = cues
  }

  /// Milliseconds that a wait lasts at most where the tape does not say.
  package static let standardLimit: Int64 = 15_000

  /// Environment variables it types.
  package var variables: [String] {
    cues.compactMap { cue in
      guard case .typeVariable(let name) = cue.step else { return nil }
      return name
    }
  }

  /// All captions, so that room for the longest is kept from the start.
  var captions: [String] {
    cues.compactMap { cue in
      guard case .caption(let text?) = cue.step else { return nil }
      return text
    }
  }
}

/// What is wrong with a tape, or went wrong while it was played, and where.
package struct TapeError: Error, Sendable, Equatable, CustomStringConvertible {
  package let message: String
  package let line: Int
  /// Counted in characters from 1; nil where the whole line is meant.
  package let column: Int?
  /// What stood on the screen when something that was waited for did not come.
  package let screen: String?

  package init(_ message: String, line: Int, column: Int? = nil, screen: String? = nil) {
    self.message = message
    self.line = line
    self.column = column
    self.screen = screen
  }

  package var description: String { "\(line)\(column.map { ":\($0)" } ?? ""): \(message)" }

  /// The same with the file's name in front, as compilers write it.
  package func text(in path: String) -> String { "\(path):\(description)" }
}
