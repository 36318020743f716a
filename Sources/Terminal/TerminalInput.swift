import Dispatch
import Glibc
import Model

/// Reads the terminal whenever it has something, on the main queue, and posts what it means.
@MainActor
final class TerminalInput {
  private let continuation: AsyncStream<TerminalEvent>.Continuation
  private let escapeDelay: Duration
  private var parser = InputParser()
  private var source: (any DispatchSourceRead)?
  private var escapeTimer: (any DispatchSourceTimer)?
  private var lastPress: (mouse: Mouse, at: ContinuousClock.Instant)?

  init(escapeDelay: Duration, _ continuation: AsyncStream<TerminalEvent>.Continuation) {
    self.escapeDelay = escapeDelay
    self.continuation = continuation
  }

  /// - Parameter typed: What a person typed before anybody listened.
  func start(typed: [UInt8]) {
    for event in parser.read(typed) { post(event) }
    source = TerminalInput.makeSource { [weak self] in self?.readAvailable() }
  }

  func pause() { source?.suspend() }

  func resume() { source?.resume() }

  func post(_ event: TerminalEvent) { continuation.yield(event) }

  func cancel() {
    escapeTimer?.cancel()
    source?.cancel()
    source = nil
    continuation.finish()
  }

  private func readAvailable() {
    escapeTimer?.cancel()
    escapeTimer = nil
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    let count = read(STDIN_FILENO, &buffer, buffer.count)
    if count > 0 {
      for event in parser.read(buffer.prefix(count)) { post(countingClicks(event)) }
      if parser.isPending { awaitRest() }
    } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
      post(.hangUp)
      cancel()
    }
  }

  /// A lone Esc is the key when nothing follows for a moment.
  private func awaitRest() {
    escapeTimer = TerminalInput.makeTimer(after: escapeDelay) { [weak self] in self?.nothingFollowed() }
  }

  private func nothingFollowed() {
    escapeTimer = nil
    for event in parser.flush() { post(event) }
  }

  /// Two presses at one place within 400 ms are a double press.
  private func countingClicks(_ event: TerminalEvent) -> TerminalEvent {
    guard case .mouse(let mouse) = event, mouse.kind == .press else { return event }
    let now = ContinuousClock.now
    if let last = lastPress, last.mouse == mouse, now - last.at < .milliseconds(400) {
      lastPress = nil
      return .mouse(Mouse(.doublePress, column: mouse.column, row: mouse.row))
    }
    lastPress = (mouse, now)
    return event
  }

  // Made outside the main actor: Dispatch calls the handlers itself, on the main queue, which is the main actor's.

  private nonisolated static func makeSource(_ body: @escaping @MainActor () -> Void) -> any DispatchSourceRead {
    let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
    source.setEventHandler { @Sendable in MainActor.assumeIsolated(body) }
    source.resume()
    return source
  }

  private nonisolated static func makeTimer(
    after delay: Duration, _ body: @escaping @MainActor () -> Void
  ) -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: .main)
    timer.schedule(deadline: .now() + .nanoseconds(Int(delay.components.attoseconds / 1_000_000_000)))
    timer.setEventHandler { @Sendable in MainActor.assumeIsolated(body) }
    timer.resume()
    return timer
  }
}
