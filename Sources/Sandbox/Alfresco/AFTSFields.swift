/// What the names of fields stand for.
enum AFTSFields {
  /// Where the value of a field comes from, and how it is compared.
  enum Kind: Sendable, Equatable {
    /// Compared word by word.
    case text([Part])
    /// Compared as a whole, without case.
    case value
    case date
    case number
    /// Known to the older engine only; the condition is dropped.
    case unsupported
  }
  enum Part: Sendable { case name, title, description, content, tag }

  private static let special: Set = [
    "TEXT", "ALL", "ID", "PARENT", "PRIMARYPARENT", "ANCESTOR", "PATH", "TYPE", "EXACTTYPE", "ASPECT", "EXACTASPECT",
    "CLASS", "SITE", "TAG", "OWNER", "READER", "ISNULL", "ISNOTNULL", "ISUNSET", "EXISTS", "QNAME", "PNAME", "ANAME",
    "NPATH", "ISROOT", "TX",
  ]

  static func isSpecial(_ name: String) -> Bool { special.contains(name) }

  /// Values of these hold colons and slashes even without quotes.
  static func takesColons(_ field: String) -> Bool {
    [
      "TYPE", "EXACTTYPE", "ASPECT", "EXACTASPECT", "CLASS", "ID", "PARENT", "PRIMARYPARENT", "ANCESTOR", "ISNULL",
      "ISNOTNULL", "ISUNSET", "EXISTS",
    ].contains(field)
  }

  /// A name with its prefix; `name` means `cm:name`.
  static func qualified(_ field: String, namespace: String) -> String {
    if special.contains(field) || field.contains(":") || field.hasPrefix("content.") { return field }
    return "\(namespace):\(field)"
  }

  static func kind(_ field: String) -> Kind {
    switch field {
    case "TEXT", "cm:content": .text([.content])
    case "ALL": .text([.name, .title, .description, .content, .tag])
    case "cm:name": .text([.name])
    case "cm:title": .text([.title])
    case "cm:description": .text([.description])
    case "TAG", "cm:taggable": .text([.tag])
    case "cm:created", "cm:modified": .date
    case "content.size", "cm:content.size": .number
    case "QNAME", "PNAME", "ANAME", "NPATH", "ISROOT", "TX": .unsupported
    default: .value
    }
  }
}
