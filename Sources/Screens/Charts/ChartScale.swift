import Model

/// The numbers beside a chart: round ones, from below the least value to above the greatest.
struct ChartScale: Hashable {
  let low: Int128
  let high: Int128
  let step: Int128

  /// - Parameters:
  ///   - steps: About how many there may be; at least one.
  ///   - fromZero: Bars begin at zero, or their lengths would lie.
  init(_ values: [Int64], steps: Int, fromZero: Bool) {
    var least = Int128(values.min() ?? 0)
    var greatest = Int128(values.max() ?? 0)
    if fromZero {
      least = min(0, least)
      greatest = max(0, greatest)
    }
    if least == greatest { greatest = least + 1 }
    let step = ChartScale.step(for: greatest - least, steps: max(1, steps))
    self.step = step
    low = ChartScale.floor(least, to: step)
    high = -ChartScale.floor(-greatest, to: step)
  }

  var ticks: [Int64] {
    var ticks: [Int64] = []
    var at = low
    while at <= high {
      ticks.append(Int64(clamping: at))
      at += step
    }
    return ticks
  }

  /// Where a value stands between `low` (0) and `high` (1).
  func place(of value: Int64) -> Double { Double(Int128(value) - low) / Double(high - low) }

  /// One, two or five times a power of ten.
  private static func step(for span: Int128, steps: Int) -> Int128 {
    let least = (span + Int128(steps) - 1) / Int128(steps)
    var power: Int128 = 1
    while power * 10 <= least { power *= 10 }
    return [1, 2, 5, 10].map { $0 * power }.first { $0 >= least } ?? power * 10
  }

  private static func floor(_ value: Int128, to step: Int128) -> Int128 {
    let down = value / step * step
    return down > value ? down - step : down
  }
}
