import Model

/// What differs between two texts, line by line.
package struct TextDiff: Sendable {
  package enum Pair: Sendable, Hashable {
    case same(String)
    /// A line of the one side that the other has not, or a line in place of another.
    case changed(String?, String?)

    package var isChange: Bool { if case .changed = self { true } else { false } }
  }

  package private(set) var pairs: [Pair] = []

  package var changes: Int {
    zip([.same("")] + pairs, pairs).count { $1.isChange && !$0.isChange }
  }

  package init(_ left: [String], _ right: [String]) {
    var removed: Set<Int> = []
    var added: Set<Int> = []
    for change in right.difference(from: left) {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): added.insert(offset)
      }
    }
    var (at, to) = (0, 0)
    while at < left.count || to < right.count {
      var (gone, new): ([String], [String]) = ([], [])
      while removed.contains(at) {
        gone.append(left[at])
        at += 1
      }
      while added.contains(to) {
        new.append(right[to])
        to += 1
      }
      for index in 0..<max(gone.count, new.count) {
        pairs.append(.changed(index < gone.count ? gone[index] : nil, index < new.count ? new[index] : nil))
      }
      guard at < left.count, to < right.count else { continue }
      pairs.append(.same(left[at]))
      at += 1
      to += 1
    }
  }

  /// The changes with so many lines around each; what is left out is nil.
  package func excerpt(around: Int) -> [Pair?] {
    var keeps = [Bool](repeating: false, count: pairs.count)
    for index in pairs.indices where pairs[index].isChange {
      for near in max(0, index - around)...min(pairs.count - 1, index + around) { keeps[near] = true }
    }
    var excerpt: [Pair?] = []
    for index in pairs.indices {
      if keeps[index] {
        excerpt.append(pairs[index])
      } else if excerpt.isEmpty || excerpt[excerpt.count - 1] != nil {
        excerpt.append(nil)
      }
    }
    return excerpt
  }
}
