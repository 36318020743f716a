import Model

/// One place of work: screens one over the other, and the history of places visited in it.
struct Pane: Sendable {
  var stack: [any Screen] = []
  /// Places visited, and where in them we are.
  var trail: [(location: Location, opening: Row.Opening?)] = []
  var trailIndex = -1

  /// The newest place that has a location.
  var location: Location? { stack.last { $0.crumb.location != nil }?.crumb.location }
}

/// One pane, or two side by side.
struct Tab: Sendable {
  var panes = [Pane()]
  /// Which pane has the keys.
  var focus = 0

  var isSplit: Bool { panes.count > 1 }
  var pane: Pane { panes[focus] }

  /// From so many columns on both panes are shown; on a narrower screen the one in focus.
  static let splitColumns = 80

  func showsBoth(_ columns: Int) -> Bool { isSplit && columns >= Tab.splitColumns }

  /// The panes in view and the columns of each; a line stands between two.
  func shown(columns: Int) -> [(pane: Int, columns: Range<Int>)] {
    guard showsBoth(columns) else { return [(focus, 0..<columns)] }
    let left = (columns - 1) / 2
    return [(0, 0..<left), (1, (left + 1)..<columns)]
  }
}
