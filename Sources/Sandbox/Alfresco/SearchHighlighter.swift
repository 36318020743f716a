import JSON

/// Marks the found words in names, titles and pieces of the text.
struct SearchHighlighter {
  private let highlight: SearchHighlight
  private let wanted: [AFTSFields.Part: [Wildcard]]

  init(_ highlight: SearchHighlight, terms: [AFTSTerm], compiler: SearchCompiler) {
    self.highlight = highlight
    var wanted: [AFTSFields.Part: [Wildcard]] = [:]
    for term in terms {
      let words = SearchText.pattern(term.text).filter { $0 != "*" }.map { Wildcard($0) }
      for field in compiler.fields(term.field) {
        guard case .text(let parts) = AFTSFields.kind(field) else { continue }
        for part in parts { wanted[part, default: []] += words }
      }
    }
    self.wanted = wanted
  }

  func snippets(of node: RepoNode, _ corpus: DocumentCorpus) -> [JSONNode] {
    highlight.fields.compactMap { field -> JSONNode? in
      guard case .text(let parts) = AFTSFields.kind(AFTSFields.qualified(field.name, namespace: "cm")),
        let part = parts.first, let words = wanted[part]
      else { return nil }
      let text =
        switch part {
        case .name: node.name
        case .title: node.title ?? ""
        case .description: node.text ?? ""
        case .content: content(of: node, corpus)
        case .tag: ""
        }
      let found = marked(text, words, field, isWhole: part != .content)
      guard !found.isEmpty else { return nil }
      return ["field": .string(field.name), "snippets": .array(found.map { .string($0) })]
    }
  }

  private func content(of node: RepoNode, _ corpus: DocumentCorpus) -> String {
    switch node.content {
    case .text(let text, _): ([text.title] + corpus.paragraphs(of: text)).joined(separator: "\n")
    case .bytes(let bytes) where MimeTypes.isText(node.mimeType ?? ""):
      String(decoding: bytes.prefix(100_000), as: UTF8.self)
    default: ""
    }
  }

  private func marked(
    _ text: String, _ words: [Wildcard], _ field: SearchHighlight.Field, isWhole: Bool
  ) -> [String] {
    let hits = SearchText.tokens(text).filter { token in words.contains { $0.matches(token.word) } }.map(\.range)
    guard let first = hits.first else { return [] }
    let scalars = Array(text.unicodeScalars)
    guard !isWhole else { return [fragment(scalars, 0..<scalars.count, hits, field)] }
    var snippets: [String] = []
    var next: Range<Int>? = first
    while let hit = next, snippets.count < max(1, field.snippetCount) {
      let range = window(scalars, around: hit, size: max(field.fragmentSize, hit.count))
      snippets.append(fragment(scalars, range, hits, field))
      next = hits.first { $0.lowerBound >= range.upperBound }
    }
    return snippets
  }

  /// A piece of about `size` scalars that begins at a word.
  private func window(_ scalars: [Unicode.Scalar], around hit: Range<Int>, size: Int) -> Range<Int> {
    var start = max(0, hit.lowerBound - size / 3)
    while start > 0, start < hit.lowerBound, !scalars[start - 1].properties.isWhitespace { start += 1 }
    return start..<min(scalars.count, max(start + size, hit.upperBound))
  }

  private func fragment(
    _ scalars: [Unicode.Scalar], _ range: Range<Int>, _ hits: [Range<Int>], _ field: SearchHighlight.Field
  ) -> String {
    var result = ""
    var position = range.lowerBound
    for hit in hits where hit.lowerBound >= range.lowerBound && hit.upperBound <= range.upperBound {
      result.unicodeScalars.append(contentsOf: scalars[position..<hit.lowerBound])
      result += field.prefix
      result.unicodeScalars.append(contentsOf: scalars[hit])
      result += field.postfix
      position = hit.upperBound
    }
    result.unicodeScalars.append(contentsOf: scalars[position..<range.upperBound])
    return result
  }
}
