import Model

/// The filled-in form of an action, read field by field.
struct ActionForm: Sendable {
  let fields: [String: String]
  let operation: String

  /// - Throws: `.usage` when it is missing or empty.
  func text(_ id: String) throws(ServiceError) -> String {
    guard let text = optional(id) else {
      throw ServiceError(.usage, operation, detail: "“\(id)” is missing", remedy: "Give it as \(id)=VALUE.")
    }
    return text
  }

  /// Nil when it is missing or empty.
  func optional(_ id: String) -> String? { fields[id].flatMap { $0.isEmpty ? nil : $0 } }

  func flag(_ id: String, _ usual: Bool) throws(ServiceError) -> Bool {
    switch optional(id)?.lowercased() {
    case nil: return usual
    case "true", "yes", "1": return true
    case "false", "no", "0": return false
    default: throw ServiceError(.usage, operation, detail: "“\(id)” must be true or false")
    }
  }

  /// A day, as `2026-01-31`; nil when it is missing or empty.
  func day(_ id: String) throws(ServiceError) -> String? {
    guard let text = optional(id) else { return nil }
    guard text.utf8.count == 10, Timestamp(rfc3339: text)?.dateText == text else {
      throw ServiceError(
        .usage, operation, detail: "“\(text)” is no day for “\(id)”", remedy: "Write it like 2026-01-31.")
    }
    return text
  }

  /// A plain decimal number, as its own text.
  func decimal(_ id: String) throws(ServiceError) -> String {
    let text = try text(id)
    guard let number = Double(text), number.isFinite, Money(decimal: text, currency: "") != nil else {
      throw ServiceError(.usage, operation, detail: "“\(text)” is no number for “\(id)”")
    }
    return text.first == "+" ? String(text.dropFirst()) : text
  }

  /// An amount above zero with no more decimals than its currency has.
  func amount(_ id: String, in currency: String) throws(ServiceError) -> Money {
    let text = try text(id)
    guard let money = Money(decimal: text, currency: currency) else {
      throw ServiceError(.usage, operation, detail: "“\(text)” is no amount", remedy: "Write it like 1204.50.")
    }
    guard money.units > 0 else {
      throw ServiceError(.usage, operation, detail: "the amount must be more than zero")
    }
    guard money.decimals <= Money.decimals(of: currency) else {
      throw ServiceError(
        .usage, operation, detail: "“\(text)” has more decimals than \(currency) has (\(Money.decimals(of: currency)))")
    }
    return money
  }
}
