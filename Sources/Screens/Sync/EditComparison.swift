import Model

/// An edit that waits, as its item tells it: each property as it is sent, as the server has it, and as it was before.
///
/// The three sides are the fields whose ids begin with `mine.`, `theirs.` and `base.`.
struct EditComparison {
  struct Property {
    let title: String
    var mine: Field?
    var theirs: Field?
    var base: Field?

    /// Both sides say something, and not the same.
    var differs: Bool {
      guard let mine, let theirs else { return false }
      return mine.value != theirs.value
    }

    func isChanged(_ side: Field?) -> Bool {
      guard let side, let base else { return false }
      return side.value != base.value
    }
  }

  private static let sides: [(prefix: String, side: WritableKeyPath<Property, Field?> & Sendable)] = [
    ("mine.", \.mine), ("theirs.", \.theirs), ("base.", \.base),
  ]

  /// In the order in which they first appear.
  private(set) var properties: [Property] = []

  /// Nil when the item is no edit with sides to compare.
  init?(_ item: Item) {
    for field in item.fields {
      guard let (prefix, side) = Self.sides.first(where: { field.id.hasPrefix($0.prefix) }) else { continue }
      let name = field.id.dropFirst(prefix.count)
      if let index = properties.firstIndex(where: { $0.title == name }) {
        properties[index][keyPath: side] = field
      } else {
        var property = Property(title: String(name))
        property[keyPath: side] = field
        properties.append(property)
      }
    }
    guard properties.contains(where: { $0.mine != nil }), properties.contains(where: { $0.theirs ?? $0.base != nil })
    else { return nil }
  }

  /// Whether a section says nothing beside the sides.
  static func isSide(_ section: Item.Section) -> Bool {
    !section.fields.isEmpty
      && section.fields.allSatisfy { field in sides.contains { field.id.hasPrefix($0.prefix) } }
  }

  var hasTheirs: Bool { properties.contains { $0.theirs != nil } }
  var hasBase: Bool { properties.contains { $0.base != nil } }
}

/// A comparison as lines of some width: side by side where there is room, else below one another.
struct ComparisonLines {
  private let comparison: EditComparison
  private let columns: Int
  private let world: World
  private static let narrow = 52
  /// From here on what was before has a column of its own.
  private static let wide = 76
  private static let longest = 6

  init(_ comparison: EditComparison, columns: Int, world: World) {
    self.comparison = comparison
    self.columns = columns
    self.world = world
  }

  var entries: [ItemLines.Entry] { columns < Self.narrow ? stacked : beside }

  private var sides: [(title: String, side: KeyPath<EditComparison.Property, Field?>)] {
    var sides: [(String, KeyPath<EditComparison.Property, Field?>)] = [("Mine", \.mine)]
    if comparison.hasTheirs { sides.append(("Theirs", \.theirs)) }
    if comparison.hasBase { sides.append(("Before", \.base)) }
    return sides
  }

  // MARK: Side by side

  private var beside: [ItemLines.Entry] {
    let sides = columns < Self.wide && comparison.hasTheirs ? Array(sides.prefix(2)) : sides
    let longest = comparison.properties.map { TextWidth.columns(of: Visible.line($0.title)) }.max() ?? 0
    let labels = min(longest, max(8, columns / 4), 20)
    let width = max(6, (columns - labels - 4) / sides.count - 2)
    var head = [Span(String(repeating: " ", count: labels + 4))]
    head += sides.map { Span($0.title.padded(columns: width + 2), .heading, bold: true) }
    let title = ItemLines.Entry(target: nil, lines: [Line(head)])
    return [title]
      + comparison.properties.map { property in
        ItemLines.Entry(
          target: (property.mine ?? property.theirs ?? property.base).map { .field($0) },
          lines: lines(property, sides.map(\.side), labels: labels, width: width))
      }
  }

  private func lines(
    _ property: EditComparison.Property, _ sides: [KeyPath<EditComparison.Property, Field?>], labels: Int, width: Int
  ) -> [Line] {
    let cells = sides.map { side -> [Span] in
      let field = property[keyPath: side]
      let style = style(of: side, property)
      let pieces = Wrap.lines(text(field), columns: width)
      let cut = pieces.count > Self.longest ? Array(pieces.prefix(Self.longest - 1)) + ["…"] : pieces
      return cut.map { Span($0, style) }
    }
    let rows = max(1, cells.map(\.count).max() ?? 1)
    let label = Visible.line(property.title).fitted(columns: labels).padded(columns: labels)
    return (0..<rows).map { row in
      var spans = [
        Span(row == 0 && property.differs ? "≠ " : "  ", .warning, bold: true),
        Span(row == 0 ? label : String(repeating: " ", count: labels), .label), Span("  "),
      ]
      for cell in cells {
        let piece = cell.indices.contains(row) ? cell[row] : Span("")
        spans.append(Span(piece.text.padded(columns: width), piece.style))
        spans.append(Span("  "))
      }
      return Line(spans)
    }
  }

  // MARK: Below one another

  private var stacked: [ItemLines.Entry] {
    comparison.properties.map { property in
      var lines = [
        Line([
          Span(property.differs ? "≠ " : "  ", .warning, bold: true),
          Span(Visible.line(property.title).fitted(columns: max(1, columns - 2)), .label),
        ])
      ]
      for (title, side) in sides where property[keyPath: side] != nil {
        let pieces = Wrap.lines(text(property[keyPath: side]), columns: max(4, columns - 10))
        for (index, piece) in pieces.prefix(Self.longest).enumerated() {
          let label = index == 0 ? title.lowercased().padded(columns: 7) : String(repeating: " ", count: 7)
          lines.append(Line([Span("  \(label) ", .dim), Span(piece, style(of: side, property))]))
        }
      }
      return ItemLines.Entry(
        target: (property.mine ?? property.theirs ?? property.base).map { .field($0) }, lines: lines)
    }
  }

  private func text(_ field: Field?) -> String {
    guard let field else { return "–" }
    let text = FieldText.spans(field, world).first?.text ?? ""
    return text.isEmpty ? "–" : text
  }

  /// What a side has changed stands out; what it has not stays quiet.
  private func style(
    of side: KeyPath<EditComparison.Property, Field?>, _ property: EditComparison.Property
  ) -> Style {
    if side == \.mine {
      return property.isChanged(property.mine) || !comparison.hasBase ? Style(.accent, bold: true) : Style(.text)
    }
    if side == \.theirs { return property.isChanged(property.theirs) ? Style(.warning, bold: true) : Style(.text) }
    return Style(.dim)
  }
}
