internal import CNcurses
import Dispatch
import Glibc
import Model

/// The real terminal: ncurses paints, a read source on the main queue listens, nothing runs while nothing happens.
@MainActor
package final class NcursesTerminal: TerminalDriver {
  package private(set) var size: Size
  package private(set) var traits: TerminalTraits
  package let events: AsyncStream<TerminalEvent>

  private let environment: TerminalEnvironment
  private let input: TerminalInput
  private let signals: TerminalSignals
  private let output: UnsafeMutablePointer<FILE>
  private let screen: OpaquePointer
  private let ink: Ink
  private var shown: CellBuffer?
  /// The picture that stands on the screen now.
  private var picture: Graphic?
  private var isMouseOn = false
  private var isOpen = true
  /// Between leaving the screen for a stop and being continued: nothing is drawn then.
  private var isStopped = false

  /// Takes the terminal over.
  ///
  /// - Parameter typed: What was read of the terminal before and belongs to a person.
  /// - Throws: `TerminalUnavailable` when standard input or output is not a terminal or it cannot move its cursor;
  ///   nothing has been changed then.
  package init(
    _ environment: TerminalEnvironment, mouse: Bool = true, typed: [UInt8] = []
  ) throws(TerminalUnavailable) {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { throw .noTerminal }
    let term = try NcursesTerminal.usableTerm(environment.term)
    self.environment = environment
    environment.applyLocale()
    let reset = (environment.graphics == .kitty ? Modes.noPictures : "") + Modes.reset
    cncurses_arm(STDOUT_FILENO, reset, reset.utf8.count)
    let direct = environment.allowsColor && environment.offersDirectColor
    guard let output = fdopen(dup(STDOUT_FILENO), "w"), let input = fdopen(dup(STDIN_FILENO), "r"),
      let screen = NcursesTerminal.open(term, output, input, direct: direct)
    else {
      cncurses_disarm()
      throw .cannotMove(term)
    }
    self.output = output
    self.screen = screen
    let colors = environment.allowsColor ? NcursesTerminal.startColors() : 0
    traits = TerminalTraits(isUnicode: environment.isUnicode, colors: colors)
    ink = Ink(colors: colors)
    size = NcursesTerminal.windowSize()
    traits.canvas = environment.graphics.flatMap(NcursesTerminal.canvas)
    let (stream, continuation) = AsyncStream.makeStream(of: TerminalEvent.self)
    events = stream
    self.input = TerminalInput(escapeDelay: environment.escapeDelay, continuation)
    signals = TerminalSignals()
    enter(mouse: mouse)
    listen(typed: typed)
  }

  // MARK: Drawing

  package func present(_ buffer: CellBuffer) {
    guard isOpen, !isStopped else { return }
    let wanted = buffer.uncoveredPicture
    if picture != wanted { removePicture() }
    let changes = changedCells(in: buffer)
    // A frame of many changes is shown at once; for a few cells the marks would cost more than they hide.
    let isLarge = changes.count > 160
    if isLarge { write(Modes.frameBegin) }
    for index in changes { draw(buffer.cells[index], at: index, columns: buffer.size.columns) }
    shown = buffer
    if let cursor = buffer.cursor, cursor.row < size.rows, cursor.column < size.columns {
      CNcurses.move(Int32(cursor.row), Int32(cursor.column))
    }
    curs_set(buffer.isCursorVisible ? 1 : 0)
    cncurses_stage()
    doupdate()
    if picture != wanted { paint(wanted) }
    if isLarge { write(Modes.frameEnd) }
  }

  /// Puts a picture over the cells that were left blank for it; the cursor stays where ncurses believes it.
  private func paint(_ wanted: Graphic?) {
    picture = wanted
    guard let wanted else { return }
    write("\u{1B}7\u{1B}[\(wanted.area.row + 1);\(wanted.area.column + 1)H\(wanted.sequence)\u{1B}8")
  }

  /// Takes the picture off the screen. A sixel one is part of its cells: they are all written anew.
  private func removePicture() {
    guard let old = picture else { return }
    picture = nil
    switch traits.canvas?.form {
    case .kitty: write(Modes.noPictures)
    case .sixel, nil: cncurses_redraw_rows(Int32(old.area.row), Int32(old.area.rows))
    }
  }

  package func repaint() {
    removePicture()
    cncurses_redraw_all()
    guard let buffer = shown else { return }
    shown = nil
    present(buffer)
  }

  package func use(_ theme: Theme) {
    ink.use(theme)
    removePicture()
    shown = nil
  }

  private func changedCells(in buffer: CellBuffer) -> [Int] {
    guard let shown, shown.size == buffer.size else {
      cncurses_erase()
      return Array(buffer.cells.indices)
    }
    return buffer.cells.indices.filter { buffer.cells[$0] != shown.cells[$0] }
  }

  private func draw(_ cell: Cell, at index: Int, columns: Int) {
    guard !cell.text.isEmpty else { return }  // The second half of a wide one, drawn with its first.
    let (attributes, pair) = ink.attributes(of: cell.style)
    var wide: [wchar_t]
    if traits.isUnicode {
      // ncurses keeps five scalars in a cell.
      wide = cell.text.unicodeScalars.prefix(5).map { wchar_t($0.value) }
      if !isMeasuredAlike(cell.text, wide) { wide = [0xFFFD] }
    } else {
      wide = [wchar_t(ASCIIForm.of(cell.text).asciiValue ?? 63)]
    }
    wide.append(0)
    cncurses_put(Int32(index / columns), Int32(index % columns), wide, attributes, pair)
    if !traits.isUnicode, index % columns + 1 < columns, TextWidth.columns(of: cell.text) == 2 {
      cncurses_put(Int32(index / columns), Int32(index % columns + 1), [32, 0], attributes, pair)
    }
  }

  /// Whether ncurses will take as many columns for a cell as it was given. A C library that is older than the character
  /// knows no width for it, and whatever ncurses does then moves everything to its right.
  private func isMeasuredAlike(_ text: String, _ wide: [wchar_t]) -> Bool {
    guard let first = wide.first, first >= 0x300 else { return true }
    let columns = text.reduce(0) { $0 + TextWidth.columns(of: $1) }
    return columns == Int(cncurses_columns(first)) && wide.dropFirst().allSatisfy { cncurses_columns($0) == 0 }
  }

  // MARK: Other things a terminal does

  package func setMouse(_ isOn: Bool) {
    guard isOpen, isOn != isMouseOn else { return }
    isMouseOn = isOn
    write(isOn ? Modes.mouseOn : Modes.mouseOff)
  }

  package func copy(_ text: String) -> Bool {
    // Terminals cut or ignore what is longer; 74,994 bytes is what xterm's buffer takes.
    let encoded = Base64Text.of(text)
    guard isOpen, encoded.utf8.count <= 74_994 else { return false }
    let sequence = "\u{1B}]52;c;\(encoded)\u{7}"
    write(environment.passedThrough(sequence))
    return true
  }

  package func beep() { write("\u{7}") }

  package func lend(while body: () -> Void) {
    guard isOpen else { return }
    leave()
    input.pause()
    body()
    input.resume()
    comeBack()
  }

  package func stop() {
    guard isOpen, !isStopped else { return }
    leave()
    // The signal may reach another thread first and this one run on for a moment: the way back is SIGCONT's.
    isStopped = true
    kill(getpid(), SIGSTOP)
  }

  package func close() {
    guard isOpen else { return }
    if !isStopped { leave() }
    isOpen = false
    signals.cancel()
    input.cancel()
    cncurses_restore()
    cncurses_disarm()
    delscreen(screen)
  }

  // MARK: Coming and going

  private func enter(mouse: Bool) {
    reset_prog_mode()
    raw()
    noecho()
    nonl()
    write(Modes.pasteOn)
    if mouse { write(Modes.mouseOn) }
    isMouseOn = mouse
    cncurses_redraw_all()
  }

  private func leave() {
    removePicture()
    write(Modes.mouseOff + Modes.pasteOff)
    def_prog_mode()
    curs_set(1)
    endwin()
  }

  private func listen(typed: [UInt8]) {
    input.start(typed: typed)
    signals.on(SIGWINCH) { [weak self] in self?.resized() }
    signals.on(SIGTSTP) { [weak self] in self?.stop() }
    signals.on(SIGCONT) { [weak self] in self?.continued() }
  }

  private func resized() {
    refreshSize()
    input.post(.resized(size))
  }

  /// Continued after Ctrl-Z, or after a stop that came from outside: modes may be anybody's.
  private func continued() {
    guard isOpen else { return }
    isStopped = false
    comeBack()
  }

  /// Takes the screen again. Whoever was resized while it was away was not told: the signal goes to the foreground.
  private func comeBack() {
    enter(mouse: isMouseOn)
    let before = size
    refreshSize()
    if size != before { input.post(.resized(size)) }
    input.post(.resumed)
  }

  private func refreshSize() {
    let now = NcursesTerminal.windowSize()
    traits.canvas = environment.graphics.flatMap(NcursesTerminal.canvas)
    guard now != size else { return }
    removePicture()
    size = now
    resizeterm(Int32(now.rows), Int32(now.columns))
    shown = nil
  }

  private func write(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }

  /// The graphics of this terminal; nil where it does not say how large its cells are, as pictures are made to measure.
  private static func canvas(_ form: Graphic.Canvas.Form) -> Graphic.Canvas? {
    var window = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else { return nil }
    let cell = Size(
      columns: Int(window.ws_xpixel) / Int(window.ws_col), rows: Int(window.ws_ypixel) / Int(window.ws_row))
    return cell.columns > 0 && cell.rows > 0 ? Graphic.Canvas(form, cell: cell) : nil
  }

  private static func windowSize() -> Size {
    var window = winsize()
    _ = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window)
    // A terminal that does not know its size says 0×0; one of 1×1 is possible.
    return Size(
      columns: window.ws_col == 0 ? 80 : Int(window.ws_col), rows: window.ws_row == 0 ? 24 : Int(window.ws_row))
  }
}
