import Model

/// A value as a table cell shows it: its text, what it means, and where its decimal point stands.
struct CellForm: Hashable {
  var text: String
  var role: Style.Role
  /// Columns of the part from the decimal point on; 0 without one.
  var fraction = 0
  /// Currency code behind an amount.
  var suffix = ""

  init(_ text: String, _ role: Style.Role = .text) {
    self.text = Visible.line(text)
    self.role = role
  }

  init(_ value: Value, in column: Column, _ world: World) {
    switch value {
    case .null: self.init("–", .dim)
    case .text(let text): self.init(text, column.kind == .currency ? .currency : .text)
    case .integer(let number): self.init(CellForm.integer(number, in: column), .number)
    case .decimal(let text): self.init(number: Format.grouped(text), .number)
    case .money(let money):
      self.init(number: Format.grouped(money.decimalText), CellForm.role(of: money, in: column))
      suffix = money.currency
    case .time(let time): self.init(world.zone.short(time, now: world.now), .time)
    case .date(let text): self.init(text, .time)
    case .size(let bytes): self.init(Format.size(bytes), .number)
    case .flag(let flag): self.init(flag ? "yes" : "no", flag ? .text : .dim)
    case .list(let values): self.init(values.map(\.exactText).joined(separator: ", "), .text)
    }
    if world.isPrivate, column.isPrivate { text = Mask.masked(text) }
  }

  private init(number text: String, _ role: Style.Role) {
    self.init(text, role)
    if let point = text.lastIndex(of: LocalForm.current.decimal) { fraction = TextWidth.columns(of: text[point...]) }
  }

  var columns: Int { TextWidth.columns(of: text) }
  var whole: Int { columns - fraction }

  /// Whole numbers are grouped unless they name something.
  private static func integer(_ number: Int64, in column: Column) -> String {
    isName(column) ? String(number) : Format.grouped(String(number))
  }

  static func isName(_ column: Column) -> Bool {
    column.id == "id" || column.id.hasSuffix("_id") || column.id.hasSuffix("ID")
  }

  private static func role(of money: Money, in column: Column) -> Style.Role {
    if money.isNegative { return .negative }
    return column.id == "amount" && money.units > 0 ? .positive : .number
  }
}
