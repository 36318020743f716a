/// How fast something goes, over the last few seconds.
package struct RateMeter: Sendable {
  private var samples: [(at: ContinuousClock.Instant, done: Int64)] = []
  private let window: Duration

  package init(window: Duration = .seconds(5)) { self.window = window }

  package mutating func note(_ done: Int64, at now: ContinuousClock.Instant) {
    if let last = samples.last, last.done > done { samples = [] }  // It began again.
    samples.append((now, done))
    // One sample older than the window stays, so that a slow transfer has a rate, too.
    while samples.count > 2, samples[1].at.duration(to: now) >= window { samples.removeFirst() }
  }

  /// Per second; nil until there are two samples some time apart.
  package var rate: Double? {
    guard let first = samples.first, let last = samples.last else { return nil }
    let elapsed = first.at.duration(to: last.at)
    let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
    return seconds >= 0.05 ? Double(last.done - first.done) / seconds : nil
  }

  /// Time until `total`; nil when that cannot be told.
  package func timeLeft(to total: Int64?) -> Duration? {
    guard let total, let rate, rate > 0, let done = samples.last?.done else { return nil }
    return .seconds(Double(max(0, total - done)) / rate)
  }
}
