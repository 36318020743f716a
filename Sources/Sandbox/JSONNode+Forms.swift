import JSON

extension JSONNode {
  /// Text, or null where there is none.
  static func text(_ value: String?) -> JSONNode { value.map { .string($0) } ?? .null }

  /// Text, or null where it is empty, as shapes derived from v1.2.1 write it.
  static func filled(_ value: String?) -> JSONNode { value.flatMap { $0.isEmpty ? nil : .string($0) } ?? .null }

  static func list<Element>(_ elements: [Element], _ transform: (Element) -> JSONNode) -> JSONNode {
    .array(elements.map(transform))
  }

  static func double(_ value: Double) -> JSONNode { .number("\(value)") }

  /// A coordinate with at most five decimals, which is about a metre.
  static func degrees(_ value: Double) -> JSONNode { .number("\((value * 100_000).rounded() / 100_000)") }

  /// Money as every version writes it: the amount is a string.
  static func money(_ currency: String?, _ amount: String?) -> JSONNode {
    ["currency": .text(currency), "amount": .text(amount)]
  }
}
