import Model

/// A selection in a list of any length and the part of it that is in view.
package struct Scroller: Sendable, Hashable {
  package private(set) var selected = 0
  package private(set) var top = 0

  package init() {}

  /// Moves by a command; false when the command does not move.
  package mutating func handle(_ command: Command, times: Int, count: Int, page: Int) -> Bool {
    let page = max(1, page)
    switch command {
    case .up: move(by: -times, count: count, page: page)
    case .down: move(by: times, count: count, page: page)
    case .pageUp: scroll(by: -page * times, count: count, page: page)
    case .pageDown: scroll(by: page * times, count: count, page: page)
    case .halfPageUp: scroll(by: -max(1, page / 2) * times, count: count, page: page)
    case .halfPageDown: scroll(by: max(1, page / 2) * times, count: count, page: page)
    case .first: select(0, count: count, page: page)
    case .last: select(count - 1, count: count, page: page)
    default: return false
    }
    return true
  }

  package mutating func move(by step: Int, count: Int, page: Int) {
    select(selected.addingClamped(step), count: count, page: page)
  }

  /// A page keeps the selection at its place in the window, as far as there are rows.
  package mutating func scroll(by step: Int, count: Int, page: Int) {
    top = min(max(0, top.addingClamped(step)), max(0, count - page))
    select(selected.addingClamped(step), count: count, page: page)
  }

  package mutating func select(_ index: Int, count: Int, page: Int) {
    selected = min(max(0, index), max(0, count - 1))
    let page = max(1, page)
    top = min(top, selected)
    top = max(top, selected - page + 1)
    top = min(max(0, top), max(0, count - page))
  }

  /// The wheel moves the window and takes the selection along only when it would leave it.
  package mutating func wheel(by step: Int, count: Int, page: Int) {
    top = min(max(0, top + step), max(0, count - page))
    selected = min(max(selected, top), max(top, min(count, top + page) - 1))
  }

  package func visible(count: Int, page: Int) -> Range<Int> {
    let start = min(top, max(0, count))
    return start..<min(count, start + max(0, page))
  }
}

extension Int {
  fileprivate func addingClamped(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? Int.min : Int.max) : sum
  }
}

/// A thin mark at the right edge that shows which part of a long list is in view.
package enum ScrollMark {
  package static func render(into buffer: inout CellBuffer, area: Area, top: Int, page: Int, count: Int) {
    guard count > page, area.rows > 1, area.columns > 0 else { return }
    let length = max(1, area.rows * page / count)
    let room = area.rows - length
    let start = count > page ? (room * top + (count - page) / 2) / (count - page) : 0
    for row in 0..<length {
      buffer.put("▐", column: area.endColumn - 1, row: area.row + min(room, start) + row, style: Style(.border))
    }
  }
}
