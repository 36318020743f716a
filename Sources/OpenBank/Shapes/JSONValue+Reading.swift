import JSON
import Model

extension JSONValue {
  /// The first of these members that is a text, a number or a flag; the API renamed many between its versions.
  func first(_ keys: String...) -> String? {
    for key in keys {
      if let text = self[key].text { return text }
    }
    return nil
  }

  /// Null for what is null or absent, which is what a view hides; an empty text stays an empty text.
  func value(_ key: String) -> Value { .optional(self[key].text) }

  /// `{"currency":"EUR","amount":"12.45"}`; nil when a view hides the amount or it is no plain decimal.
  var money: Money? {
    guard let amount = self["amount"].numberText else { return nil }
    return Money(decimal: amount, currency: self["currency"].string ?? "")
  }

  /// A time with or without milliseconds, or a day alone; a text that is neither stays one.
  var time: Value {
    guard let text = string, !text.isEmpty else { return .null }
    if text.utf8.count == 10, Timestamp(rfc3339: text) != nil { return .date(text) }
    return Timestamp(rfc3339: text).map { .time($0) } ?? .text(text)
  }

  /// A flag, also one that is written as a text (branches and ATMs do); null for an empty text.
  var flag: Value {
    if let bool { return .flag(bool) }
    switch string?.lowercased() {
    case "true", "yes": return .flag(true)
    case "false", "no": return .flag(false)
    default: return .null
    }
  }
}
