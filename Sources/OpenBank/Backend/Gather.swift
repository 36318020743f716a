/// Runs `body` for each element, some at a time, and returns the results in the elements' order.
func gather<Element: Sendable, Result: Sendable>(
  _ elements: [Element], atMost width: Int, _ body: @escaping @Sendable (Element) async -> Result
) async -> [Result] {
  await withTaskGroup(of: (Int, Result).self) { group in
    var results = [Result?](repeating: nil, count: elements.count)
    var next = 0
    while next < min(width, elements.count) {
      let index = next
      group.addTask { (index, await body(elements[index])) }
      next += 1
    }
    for await (index, result) in group {
      results[index] = result
      guard next < elements.count else { continue }
      let following = next
      group.addTask { (following, await body(elements[following])) }
      next += 1
    }
    return results.compactMap { $0 }
  }
}
