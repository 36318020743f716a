import Model

/// A screen as a value: state in, effects out, cells drawn.
package protocol Screen: Sendable {
  /// Names the screen in the stack; requests carry it. The app gives it.
  var id: Int { get set }
  /// Which rows of the key table apply.
  var place: Place { get }
  /// What the breadcrumb shows: a location's text, or a title.
  var crumb: Crumb { get }
  /// Whether keys are text just now, such as in a filter prompt.
  var takesText: Bool { get }
  /// When it must be woken, for a spinner or a preview that waits for the selection to rest.
  func deadline(_ world: World) -> Timestamp?

  mutating func handle(_ event: ScreenEvent, _ world: World) -> [Effect]
  func render(into buffer: inout CellBuffer, area: Area, world: World)

  /// What the footer offers, the most useful first.
  func hints(_ world: World) -> [Command]
  /// Why a command does nothing here just now; nil when it works.
  func reason(against command: Command, _ world: World) -> String?
  /// What the right end of the footer says: counts, freshness.
  func status(_ world: World) -> Line
  /// What is typed at the left end of the footer in place of the keys.
  func renderPrompt(into buffer: inout CellBuffer, area: Area) -> Bool
}

extension Screen {
  package var takesText: Bool { false }
  package func deadline(_ world: World) -> Timestamp? { nil }
  package func status(_ world: World) -> Line { Line() }
  package func renderPrompt(into buffer: inout CellBuffer, area: Area) -> Bool { false }

  /// Whether a command can be used here at all and just now.
  package func offers(_ command: Command, _ world: World) -> Bool {
    guard let row = world.keys.row(of: command), !row.place.isDisjoint(with: place) else { return false }
    return reason(against: command, world) == nil
  }
}

package enum Crumb: Sendable, Hashable {
  case location(Location)
  case title(String)

  package var location: Location? {
    guard case .location(let location) = self else { return nil }
    return location
  }
}

/// Something that lies over a screen and takes all keys: a dialog, a menu, the command line.
package protocol Overlay: Sendable {
  var id: Int { get set }
  /// The question this overlay answers, so that a withdrawn question takes it away.
  var question: Int? { get }
  mutating func handle(_ event: OverlayEvent, _ world: World) -> [Effect]
  func render(into buffer: inout CellBuffer, area: Area, world: World)
  func deadline(_ world: World) -> Timestamp?
  /// Whether what is typed just now is a secret.
  var takesSecret: Bool { get }
}

extension Overlay {
  package var question: Int? { nil }
  package var takesSecret: Bool { false }
  package func deadline(_ world: World) -> Timestamp? { nil }
}

package enum OverlayEvent: Sendable {
  case appeared
  case key(Key)
  case paste(String)
  /// In cells of the whole screen.
  case mouse(Mouse)
  case reply(serial: Int, Reply)
  case deadline
}

/// A sign that something is under way; it moves only while a deadline is kept for it.
package enum Spinner {
  package static let interval: Int64 = 120
  private static let frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧"]
  package static func frame(_ now: Timestamp) -> String {
    frames[Int((now.milliseconds / interval) % Int64(frames.count) + Int64(frames.count)) % frames.count]
  }
  package static func next(_ now: Timestamp) -> Timestamp { Timestamp(milliseconds: now.milliseconds + interval) }
}
