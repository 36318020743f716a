/// A set of scope elements. Order and repetition mean nothing, so `b a` and `a b` are the same.
public struct Scope: Sendable, Hashable, CustomStringConvertible {
  /// Sorted, each once.
  public let elements: [String]

  /// Every application asks for this one, whatever else it needs.
  public static let standard = Scope("RegisteredClient")

  /// - Parameter text: Elements separated by blanks; nil for the default scope.
  public init(_ text: String?, addingStandard: Bool = true) {
    var elements = Set((text ?? "").split(whereSeparator: \.isWhitespace).map(String.init))
    if addingStandard { elements.insert("RegisteredClient") }
    self.elements = elements.sorted()
  }

  public var description: String { elements.joined(separator: " ") }

  public func covers(_ other: Scope) -> Bool { Set(elements).isSuperset(of: other.elements) }

  /// What is asked for beside the default.
  var special: [String] { elements.filter { $0 != "RegisteredClient" } }
}
