/// The modes Atrium switches on in a terminal besides those of ncurses, and how everything is put back.
package enum Modes {
  /// SGR mouse reports: buttons and wheel (1000), coordinates beyond 223 (1006).
  static let mouseOn = "\u{1B}[?1000h\u{1B}[?1006h"
  static let mouseOff = "\u{1B}[?1006l\u{1B}[?1000l"
  static let pasteOn = "\u{1B}[?2004h"
  static let pasteOff = "\u{1B}[?2004l"
  /// Synchronised update: the terminal shows the frame when it is whole, and ignores this where it does not know it.
  static let frameBegin = "\u{1B}[?2026h"
  static let frameEnd = "\u{1B}[?2026l"

  /// Deletes every picture in view and what the terminal keeps of it (the terminal graphics protocol of kitty).
  static let noPictures = "\u{1B}_Ga=d,d=A,q=2\u{1B}\\"

  /// Everything back, whatever state the screen is in: an open frame first, since a terminal left in one shows nothing;
  /// then mouse, focus, paste, keypad, attributes, character set, wrap, scroll region, the other screen, the cursor.
  package static let reset =
    frameEnd + "\u{1B}[?1000l\u{1B}[?1002l\u{1B}[?1003l\u{1B}[?1006l\u{1B}[?1004l" + pasteOff
    + "\u{1B}[?1l\u{1B}>\u{1B}[m\u{1B}(B\u{1B}[?7h\u{1B}[r\u{1B}[?1049l\u{1B}[?25h"
}
