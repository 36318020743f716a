import Model

/// A property list as a tree: from an XML or binary plist, from JSON, or written inline in the configuration.
indirect enum PropertyTree: Sendable {
  case text(String)
  case flag(Bool)
  case list([PropertyTree])
  case table([Member])
  /// Only inline: a secret that stands elsewhere.
  case secret(SecretSource)

  struct Member: Sendable {
    let key: String
    let value: PropertyTree
    /// Where the key stands in its file, counted from 1.
    let line: Int?
  }

  var members: [Member] {
    if case .table(let members) = self { members } else { [] }
  }

  /// The first member with one of these names. Sources spell names in several ways (`baseURL`, `baseUrl`), so letter
  /// case does not count.
  subscript(names: String...) -> PropertyTree? {
    for name in names {
      if let member = members.first(where: { $0.key.lowercased() == name.lowercased() }) { return member.value }
    }
    return nil
  }

  /// A text without the blanks around it; numbers are texts, too.
  var text: String? {
    guard case .text(let text) = self else { return nil }
    return PropertyTree.trimmed(text)
  }

  /// Flags are written as such or as one of six texts.
  var flag: Bool? {
    if case .flag(let flag) = self { return flag }
    switch text?.lowercased() {
    case "true", "yes", "1": return true
    case "false", "no", "0": return false
    default: return nil
    }
  }

  var secret: SecretSource? {
    if case .secret(let source) = self { return source }
    return text.flatMap { $0.isEmpty ? nil : .literal(Secret($0)) }
  }

  static func trimmed(_ text: String) -> String {
    var text = Substring(text)
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}

extension PropertyTree {
  /// The tree that stands under `backend:` in the configuration.
  init(_ settings: Settings) {
    self = .table(settings.members.map { Member(key: $0.key, value: PropertyTree($0.entry), line: nil) })
  }

  private init(_ entry: Settings.Entry) {
    switch entry {
    case .text(let text, _): self = .text(text)
    case .list(let entries, _): self = .list(entries.map { PropertyTree($0) })
    case .table(let table): self = PropertyTree(table)
    case .secret(let source, _): self = .secret(source)
    case .null: self = .text("")
    }
  }
}
