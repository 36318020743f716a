/// Which lines two texts share, and which they do not.
///
/// The shortest edit by Myers' algorithm between what is equal at both ends; texts that differ too much for it are shown
/// as one change.
package struct LineDiff: Sendable {
  package enum Row: Sendable, Hashable {
    /// Positions in the first and in the second text.
    case same(Int, Int)
    case changed(Int?, Int?)

    package var isChange: Bool { if case .changed = self { true } else { false } }
  }

  package private(set) var rows: [Row] = []
  /// Rows at which a change begins.
  package private(set) var changes: [Int] = []
  /// Edits beyond these are not looked for: time and memory grow with their square.
  private static let mostEdits = 2000

  package init(_ old: [String], _ new: [String]) {
    var head = 0
    while head < old.count, head < new.count, old[head] == new[head] {
      rows.append(.same(head, head))
      head += 1
    }
    var tail = 0
    while tail < old.count - head, tail < new.count - head, old[old.count - 1 - tail] == new[new.count - 1 - tail] {
      tail += 1
    }
    let (oldEnd, newEnd) = (old.count - tail, new.count - tail)
    if let pairs = LineDiff.shared(old[head..<oldEnd], new[head..<newEnd]) {
      var (a, b) = (head, head)
      for (x, y) in pairs + [(oldEnd, newEnd)] {
        addChange(a..<x, b..<y)
        if x < oldEnd || y < newEnd { rows.append(.same(x, y)) }
        (a, b) = (x + 1, y + 1)
      }
    } else {
      addChange(head..<oldEnd, head..<newEnd)
    }
    for offset in 0..<tail { rows.append(.same(oldEnd + offset, newEnd + offset)) }
  }

  /// The changes with so many lines around each; nil stands for what is left out between them.
  package func excerpt(around: Int) -> [Row?] {
    var keeps = [Bool](repeating: false, count: rows.count)
    for index in rows.indices where rows[index].isChange {
      for near in max(0, index - around)...min(rows.count - 1, index + around) { keeps[near] = true }
    }
    var excerpt: [Row?] = []
    for index in rows.indices {
      if keeps[index] {
        excerpt.append(rows[index])
      } else if excerpt.isEmpty || excerpt[excerpt.count - 1] != nil {
        excerpt.append(nil)
      }
    }
    return excerpt
  }

  /// Lines that went beside lines that came.
  private mutating func addChange(_ old: Range<Int>, _ new: Range<Int>) {
    guard !old.isEmpty || !new.isEmpty else { return }
    changes.append(rows.count)
    for offset in 0..<max(old.count, new.count) {
      rows.append(
        .changed(
          offset < old.count ? old.lowerBound + offset : nil, offset < new.count ? new.lowerBound + offset : nil))
    }
  }

  /// Positions of shared lines in order; nil when the texts differ too much.
  private static func shared(_ old: ArraySlice<String>, _ new: ArraySlice<String>) -> [(Int, Int)]? {
    let (n, m) = (old.count, new.count)
    guard n > 0, m > 0 else { return [] }
    let most = min(n + m, mostEdits)
    var reach = [Int](repeating: 0, count: 2 * most + 2)
    var trail: [[Int]] = []
    for edits in 0...most {
      trail.append(Array(reach[(most - edits)...(most + edits)]))
      for diagonal in stride(from: -edits, through: edits, by: 2) {
        let goesDown =
          diagonal == -edits || (diagonal != edits && reach[most + diagonal - 1] < reach[most + diagonal + 1])
        var x = goesDown ? reach[most + diagonal + 1] : reach[most + diagonal - 1] + 1
        while x < n, x - diagonal < m, x - diagonal >= 0,
          old[old.startIndex + x] == new[new.startIndex + x - diagonal]
        {
          x += 1
        }
        reach[most + diagonal] = x
        if x >= n, x - diagonal >= m { return walk(trail, n, m, old.startIndex, new.startIndex) }
      }
    }
    return nil
  }

  /// Back from the end along the furthest points, noting every shared line. `trail[n]` holds the diagonals from -n to n
  /// as they were before round n.
  private static func walk(_ trail: [[Int]], _ n: Int, _ m: Int, _ oldStart: Int, _ newStart: Int) -> [(Int, Int)] {
    var pairs: [(Int, Int)] = []
    var (x, y) = (n, m)
    for edits in stride(from: trail.count - 1, through: 0, by: -1) {
      let diagonal = x - y
      let reached = { (other: Int) in edits == 0 ? 0 : trail[edits][other + edits] }
      let goesDown =
        diagonal == -edits || (diagonal != edits && reached(diagonal - 1) < reached(diagonal + 1))
      let before = goesDown ? diagonal + 1 : diagonal - 1
      let fromX = edits == 0 ? 0 : reached(before)
      let fromY = edits == 0 ? 0 : fromX - before
      while x > fromX, y > fromY {
        (x, y) = (x - 1, y - 1)
        pairs.append((oldStart + x, newStart + y))
      }
      (x, y) = (fromX, fromY)
    }
    return pairs.reversed()
  }
}
