package import Model

/// A terminal in memory: a test sends it events and reads what was drawn.
@MainActor
package final class FakeTerminal: TerminalDriver {
  package private(set) var size: Size
  package let traits: TerminalTraits
  package nonisolated let events: AsyncStream<TerminalEvent>
  private nonisolated let source: AsyncStream<TerminalEvent>.Continuation

  /// Every buffer that was presented, in order.
  package private(set) var frames: [CellBuffer] = []
  package private(set) var themes: [Theme] = []
  package private(set) var copied: [String] = []
  package private(set) var hasMouse = true
  package private(set) var repaints = 0
  package private(set) var lendings = 0
  package private(set) var stops = 0
  package private(set) var isClosed = false
  private var watchers: [(test: (CellBuffer) -> Bool, continuation: CheckedContinuation<CellBuffer, Never>)] = []

  package init(size: Size = Size(columns: 80, rows: 24), traits: TerminalTraits = TerminalTraits()) {
    self.size = size
    self.traits = traits
    (events, source) = AsyncStream.makeStream(of: TerminalEvent.self)
  }

  // MARK: For tests

  package nonisolated func send(_ event: TerminalEvent) { source.yield(event) }

  package nonisolated func press(_ keys: Key...) {
    for key in keys { source.yield(.key(key)) }
  }

  package nonisolated func type(_ text: String) {
    for character in text { source.yield(.key(.character(character))) }
  }

  package func resize(_ size: Size) {
    self.size = size
    source.yield(.resized(size))
  }

  package var text: String { frames.last?.lines.joined(separator: "\n") ?? "" }

  /// Waits until what is drawn satisfies a test; the test's own time limit ends a wait in vain.
  @discardableResult
  package func screen(where test: @escaping (CellBuffer) -> Bool) async -> CellBuffer {
    if let last = frames.last, test(last) { return last }
    return await withCheckedContinuation { watchers.append((test, $0)) }
  }

  /// Waits until a text stands on the screen.
  @discardableResult
  package func screen(showing text: String) async -> CellBuffer {
    await screen { $0.lines.contains { $0.contains(text) } }
  }

  /// Waits until a text has gone from the screen.
  @discardableResult
  package func screen(without text: String) async -> CellBuffer {
    await screen { !$0.lines.contains { $0.contains(text) } }
  }

  // MARK: TerminalDriver

  package func present(_ buffer: CellBuffer) {
    frames.append(buffer)
    let met = watchers.filter { $0.test(buffer) }
    watchers.removeAll { $0.test(buffer) }
    for watcher in met { watcher.continuation.resume(returning: buffer) }
  }

  package func repaint() { repaints += 1 }
  package func use(_ theme: Theme) { themes.append(theme) }
  package func setMouse(_ isOn: Bool) { hasMouse = isOn }
  package func lend(while body: () -> Void) {
    lendings += 1
    body()
  }
  package func stop() { stops += 1 }
  package func copy(_ text: String) -> Bool {
    copied.append(text)
    return true
  }
  package func beep() {}
  package func close() {
    isClosed = true
    source.finish()
  }
}
