/// A place in a text, counted from 1 as editors do; columns count characters (Unicode scalars).
package struct YAMLPosition: Sendable, Hashable {
  package var line: Int
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}

extension YAMLPosition: Comparable, CustomStringConvertible {
  package static func < (left: YAMLPosition, right: YAMLPosition) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }

  package var description: String { "line \(line), column \(column)" }
}

/// How much a text may hold.
package struct YAMLLimits: Sendable, Equatable {
  package static let standard = YAMLLimits()

  package var maxBytes: Int
  /// Lists and mappings inside each other.
  package var maxDepth: Int
  /// Nodes, counted as if every alias were written out: aliases of aliases grow fast.
  package var maxNodes: Int

  package init(maxBytes: Int = 4 << 20, maxDepth: Int = 64, maxNodes: Int = 200_000) {
    self.maxBytes = maxBytes
    self.maxDepth = maxDepth
    self.maxNodes = maxNodes
  }
}

/// Why a text is no YAML, or none that is taken here, and where.
package struct YAMLError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A clause without a full stop: "the key \"name\" stands here a second time; the first is at line 2, column 1".
  package let message: String
  package let position: YAMLPosition

  package init(_ message: String, at position: YAMLPosition) {
    self.message = message
    self.position = position
  }

  package var description: String { "\(position): \(message)" }
}
