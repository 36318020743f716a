import Model

/// Which columns of a kind of list a person wants to see, in which order, and how wide.
package struct ColumnArrangement: Sendable, Hashable {
  package struct Choice: Sendable, Hashable {
    package let id: String
    /// Nil for as wide as the values need.
    package var columns: Int?

    package init(_ id: String, columns: Int? = nil) {
      self.id = id
      self.columns = columns
    }
  }

  package var shown: [Choice]

  package init(_ shown: [Choice]) { self.shown = shown }

  /// Names lists that are alike: of one kind of back end, with the same columns.
  static func key(_ kind: BackendKind?, _ columns: [Column]) -> String {
    ((kind.map { [$0.rawValue] } ?? []) + columns.map(\.id)).joined(separator: " ")
  }

  func choice(_ id: String) -> Choice? { shown.first { $0.id == id } }
}

extension ColumnArrangement {
  /// `label=24 number balance`: as it stands in a file.
  package var text: String {
    shown.map { $0.id + ($0.columns.map { "=\($0)" } ?? "") }.joined(separator: " ")
  }

  /// Nil when nothing is left to show.
  package init?(text: some StringProtocol) {
    let shown = text.split(separator: " ").map { part in
      let halves = part.split(separator: "=", maxSplits: 1)
      return Choice(String(halves[0]), columns: halves.count == 2 ? Int(halves[1]).map { min(max(3, $0), 200) } : nil)
    }
    guard !shown.isEmpty else { return nil }
    self.init(shown)
  }
}
