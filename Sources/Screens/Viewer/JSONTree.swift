import Model

/// A folding tree over an outline, with a selected node.
struct JSONTree: Sendable, Hashable {
  let outline: JSONOutline
  private var folded: Set<Int> = []
  /// Nodes in view of the folding, ascending.
  private(set) var visible: [Int] = []
  var scroller = Scroller()
  var finder = Finder()

  /// A big answer begins folded below its second level, so that its shape is seen first.
  init(_ outline: JSONOutline) {
    self.outline = outline
    if outline.nodes.count > 300 {
      folded = Set(outline.nodes.indices.filter { outline.nodes[$0].depth >= 2 && outline.nodes[$0].isContainer })
    }
    rebuild()
  }

  var selected: Int? { visible.indices.contains(scroller.selected) ? visible[scroller.selected] : nil }

  private mutating func rebuild() {
    visible = []
    var index = 0
    while index < outline.nodes.count {
      visible.append(index)
      index = folded.contains(index) ? outline.nodes[index].end : index + 1
    }
  }

  private mutating func select(_ node: Int, page: Int) {
    guard let position = visible.firstIndex(of: node) else { return }
    scroller.select(position, count: visible.count, page: page)
  }

  /// Does a command; false when it means nothing to a tree.
  mutating func handle(_ command: Command, times: Int, page: Int) -> Bool {
    if scroller.handle(command, times: times, count: visible.count, page: page) { return true }
    switch command {
    case .unfold: unfold(page)
    case .open: toggle()
    case .fold: return fold(page)
    case .foldAll: foldAll(page)
    case .nextMatch, .previousMatch:
      finder.step(command == .nextMatch ? 1 : -1)
      showMatch(page)
    default: return false
    }
    return true
  }

  private mutating func unfold(_ page: Int) {
    guard let node = selected, outline.nodes[node].isContainer else { return }
    if folded.remove(node) != nil {
      rebuild()
    } else {
      scroller.move(by: outline.nodes[node].count > 0 ? 1 : 0, count: visible.count, page: page)
    }
  }

  private mutating func toggle() {
    guard let node = selected, outline.nodes[node].isContainer else { return }
    if folded.remove(node) == nil { folded.insert(node) }
    rebuild()
  }

  /// False at the top, where there is nothing to go out of.
  private mutating func fold(_ page: Int) -> Bool {
    guard let node = selected else { return false }
    if outline.nodes[node].isContainer, outline.nodes[node].count > 0, !folded.contains(node), node != 0 {
      folded.insert(node)
      rebuild()
      return true
    }
    guard let parent = outline.parent(of: node) else { return false }
    select(parent, page: page)
    return true
  }

  private mutating func foldAll(_ page: Int) {
    let containers = outline.nodes.indices.filter { outline.nodes[$0].depth >= 1 && outline.nodes[$0].isContainer }
    let node = selected
    folded = folded.isEmpty ? Set(containers) : []
    rebuild()
    var target = node ?? 0
    while !visible.contains(target), let parent = outline.parent(of: target) { target = parent }
    select(target, page: page)
  }

  mutating func find(_ text: String, page: Int) {
    let nodes = outline.nodes
    finder.look(for: text, from: selected ?? 0, in: nodes.count) { (nodes[$0].name ?? "") + " " + nodes[$0].text }
    showMatch(page)
  }

  private mutating func showMatch(_ page: Int) {
    guard let node = finder.line else { return }
    var at = node
    while let parent = outline.parent(of: at) {
      folded.remove(parent)
      at = parent
    }
    rebuild()
    select(node, page: page)
  }

  func render(into buffer: inout CellBuffer, area: Area) {
    for (offset, position) in scroller.visible(count: visible.count, page: area.rows).enumerated() {
      let node = visible[position]
      let row = area.row + offset
      let isSelected = position == scroller.selected
      if isSelected {
        let style = Style(.text, on: .selection)
        buffer.fill(Area(column: area.column, row: row, columns: area.columns - 1, rows: 1), style: style)
        buffer.put("▌", column: area.column, row: row, style: Style(.accent, on: .selection))
        buffer.cursor = (area.column, row)
      }
      let line = outline.line(node, isFolded: folded.contains(node))
      buffer.put(
        line, column: area.column + 1, row: row, columns: area.columns - 2, ground: isSelected ? .selection : nil)
      light(line, into: &buffer, area: area, row: row, ground: isSelected ? .selection : .screen)
    }
    ScrollMark.render(into: &buffer, area: area, top: scroller.top, page: area.rows, count: visible.count)
  }

  private func light(
    _ line: Line, into buffer: inout CellBuffer, area: Area, row: Int, ground: Style.Ground
  ) {
    guard !finder.words.isEmpty else { return }
    let characters = Array(Visible.line(line.text))
    for range in TextSearch.ranges(of: finder.words, in: String(characters)) {
      let before = TextWidth.columns(of: String(characters[..<range.lowerBound]))
      let piece = String(characters[range])
      guard before + TextWidth.columns(of: piece) <= area.columns - 2 else { return }
      buffer.put(piece, column: area.column + 1 + before, row: row, style: Style(.match, on: ground, bold: true))
    }
  }
}
