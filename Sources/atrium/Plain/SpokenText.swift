import Model
import Screens

/// Values, rows and items as sentences: what a screen reader says line by line. Nothing is said by place or colour alone.
struct SpokenText {
  let zone: LocalTime
  let now: Timestamp
  /// Masks what is private.
  var isPrivate = false

  func value(_ value: Value, isPrivate isMasked: Bool = false) -> String {
    let text = plain(value)
    return Visible.printed(isPrivate && isMasked ? Mask.masked(text) : text)
  }

  private func plain(_ value: Value) -> String {
    switch value {
    case .null: return "not given"
    case .text(let text): return text.isEmpty ? "empty" : text
    case .integer(let number): return String(number)
    case .decimal(let text): return minus(Format.grouped(text))
    case .money(let money): return minus(Format.grouped(money.decimalText)) + " \(money.currency)"
    case .time(let time): return zone.long(time)
    case .date(let text): return text
    case .size(let bytes): return Format.plainSize(bytes)
    case .flag(let flag): return flag ? "yes" : "no"
    case .list(let values): return values.isEmpty ? "none" : values.map { plain($0) }.joined(separator: ", ")
    }
  }

  /// Readers pass over a dash in front of digits.
  private func minus(_ number: String) -> String { number.hasPrefix("-") ? "minus \(number.dropFirst())" : number }

  /// `3. Everyday account, 14178974, 1,508.37 EUR`: the columns that always stay, in order.
  func row(_ number: Int, _ row: Row, _ columns: [Column]) -> String {
    let hasMoney = row.values.contains { if case .money = $0 { true } else { false } }
    let parts = zip(columns, row.values).compactMap { column, value -> String? in
      guard column.rank <= 1, !value.isNull, value.exactText != "" else { return nil }
      // An amount says its currency itself.
      if column.kind == .currency, hasMoney { return nil }
      // A flag or a bare number says nothing without its name.
      let needsName = column.kind == .flag || column.kind == .integer
      let text = self.value(value, isPrivate: column.isPrivate)
      return needsName ? "\(Visible.printed(column.title)) \(text)" : text
    }
    return "\(number). \(parts.isEmpty ? "without a name" : parts.joined(separator: ", "))"
  }

  /// A row with the name of each column, a line each.
  func record(_ number: Int, of total: Int, _ row: Row, _ columns: [Column]) -> [String] {
    ["Row \(number) of \(total)"]
      + zip(columns, row.values).map { column, value in
        "\(Visible.printed(column.title)): \(self.value(value, isPrivate: column.isPrivate))"
      } + ["Location: \(row.location)"]
  }

  func item(_ item: Item) -> [String] {
    var lines: [String] = []
    for section in item.sections where !section.fields.isEmpty {
      lines.append("Section \(Visible.printed(section.title))")
      lines += section.fields.map { "\(Visible.printed($0.title)): \(value($0.value, isPrivate: $0.isPrivate))" }
    }
    return lines
  }
}
