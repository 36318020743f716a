import Model
import YAML

/// A value to write into the configuration.
package indirect enum EditedValue: Sendable, Hashable {
  case text(String)
  case flag(Bool)
  case number(Int)
  case texts([String])
  case secret(SecretSource)
  case list([EditedValue])
  case table([Member])

  package struct Member: Sendable, Hashable {
    package let key: String
    package let value: EditedValue
    package init(_ key: String, _ value: EditedValue) {
      self.key = key
      self.value = value
    }
  }

  /// The value on one line.
  var flow: String {
    switch self {
    case .text(let text): YAMLScalar.quoted(text)
    case .flag(let flag): flag ? "true" : "false"
    case .number(let number): String(number)
    case .texts(let texts): "[\(texts.map(YAMLScalar.quoted).joined(separator: ", "))]"
    case .secret(let source): EditedValue.flow(of: source)
    case .list(let values): "[\(values.map(\.flow).joined(separator: ", "))]"
    case .table(let members):
      "{ \(members.map { "\(YAMLScalar.quoted($0.key)): \($0.value.flow)" }.joined(separator: ", ")) }"
    }
  }

  private static func flow(of source: SecretSource) -> String {
    switch source {
    case .literal(let secret): YAMLScalar.quoted(secret.reveal())
    case .environment(let name): "{ env: \(YAMLScalar.quoted(name)) }"
    case .vault(let name): "{ vault: \(YAMLScalar.quoted(name)) }"
    case .file(let path): "{ file: \(YAMLScalar.quoted(path)) }"
    case .command(let words): "{ command: [\(words.map(YAMLScalar.quoted).joined(separator: ", "))] }"
    }
  }
}

/// Settings by dotted path, grouped into tables, as text to insert.
struct EditedTree {
  private enum Node {
    case value(EditedValue)
    case table(EditedTree)
  }

  private var members: [(key: String, node: Node)] = []

  init(_ settings: [(path: String, value: EditedValue)]) {
    for (path, value) in settings { insert(path.split(separator: ".").map(String.init)[...], value) }
  }

  private init() {}

  private mutating func insert(_ names: ArraySlice<String>, _ value: EditedValue) {
    guard let key = names.first else { return }
    let index = members.firstIndex { $0.key == key }
    guard names.count > 1 else {
      if let index { members[index].node = .value(value) } else { members.append((key, .value(value))) }
      return
    }
    var inner = EditedTree()
    if let index, case .table(let table) = members[index].node { inner = table }
    inner.insert(names.dropFirst(), value)
    if let index { members[index].node = .table(inner) } else { members.append((key, .table(inner))) }
  }

  /// `{ a: 1, b: { c: 2 } }`.
  var flow: String {
    let parts = members.map { member in
      switch member.node {
      case .value(let value): "\(YAMLScalar.quoted(member.key)): \(value.flow)"
      case .table(let table): "\(YAMLScalar.quoted(member.key)): \(table.flow)"
      }
    }
    return "{ \(parts.joined(separator: ", ")) }"
  }

  /// A line each, with `first` before the first one; ends with a line feed.
  func block(indentation: Int, first: String) -> String {
    let margin = String(repeating: " ", count: indentation)
    var text = ""
    for (index, member) in members.enumerated() {
      text += (index == 0 ? first : margin) + YAMLScalar.quoted(member.key) + ":"
      switch member.node {
      case .value(let value): text += " \(value.flow)\n"
      case .table(let table):
        let inner = String(repeating: " ", count: indentation + 2)
        text += "\n" + table.block(indentation: indentation + 2, first: inner)
      }
    }
    return text
  }
}
