import Model

/// Orders values as a person expects within a column: numbers by size, text without regard to case, unknown ones last.
package enum RowOrder {
  /// Rows sorted by a column; equal ones keep their order. Unknown values stay last in both directions.
  package static func sorted(_ rows: [Row], by index: Int, descending: Bool) -> [Row] {
    let keys = rows.map { Key(index < $0.values.count ? $0.values[index] : .null) }
    let order = rows.indices.sorted { a, b in
      switch (keys[a], keys[b]) {
      case (.unknown, .unknown): return a < b
      case (.unknown, _): return false
      case (_, .unknown): return true
      default: break
      }
      if keys[a] == keys[b] { return a < b }
      return descending ? keys[b] < keys[a] : keys[a] < keys[b]
    }
    return order.map { rows[$0] }
  }

  enum Key: Comparable {
    case number(Int128, scale: Int)
    case approximate(Double)
    case text(String)
    case unknown

    init(_ value: Value) {
      switch value {
      case .null: self = .unknown
      case .integer(let number), .size(let number): self = .number(Int128(number), scale: 0)
      case .money(let money): self = .number(Int128(money.units), scale: money.decimals)
      case .time(let time): self = .number(Int128(time.milliseconds), scale: 0)
      case .flag(let flag): self = .number(flag ? 1 : 0, scale: 0)
      case .decimal(let text): self = Key(decimal: text)
      case .text(let text), .date(let text): self = .text(text.lowercased())
      case .list: self = .text(value.exactText.lowercased())
      }
    }

    private init(decimal text: String) {
      // An amount without a currency: as exact as Money, which reads up to 18 decimals.
      if let money = Money(decimal: text, currency: "") {
        self = .number(Int128(money.units), scale: money.decimals)
      } else {
        self = Double(text).map(Key.approximate) ?? .text(text)
      }
    }

    static func < (a: Key, b: Key) -> Bool {
      switch (a, b) {
      case (.number(let x, let xScale), .number(let y, let yScale)):
        return scaled(x, up: yScale - xScale) < scaled(y, up: xScale - yScale)
      case (.text(let x), .text(let y)): return x < y
      case (.unknown, _): return false
      case (_, .unknown): return true
      case (.text, _): return false
      case (_, .text): return true
      default: return a.double < b.double
      }
    }

    static func == (a: Key, b: Key) -> Bool { !(a < b) && !(b < a) }

    private var double: Double {
      switch self {
      case .number(let units, let scale): Double(units) / Double(Key.scaled(1, up: scale))
      case .approximate(let number): number
      case .text, .unknown: .infinity
      }
    }

    /// Times ten to the power of `places`; 64 bits of units with 18 decimals fit.
    private static func scaled(_ units: Int128, up places: Int) -> Int128 {
      var result = units
      for _ in 0..<max(0, min(18, places)) { result *= 10 }
      return result
    }
  }
}

/// Finds rows whose column contains a text, any case.
package struct RowFilter: Sendable {
  private let parts: [(index: Int, text: String)]

  /// - Parameter filters: Those of columns that the listing does not have match nothing.
  package init(_ filters: [ListQuery.Filter], columns: [Column]) {
    parts = filters.map { filter in
      (columns.firstIndex { $0.id == filter.column } ?? -1, filter.text.lowercased())
    }
  }

  package var isEmpty: Bool { parts.isEmpty }

  package func matches(_ row: Row) -> Bool {
    parts.allSatisfy { part in
      guard row.values.indices.contains(part.index) else { return false }
      return part.text.isEmpty || row.values[part.index].exactText.lowercased().contains(part.text)
    }
  }
}
