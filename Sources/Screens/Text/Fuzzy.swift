/// Fuzzy matching for the palette and for “did you mean”.
package enum Fuzzy {
  package struct Match: Sendable, Hashable {
    package let score: Int
    /// Offsets of the matched characters.
    package let offsets: [Int]
  }

  /// Matches when all characters of the needle occur in order, any case. Starts of words and runs score higher.
  package static func match(_ needle: String, in text: String) -> Match? {
    let wanted = Array(needle.lowercased().filter { $0 != " " })
    guard !wanted.isEmpty else { return Match(score: 0, offsets: []) }
    let characters = Array(text)
    let lower = Array(text.lowercased())
    guard lower.count == characters.count else { return nil }
    // As it was typed first: “sign in” names “sign in to …”, and only then whatever has these letters.
    let typed = Array(needle.lowercased().drop { $0 == " " })
    for (letters, bonus) in [(typed, 100), (wanted, 0)] {
      guard let run = runStart(letters, in: lower) else { continue }
      let isStart = run == 0 || isBorder(lower[run - 1])
      return Match(
        score: 1000 + bonus + (isStart ? 200 : 0) - min(100, run) - min(100, lower.count),
        offsets: Array(run..<(run + letters.count)))
    }
    return spread(wanted, in: lower, preferringStarts: true) ?? spread(wanted, in: lower, preferringStarts: false)
  }

  /// The candidate with the smallest edit distance, when it is close enough to be what was meant.
  package static func nearest(_ text: String, in candidates: [String]) -> String? {
    let best = candidates.map { (text: $0, distance: distance(text, $0)) }.min { $0.distance < $1.distance }
    return best.flatMap { $0.distance <= max(1, text.count / 3) ? $0.text : nil }
  }

  private static func spread(_ wanted: [Character], in lower: [Character], preferringStarts: Bool) -> Match? {
    var offsets: [Int] = []
    var score = 0
    var at = 0
    for character in wanted {
      // A start of a word further on is preferred over a letter within one.
      let rest = at..<lower.count
      let start =
        preferringStarts ? rest.first { lower[$0] == character && ($0 == 0 || isBorder(lower[$0 - 1])) } : nil
      guard let found = start ?? rest.first(where: { lower[$0] == character }) else { return nil }
      score += start != nil ? 40 : 0
      if let last = offsets.last { score -= min(20, found - last - 1) }
      offsets.append(found)
      at = found + 1
    }
    return Match(score: score + 300 - min(100, lower.count), offsets: offsets)
  }

  private static func runStart(_ wanted: [Character], in lower: [Character]) -> Int? {
    guard wanted.count <= lower.count else { return nil }
    var first: Int?
    for start in 0...(lower.count - wanted.count) where lower[start] == wanted[0] {
      guard (0..<wanted.count).allSatisfy({ lower[start + $0] == wanted[$0] }) else { continue }
      if start == 0 || isBorder(lower[start - 1]) { return start }
      first = first ?? start
    }
    return first
  }

  private static func isBorder(_ character: Character) -> Bool { " -_/:.·".contains(character) }

  private static func distance(_ a: String, _ b: String) -> Int {
    let a = Array(a)
    let b = Array(b)
    var row = Array(0...b.count)
    for (i, left) in a.enumerated() {
      var previous = row[0]
      row[0] = i + 1
      for (j, right) in b.enumerated() {
        let above = row[j + 1]
        row[j + 1] = left == right ? previous : min(previous, above, row[j]) + 1
        previous = above
      }
    }
    return row[b.count]
  }
}
