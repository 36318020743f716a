/// One value of a YAML text, with the place where it stands.
///
/// Plain scalars mean what the core schema of YAML 1.2 says: `no`, `on` and `1_000` are text, `true` and `TRUE` are
/// booleans, nothing at all is null. What stands in quotes or in a block (`|`, `>`) is always text.
package struct YAMLNode: Sendable {
  package enum Style: Sendable, Equatable {
    case plain
    /// In quotes, as a block, or marked `!!str`: text whatever it looks like.
    case quoted
  }

  package enum Content: Sendable {
    case scalar(String, Style)
    case sequence([YAMLNode])
    /// In the order of the text; keys are scalars and no two are the same.
    case mapping([(key: YAMLNode, value: YAMLNode)])
  }

  package let content: Content
  /// Where the value begins, or the anchor or tag before it; of an alias, where `*name` stands.
  package let position: YAMLPosition
  /// The bytes of the text that the value takes, quotes and brackets included, anchors and comments not. Empty where a
  /// key has no value. Replacing them replaces the value and nothing else.
  package let range: Range<Int>
  /// Whether `*name` stands here: then the nodes inside stand elsewhere, at the anchor.
  package let isAlias: Bool

  package init(_ content: Content, at position: YAMLPosition, range: Range<Int>, isAlias: Bool = false) {
    self.content = content
    self.position = position
    self.range = range
    self.isAlias = isAlias
  }

  /// Reads one document of UTF-8. A text without any value is a null node.
  ///
  /// - Throws: `YAMLError` for what libyaml refuses, for repeated keys, for keys that are no scalars, for a second
  ///   document, for tags outside the core schema and for what exceeds the limits.
  package static func parse(_ bytes: [UInt8], limits: YAMLLimits = .standard) throws(YAMLError) -> YAMLNode {
    try YAMLComposer.compose(bytes, limits)
  }

  package static func parse(_ text: String, limits: YAMLLimits = .standard) throws(YAMLError) -> YAMLNode {
    try parse([UInt8](text.utf8), limits: limits)
  }
}

extension YAMLNode {
  /// The value of a key; nil when there is none or when this is no mapping.
  package subscript(key: String) -> YAMLNode? { entry(key)?.value }

  /// The element at an index; nil when there is none or when this is no sequence.
  package subscript(index: Int) -> YAMLNode? {
    guard let elements, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// A key with its value, so that messages can point at the key.
  package func entry(_ key: String) -> (key: YAMLNode, value: YAMLNode)? {
    entries?.first { $0.key.scalar?.text == key }
  }

  package var elements: [YAMLNode]? {
    guard case .sequence(let elements) = content else { return nil }
    return elements
  }

  package var entries: [(key: YAMLNode, value: YAMLNode)]? {
    guard case .mapping(let entries) = content else { return nil }
    return entries
  }

  /// The text of a scalar as written, without quotes and with escapes resolved, and its style.
  package var scalar: (text: String, style: Style)? {
    guard case .scalar(let text, let style) = content else { return nil }
    return (text, style)
  }
}
