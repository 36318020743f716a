/// A terminal as the browser uses it: cells out, events in. The real one stands on ncurses, the tests' in memory.
@MainActor
package protocol TerminalDriver: AnyObject {
  var size: Size { get }
  /// What the terminal can show; screens choose plainer drawings by it.
  var traits: TerminalTraits { get }
  /// Everything that arrives, in order; ends with `hangUp` when the terminal is gone.
  var events: AsyncStream<TerminalEvent> { get }

  /// Shows a buffer; only what differs from the last one is written.
  func present(_ buffer: CellBuffer)
  /// Draws the last buffer again from nothing, for a screen something else has written on.
  func repaint()
  func use(_ theme: Theme)
  func setMouse(_ isOn: Bool)
  /// Gives the terminal to another program (a pager, an editor) for as long as `body` runs, then takes it back.
  func lend(while body: () -> Void)
  /// Gives the terminal back and stops the process, as Ctrl-Z does; comes back when it is continued.
  func stop()
  /// Sends text to the terminal's clipboard (OSC 52); false when it is too long for terminals to take.
  func copy(_ text: String) -> Bool
  func beep()
  /// Gives the terminal back as it was. Nothing may be drawn after it.
  func close()
}

package struct TerminalTraits: Sendable, Hashable {
  /// Whether anything outside ASCII may be drawn.
  package var isUnicode: Bool
  /// Colours the terminal has: 0, 8, 16, 256, or more for 24 bits.
  package var colors: Int
  /// Graphics of its own; nil where pictures are made of block characters.
  package var canvas: Graphic.Canvas?
  /// Whether the environment names a UTF-8 locale: `LC_ALL` over `LC_CTYPE` over `LANG`; the first that is not empty
  /// decides.
  package static func namesUnicode(_ environment: [String: String]) -> Bool {
    let locale = (localeName(environment) ?? "").lowercased()
    return locale.contains("utf-8") || locale.contains("utf8")
  }

  package static func localeName(_ environment: [String: String]) -> String? {
    ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
  }

  package init(isUnicode: Bool = true, colors: Int = 256) {
    self.isUnicode = isUnicode
    self.colors = colors
  }
}
