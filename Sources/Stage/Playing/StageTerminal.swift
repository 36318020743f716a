import Model
import Screens

/// The terminal a tape is played on: the browser draws into it, the stage's strip comes below, and what results goes to
/// the presenter's terminal, into the film, or both.
@MainActor
package final class StageTerminal: TerminalDriver {
  /// Who has the keyboard.
  package enum Turn: Sendable, Equatable {
    case tape
    /// The tape waits for the presenter's Enter.
    case held
    /// The presenter has pressed a key and goes on alone; F12 gives the keyboard back.
    case presenter
    /// The tape is over.
    case over
  }

  /// Nil without a presenter: then nothing is drawn anywhere but into the film.
  private let inner: (any TerminalDriver)?
  private let clock: StageClock
  private let stripRows: Int
  package let events: AsyncStream<TerminalEvent>
  private let sink: AsyncStream<TerminalEvent>.Continuation
  private var pump: Task<Void, Never>?
  private var whole: Size
  private var theme = Theme.plain
  /// What the browser drew last, without the strip.
  package private(set) var shown: CellBuffer?
  var strip: StageStrip { didSet { if strip != oldValue { show() } } }
  package private(set) var turn = Turn.tape
  private var waiting: [CheckedContinuation<Void, Never>] = []
  package private(set) var film: Film
  var isFilming = true {
    didSet { if isFilming, !oldValue { film.skip(to: clock.now()) } }
  }

  /// - Parameters:
  ///   - inner: The presenter's terminal; nil plays out of sight at `size`.
  ///   - size: Of the whole stage, the strip included.
  package init(inner: (any TerminalDriver)?, size: Size, tape: Tape, clock: StageClock) {
    self.inner = inner
    self.clock = clock
    whole = inner?.size ?? size
    stripRows = StageStrip.rows(
      for: tape.captions, showsKeys: tape.settings.showsKeys || tape.cues.contains { $0.step == .showKeys(true) },
      columns: whole.columns)
    strip = StageStrip(showsKeys: tape.settings.showsKeys)
    film = Film(title: tape.settings.title, start: clock.now())
    (events, sink) = AsyncStream.makeStream(of: TerminalEvent.self)
    if let inner {
      pump = Task { [weak self] in
        for await event in inner.events { self?.receive(event) }
        self?.receive(.hangUp)
      }
    }
  }

  package var size: Size { Size(columns: whole.columns, rows: max(1, whole.rows - stripRows)) }
  package var traits: TerminalTraits {
    var traits = inner?.traits ?? TerminalTraits(isUnicode: true, colors: 1 << 24)
    // A film is made of cells.
    traits.canvas = nil
    return traits
  }
  package var isLive: Bool { inner != nil }

  // MARK: The film

  /// Takes the picture that is shown now, where it differs from the one before.
  func capture() {
    guard isFilming, let picture = composed() else { return }
    film.add(picture, theme, at: clock.now())
  }

  /// The screen alone, as the browser drew it, with the looks it has.
  package var still: (buffer: CellBuffer, theme: Theme)? { shown.map { ($0, theme) } }

  private func composed() -> CellBuffer? {
    guard let shown else { return nil }
    guard stripRows > 0 else { return shown }
    var picture = CellBuffer(size: whole)
    for row in 0..<min(shown.size.rows, whole.rows) {
      for column in 0..<min(shown.size.columns, whole.columns) { picture[column, row] = shown[column, row] }
    }
    picture.cursor = shown.cursor
    picture.isCursorVisible = shown.isCursorVisible
    let top = max(0, whole.rows - stripRows)
    strip.render(into: &picture, area: Area(column: 0, row: top, columns: whole.columns, rows: whole.rows - top))
    return picture
  }

  private func show() {
    guard let inner, let picture = composed() else { return }
    inner.present(picture)
    capture()
  }

  // MARK: The presenter

  /// Waits until the tape has the keyboard.
  func awaitTurn() async {
    while turn == .held || turn == .presenter {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  /// Waits for the presenter's Enter; at once where there is no presenter.
  func hold() async {
    guard isLive, turn == .tape else { return }
    give(.held, notice: "⏎ goes on")
    await awaitTurn()
  }

  /// The tape is over: the keyboard is the presenter's.
  package func end() {
    strip.caption = nil
    strip.clearKeys()
    give(.over, notice: nil)
  }

  private func give(_ turn: Turn, notice: String?) {
    self.turn = turn
    strip.notice = notice
    guard turn == .tape || turn == .over else { return }
    let ready = waiting
    waiting = []
    for continuation in ready { continuation.resume() }
  }

  private func receive(_ event: TerminalEvent) {
    switch (event, turn) {
    case (.key(.control("c")), _), (.hangUp, _):
      // Whoever leaves, leaves; what waits for the tape's turn must not wait for ever.
      if event == .hangUp { give(.over, notice: nil) }
      sink.yield(event)
    case (.key(.enter), .held), (.key(.character(" ")), .held), (.key(.function(12)), .presenter):
      give(.tape, notice: nil)
    case (.key, .tape), (.key, .held):
      give(.presenter, notice: "the tape waits; F12 goes on with it")
      sink.yield(event)
    case (.resized(let size), _):
      whole = size
      sink.yield(.resized(self.size))
    default: sink.yield(event)
    }
  }

  /// Another size for a stage without a presenter.
  func resize(_ size: Size) -> TerminalEvent? {
    guard inner == nil else { return nil }
    whole = size
    return .resized(self.size)
  }

  // MARK: TerminalDriver

  package func present(_ buffer: CellBuffer) {
    shown = buffer
    show()
  }

  package func repaint() { inner?.repaint() }

  package func use(_ theme: Theme) {
    self.theme = theme
    inner?.use(theme)
  }

  package func setMouse(_ isOn: Bool) { inner?.setMouse(isOn) }
  package func lend(while body: () -> Void) { inner?.lend(while: body) }
  package func stop() { inner?.stop() }
  package func copy(_ text: String) -> Bool { inner?.copy(text) ?? true }
  package func beep() { inner?.beep() }

  package func close() {
    pump?.cancel()
    sink.finish()
    inner?.close()
  }
}
