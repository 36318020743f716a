import Model

/// How wide a column's values are, kept up to date as pages arrive so that drawing never looks at rows out of view.
struct ColumnMetrics: Hashable {
  private(set) var whole = 0
  private(set) var fraction = 0
  private(set) var suffix = 0
  /// Whether any value is something else than null or empty text.
  private(set) var hasContent = false

  /// Shapes of numbers and moments whose width is known: as many digits are as wide.
  private var shapes: Set<Int> = []

  mutating func add(_ value: Value, in column: Column, _ world: World) {
    switch value {
    case .text(let text), .date(let text):
      // No text is wider than it has bytes.
      if hasContent, text.utf8.count <= whole { return }
    default: if let shape = ColumnMetrics.shape(of: value), !shapes.insert(shape).inserted { return }
    }
    let form = CellForm(value, in: column, world)
    add(form, isContent: !value.isNull && !form.text.isEmpty)
  }

  /// What values of the same width have in common; nil where each is looked at.
  private static func shape(of value: Value) -> Int? {
    switch value {
    case .null: 0
    case .flag(let flag): flag ? 1 : 2
    case .time(let time): (-62_135_596_800_000..<253_402_214_400_000).contains(time.milliseconds) ? 3 : nil
    case .integer(let number): 4 | digits(number) << 8
    case .money(let money): 5 | digits(money.units) << 8 | money.decimals << 16 | money.currency.utf8.count << 24
    default: nil
    }
  }

  /// Digits, with the sign in the lowest bit.
  private static func digits(_ number: Int64) -> Int {
    var rest = number.magnitude
    var digits = 1
    while rest >= 10 {
      rest /= 10
      digits += 1
    }
    return digits << 1 | (number < 0 ? 1 : 0)
  }

  mutating func add(_ form: CellForm, isContent: Bool) {
    whole = max(whole, form.whole)
    fraction = max(fraction, form.fraction)
    suffix = max(suffix, form.suffix.utf8.count)
    hasContent = hasContent || isContent
  }

  var columns: Int { whole + fraction + (suffix > 0 ? suffix + 1 : 0) }
}

/// Which columns stand where on a screen of some width.
struct ColumnLayout: Hashable {
  struct Slot: Hashable {
    let index: Int
    var start: Int
    var columns: Int
  }

  private(set) var slots: [Slot] = []

  static let gap = 2
  /// Columns of this rank are never shown in the table.
  static let hidden = 10_000
  /// What names a row keeps this much before another column gets anything.
  private static let telling = 24
  /// Other texts are shown whole up to here or not at all: half a number says nothing.
  private static let whole = 24
  /// Texts stop growing here as long as others want room.
  private static let comfortable = 36

  private struct Candidate {
    let index: Int
    let rank: Int
    let least: Int
    let wanted: Int
  }

  /// Lays out columns of these metrics; those of a high rank give way first, empty ones before all others.
  ///
  /// - Parameter arrangement: What a person chose: these columns in this order, the last giving way first.
  init(_ columns: [Column], _ metrics: [ColumnMetrics], width: Int, _ arrangement: ColumnArrangement? = nil) {
    var chosen =
      arrangement.map { ColumnLayout.arranged($0, columns, metrics) } ?? ColumnLayout.candidates(columns, metrics)
    if chosen.isEmpty { chosen = ColumnLayout.candidates(columns, metrics) }
    place(&chosen, width: width)
  }

  private static func arranged(
    _ arrangement: ColumnArrangement, _ columns: [Column], _ metrics: [ColumnMetrics]
  ) -> [Candidate] {
    arrangement.shown.enumerated().compactMap { position, choice in
      guard let index = columns.firstIndex(where: { $0.id == choice.id }) else { return nil }
      let title = TextWidth.columns(of: Visible.line(columns[index].title)) + 2
      let wanted = choice.columns ?? max(title, metrics[index].columns)
      let isElastic = columns[index].kind == .text && choice.columns == nil
      return Candidate(
        index: index, rank: columns[index].rank == 0 ? 0 : position + 1,
        least: isElastic ? min(wanted, telling) : wanted, wanted: wanted)
    }
  }

  private static func candidates(_ columns: [Column], _ metrics: [ColumnMetrics]) -> [Candidate] {
    let hasAmount = columns.contains { $0.kind == .amount }
    return columns.indices.compactMap { index in
      // The currency stands behind the amount.
      if hasAmount, columns[index].kind == .currency { return nil }
      if columns[index].rank >= ColumnLayout.hidden { return nil }
      let isEmpty = !metrics[index].hasContent && columns[index].rank > 0
      let title = TextWidth.columns(of: Visible.line(columns[index].title)) + 2
      let wanted = max(title, metrics[index].columns)
      let isElastic = columns[index].kind == .text
      let shortest = columns[index].rank == 0 ? ColumnLayout.telling : ColumnLayout.whole
      let least = isElastic ? min(wanted, shortest) : wanted
      return Candidate(
        index: index, rank: columns[index].rank + (isEmpty ? 1000 : 0), least: least, wanted: wanted)
    }
  }

  private mutating func place(_ chosen: inout [Candidate], width: Int) {
    while chosen.count > 1, ColumnLayout.total(chosen.map(\.least)) > width {
      // What names the row stays, however narrow it gets.
      guard let worst = chosen.indices.max(by: { chosen[$0].rank <= chosen[$1].rank }), chosen[worst].rank > 0 else {
        break
      }
      chosen.remove(at: worst)
    }
    var widths = chosen.map { min($0.least, width) }
    while ColumnLayout.total(widths) > width, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
      widths[widest] > 1
    {
      widths[widest] -= 1
    }
    for limit in [ColumnLayout.comfortable, Int.max] {
      for place in chosen.indices.sorted(by: { chosen[$0].rank < chosen[$1].rank }) {
        let spare = width - ColumnLayout.total(widths)
        guard spare > 0 else { break }
        widths[place] += max(0, min(spare, min(chosen[place].wanted, limit) - widths[place]))
      }
    }
    var start = 0
    for (candidate, columns) in zip(chosen, widths) {
      slots.append(Slot(index: candidate.index, start: start, columns: columns))
      start += columns + ColumnLayout.gap
    }
  }

  private static func total(_ widths: [Int]) -> Int { widths.reduce(0, +) + gap * max(0, widths.count - 1) }
}
