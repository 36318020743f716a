import Model

/// What of a list of transactions is wanted beyond its period: `?direction=out&min=10&max=99.95`.
///
/// The server filters by period only, so this is done over the pages it sends. Amounts count without their sign.
struct TransactionFilter: Sendable {
  enum Direction: String, Sendable, CaseIterable {
    case into = "in"
    case out
  }

  /// Rows of the server looked at a time, and how many times for one answer.
  static let pageSize = 200
  static let mostPages = 10

  private let direction: Direction?
  private let least: String?
  private let most: String?

  init(_ location: Location) throws(ServiceError) {
    let text = location.queryValue("direction").flatMap { $0.isEmpty ? nil : $0 }
    direction = text.flatMap(Direction.init)
    if let text, direction == nil {
      throw ServiceError(
        .usage, "list \(location)", detail: "“\(text)” is no direction", remedy: "Write direction=in or direction=out.")
    }
    least = try TransactionFilter.bound("min", location)
    most = try TransactionFilter.bound("max", location)
  }

  private static func bound(_ name: String, _ location: Location) throws(ServiceError) -> String? {
    guard let text = location.queryValue(name), !text.isEmpty else { return nil }
    guard let amount = Money(decimal: text, currency: ""), amount.units >= 0 else {
      throw ServiceError(
        .usage, "list \(location)", detail: "“\(text)” is no amount", remedy: "Write \(name)=1204.50.")
    }
    return text
  }

  var isEmpty: Bool { direction == nil && least == nil && most == nil }

  /// Whether an amount fits; one that the view hides fits nothing.
  func accepts(_ value: Value) -> Bool {
    guard case .money(let money) = value else { return false }
    if let direction, (direction == .out) != money.isNegative { return false }
    let size = Money(units: abs(money.units), decimals: money.decimals, currency: money.currency)
    if let least, let bound = Money(decimal: least, currency: money.currency), size.isLess(than: bound) { return false }
    if let most, let bound = Money(decimal: most, currency: money.currency), bound.isLess(than: size) { return false }
    return true
  }

  /// The form that narrows the list, filled with what narrows it now.
  func action(at location: Location) -> Action {
    let now = { (name: String) in location.queryValue(name) ?? "" }
    return Action(
      "narrow", "Choose period, direction and amounts",
      fields: [
        FormField("from", "From", initial: now("from"), isRequired: false, hint: "2026-01-31, or a month: 2026-01"),
        FormField("to", "To", initial: now("to"), isRequired: false, hint: "the same"),
        FormField(
          "direction", "Direction", .choice([.init("", "both"), .init("in", "in"), .init("out", "out")]),
          initial: now("direction"), isRequired: false),
        FormField("min", "At least", initial: now("min"), isRequired: false),
        FormField("max", "At most", initial: now("max"), isRequired: false),
        FormField(
          "shape", "Notes too", .choice([.init("", "no"), .init("full", "narrative, tags, comments")]),
          initial: now("shape"), isRequired: false),
      ])
  }

  /// The list that the filled-in form asks for.
  static func narrowed(_ location: Location, _ form: ActionForm) throws(ServiceError) -> ActionOutcome {
    var query = location.view.map { [("view", $0)] } ?? []
    for name in ["from", "to", "direction", "min", "max", "shape"] {
      if let value = form.optional(name) { query.append((name, value)) }
    }
    let place = location.with(query: query)
    _ = try TransactionFilter(place)
    _ = try TransactionPeriod(place, ListQuery())
    return ActionOutcome("Narrowed to \(place).", location: place, isAnswer: true)
  }
}

extension Money {
  /// Exact, whatever the decimals; both in one currency, and far enough from the limits of 64 bits.
  func isLess(than other: Money) -> Bool {
    let places = max(decimals, other.decimals)
    guard let mine = units(with: places), let theirs = other.units(with: places) else {
      return decimals > other.decimals
    }
    return mine < theirs
  }
}
