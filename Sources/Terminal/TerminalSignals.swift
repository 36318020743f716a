import Dispatch
import Glibc

/// Signals that are events here, not ends: resize, stop, continue. Handled on the main queue.
@MainActor
final class TerminalSignals {
  private var sources: [(number: Int32, source: any DispatchSourceSignal)] = []

  func on(_ number: Int32, _ body: @escaping @MainActor () -> Void) {
    // Ignored before the source is made: on Linux the other order silences the source.
    if number != SIGCONT { signal(number, SIG_IGN) }
    sources.append((number, TerminalSignals.makeSource(number, body)))
  }

  func cancel() {
    for (number, source) in sources {
      source.cancel()
      signal(number, SIG_DFL)
    }
    sources = []
  }

  private nonisolated static func makeSource(
    _ number: Int32, _ body: @escaping @MainActor () -> Void
  ) -> any DispatchSourceSignal {
    let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
    source.setEventHandler { @Sendable in MainActor.assumeIsolated(body) }
    source.resume()
    return source
  }
}
