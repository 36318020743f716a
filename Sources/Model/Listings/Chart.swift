/// A picture of numbers over an axis of names or times, drawn from values that stay exact.
public struct Chart: Sendable, Hashable {
  public enum Form: Sendable, Hashable {
    /// A course over time, one line for each series.
    case line
    /// A bar for each point; several series stand beside each other.
    case bars
  }

  /// What a point's value counts.
  public enum Unit: Sendable, Hashable {
    /// Units of ten to the power of `-decimals` in an ISO 4217 currency.
    case money(currency: String, decimals: Int)
    case bytes, milliseconds, count
  }

  public struct Point: Sendable, Hashable {
    /// What stands at the axis: `2026-03`, `Groceries`.
    public let label: String
    public let value: Int64

    public init(_ label: String, _ value: Int64) {
      self.label = label
      self.value = value
    }
  }

  public struct Series: Sendable, Hashable {
    public let title: String
    public let points: [Point]

    public init(_ title: String, _ points: [Point]) {
      self.title = title
      self.points = points
    }
  }

  public let title: String
  public let form: Form
  public let unit: Unit
  /// All over the same labels, in the same order.
  public let series: [Series]
  /// Whether values or labels are what privacy mode masks.
  public let isPrivate: Bool
  /// What the picture leaves out: "of the first 500 transactions".
  public let notices: [String]

  public init(
    _ title: String, _ form: Form, _ unit: Unit, _ series: [Series], isPrivate: Bool = false, notices: [String] = []
  ) {
    self.title = title
    self.form = form
    self.unit = unit
    self.series = series
    self.isPrivate = isPrivate
    self.notices = notices
  }
}
