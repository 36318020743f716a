import Model

/// A field's value in full: the humanised form and the exact one.
enum FieldText {
  static func spans(_ field: Field, _ world: World) -> [Span] {
    var spans = plain(field.value, world)
    if world.isPrivate, field.isPrivate { spans = spans.map { Span(Mask.masked($0.text), $0.style) } }
    return spans
  }

  private static func plain(_ value: Value, _ world: World) -> [Span] {
    switch value {
    case .null: return [Span("–", .dim)]
    case .text(let text): return text.isEmpty ? [Span("(empty)", .dim)] : [Span(text)]
    case .integer(let number): return [Span(String(number), .number)]
    case .decimal(let text): return [Span(text, .number)]
    case .money(let money):
      return [
        Span(Format.grouped(money.decimalText), money.isNegative ? .negative : .number),
        Span(money.currency.isEmpty ? "" : " \(money.currency)", .currency),
      ]
    case .time(let time):
      return [Span(world.zone.long(time), .time), Span("  \(relative(time, world.now))", .dim)]
    case .date(let text): return [Span(text, .time)]
    case .size(let bytes):
      let exact = bytes >= 1000 ? "  \(Format.grouped(String(bytes))) bytes" : ""
      return [Span(bytes >= 1000 ? Format.plainSize(bytes) : "\(bytes) bytes", .number), Span(exact, .dim)]
    case .flag(let flag): return [Span(flag ? "yes" : "no")]
    case .list(let values):
      return values.isEmpty ? [Span("(none)", .dim)] : [Span(values.map(\.exactText).joined(separator: ", "))]
    }
  }

  private static func relative(_ time: Timestamp, _ now: Timestamp) -> String {
    let gap = now.milliseconds - time.milliseconds
    if abs(gap) < 1000 { return "now" }
    let words = Format.duration(milliseconds: abs(gap))
    return gap > 0 ? "\(words) ago" : "in \(words)"
  }
}
