/// Finds what a misspelt word was meant to be.
package enum Spelling {
  /// The closest of the words, any case, when it is close enough to be meant.
  package static func nearest(to word: String, among words: [String]) -> String? {
    let limit = max(1, min(3, word.count / 3 + 1))
    return words.map { (word: $0, distance: distance(word.lowercased(), $0.lowercased())) }
      .filter { $0.distance <= limit }
      .min { $0.distance < $1.distance }?.word
  }

  /// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
  static func distance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a.unicodeScalars.prefix(64)), Array(b.unicodeScalars.prefix(64)))
    var twoAbove: [Int] = []
    var above = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var best = min(above[j + 1] + 1, row[j] + 1, above[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, twoAbove[j - 1] + 1) }
        row.append(best)
      }
      (twoAbove, above) = (above, row)
    }
    return above[b.count]
  }
}
