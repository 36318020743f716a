import Model
import Service
import Synchronization

/// One line that says how far a transfer is, on a terminal only.
final class ProgressLine: Sendable {
  private struct State {
    var meter = RateMeter()
    var last: ContinuousClock.Instant?
    var isShown = false
  }

  private let errors: Output
  private let title: String
  private let state = Mutex(State())

  init(_ errors: Output, _ title: String) {
    self.errors = errors
    self.title = Visible.printed(title)
  }

  var progress: Progress { { [self] done, total in note(done, total) } }

  func clear() {
    guard state.withLock({ $0.isShown }) else { return }
    try? errors.write("\r\u{1B}[K")
    try? errors.flush()
  }

  private func note(_ done: Int64, _ total: Int64?) {
    guard errors.isTerminal else { return }
    let now = ContinuousClock.now
    let line = state.withLock { state -> String? in
      guard state.last.map({ $0.duration(to: now) >= .milliseconds(200) }) ?? true else { return nil }
      state.last = now
      state.meter.note(done, at: now)
      state.isShown = true
      return ProgressLine.text(title, done, total, state.meter)
    }
    guard let line else { return }
    try? errors.write("\r\(line.fitted(columns: (errors.columns ?? 80) - 1))\u{1B}[K")
    try? errors.flush()
  }

  static func text(_ title: String, _ done: Int64, _ total: Int64?, _ meter: RateMeter) -> String {
    var text = "\(title)  \(size(done))"
    if let total, total > 0 { text += " of \(size(total)) (\(done * 100 / total) %)" }
    if let rate = meter.rate { text += "  \(size(Int64(rate)))/s" }
    if let left = meter.timeLeft(to: total) { text += "  \(left.components.seconds) s left" }
    return text
  }

  /// `512 B`, `1.2 MB`.
  static func size(_ bytes: Int64) -> String {
    guard bytes >= 1000 else { return "\(bytes) B" }
    var (value, unit) = (bytes, 0)
    while value >= 1_000_000, unit < 3 {
      value /= 1000
      unit += 1
    }
    return "\(value / 1000).\(value % 1000 / 100) \(["kB", "MB", "GB", "TB"][unit])"
  }
}
