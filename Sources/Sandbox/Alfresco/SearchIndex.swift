/// The words of every node, as numbers; brought up to date when a search asks.
struct SearchIndex: Sendable {
  /// One node's words by part. Equal sentences share one array.
  struct Document: Sendable {
    var name: [Int32] = []
    var title: [Int32] = []
    var description: [Int32] = []
    var content: [Int32] = []
    fileprivate var stamp = Stamp()
  }
  fileprivate struct Stamp: Sendable, Equatable {
    var modified = SandboxTime(milliseconds: 0)
    var name = ""
  }

  private(set) var documents: [String: Document] = [:]
  private(set) var vocabulary: [String: Int32] = [:]
  private(set) var words: [String] = []
  private let sentences: [DocumentLanguage: [[Int32]]]
  private var transaction = -1

  init(corpus: DocumentCorpus) {
    var vocabulary: [String: Int32] = [:]
    var words: [String] = []
    var all: [DocumentLanguage: [[Int32]]] = [:]
    for language in DocumentLanguage.allCases {
      all[language] = corpus.sentences(language).map { sentence in
        SearchText.words(sentence).map { Self.number($0, &vocabulary, &words) }
      }
    }
    sentences = all
    self.vocabulary = vocabulary
    self.words = words
  }

  private static func number(_ word: String, _ vocabulary: inout [String: Int32], _ words: inout [String]) -> Int32 {
    if let known = vocabulary[word] { return known }
    let number = Int32(words.count)
    vocabulary[word] = number
    words.append(word)
    return number
  }

  private mutating func numbers(_ text: String?) -> [Int32] {
    guard let text else { return [] }
    return SearchText.words(text).map { Self.number($0, &vocabulary, &words) }
  }

  /// Reads what has changed since the last time.
  mutating func update(from repository: Repository) {
    guard repository.transaction != transaction || documents.count != repository.nodes.count else { return }
    transaction = repository.transaction
    for id in Array(documents.keys) where repository.nodes[id] == nil { documents[id] = nil }
    for node in repository.nodes.values {
      let stamp = Stamp(modified: node.modified, name: node.name)
      if documents[node.id]?.stamp == stamp { continue }
      var document = Document(
        name: numbers(node.name), title: numbers(node.title), description: numbers(node.text),
        content: content(of: node), stamp: stamp)
      if document.name.isEmpty { document.name = numbers(node.title) }
      documents[node.id] = document
    }
  }

  /// Words of the content; a binary has none, and of a long text only the beginning is read.
  private mutating func content(of node: RepoNode) -> [Int32] {
    switch node.content {
    case .text(let text, _): numbers(text.title) + text.sentences.flatMap { sentences[text.language]?[Int($0)] ?? [] }
    case .bytes(let bytes) where MimeTypes.isText(node.mimeType ?? ""):
      numbers(String(decoding: bytes.prefix(100_000), as: UTF8.self))
    default: []
    }
  }

  /// The numbers of the words that a pattern word means.
  func matches(_ pattern: String, isFuzzy: Bool = false) -> WordSet {
    if isFuzzy {
      return .several(Set(words.indices.filter { EditDistance.isWithin(2, words[$0], pattern) }.map { Int32($0) }))
    }
    guard pattern.contains(where: { $0 == "*" || $0 == "?" }) else {
      return vocabulary[pattern].map { .one($0) } ?? .several([])
    }
    if pattern == "*" { return .any }
    if pattern.hasSuffix("*"), !pattern.dropLast().contains(where: { $0 == "*" || $0 == "?" }) {
      let prefix = pattern.dropLast()
      return .several(Set(words.indices.filter { words[$0].hasPrefix(prefix) }.map { Int32($0) }))
    }
    let wildcard = Wildcard(pattern)
    return .several(Set(words.indices.filter { wildcard.matches(words[$0]) }.map { Int32($0) }))
  }

  /// The known word most like a mistyped one; nil where the word is known or nothing is close.
  func suggestion(for word: String) -> String? {
    guard vocabulary[word] == nil, word.count > 3 else { return nil }
    return words.filter { EditDistance.isWithin(2, $0, word) }
      .min { EditDistance.between($0, word, limit: 3) < EditDistance.between($1, word, limit: 3) }
  }
}

/// The words that fit one word of a query.
enum WordSet: Sendable, Equatable {
  case one(Int32)
  case several(Set<Int32>)
  case any

  func contains(_ word: Int32) -> Bool {
    switch self {
    case .one(let wanted): word == wanted
    case .several(let wanted): wanted.contains(word)
    case .any: true
    }
  }

  /// How often a sequence of words stands in a text, at most `slop` other words between them.
  static func occurrences(of phrase: [WordSet], in text: [Int32], slop: Int = 0) -> Int {
    guard let first = phrase.first, !text.isEmpty else { return 0 }
    var count = 0
    for start in text.indices where first.contains(text[start]) {
      var position = start + 1
      var isWhole = true
      for next in phrase.dropFirst() {
        let window = text[min(position, text.count)..<min(position + slop + 1, text.count)]
        guard let found = window.firstIndex(where: next.contains) else {
          isWhole = false
          break
        }
        position = found + 1
      }
      if isWhole { count += 1 }
    }
    return count
  }
}

/// How many letters must change to make one word of another.
enum EditDistance {
  static func isWithin(_ limit: Int, _ left: String, _ right: String) -> Bool {
    abs(left.utf8.count - right.utf8.count) <= limit * 2 && between(left, right, limit: limit) <= limit
  }

  /// The distance, or something above `limit` where it is larger.
  static func between(_ left: String, _ right: String, limit: Int) -> Int {
    let a = Array(left.unicodeScalars)
    let b = Array(right.unicodeScalars)
    guard abs(a.count - b.count) <= limit else { return limit + 1 }
    var previous = Array(0...b.count)
    for (row, scalar) in a.enumerated() {
      var current = [row + 1]
      for column in b.indices {
        let change = previous[column] + (b[column] == scalar ? 0 : 1)
        current.append(min(change, previous[column + 1] + 1, current[column] + 1))
      }
      guard current.min() ?? 0 <= limit else { return limit + 1 }
      previous = current
    }
    return previous[b.count]
  }
}
