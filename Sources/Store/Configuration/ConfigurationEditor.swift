import Model
import YAML

/// Changes the text of `config.yaml` where a person would, and leaves every other byte, comments above all, alone.
///
/// The result is read again before it is handed out: an edit that would break the file or touch another connection
/// fails instead.
package struct ConfigurationEditor {
  private let path: String
  private let bytes: [UInt8]
  private let root: YAMLNode
  private let before: Configuration

  /// - Throws: `.configuration` when the file is broken; then it is left as it is.
  package init(_ bytes: [UInt8], path: String) throws(ServiceError) {
    self.bytes = bytes
    self.path = path
    before = try Configuration(parsing: bytes, path: path)
    do {
      root = try YAMLNode.parse(bytes)
    } catch {
      throw ServiceError(.configuration, "read the configuration", detail: "\(path): \(error)")
    }
  }

  /// Adds a connection at the end of the list.
  ///
  /// - Parameter settings: By dotted path (`auth.user`), in the order to write them; `name` and `kind` come first.
  package func adding(_ name: String, _ kind: BackendKind, _ settings: [(path: String, value: EditedValue)])
    throws(ServiceError) -> [UInt8]
  {
    guard before.connection(named: name) == nil else {
      throw refusal("add \(name)", "a connection of this name exists", "Choose another name, or use connections edit.")
    }
    let tree = EditedTree([("name", .text(name)), ("kind", .text(kind.rawValue))] + settings)
    let list = root["connections"]
    guard let list, !list.isNull else { return try checked(withNewList(tree), others: nil, name) }
    guard let elements = list.elements else { throw refusal("add \(name)", "“connections” is not a list") }
    if isFlow(list) {
      let separator = elements.isEmpty ? "" : ", "
      return try checked(inserting(separator + tree.flow, at: list.range.upperBound - 1), others: nil, name)
    }
    let indentation = elements.first.map { dash(of: $0).column } ?? 2
    let end = elements.last.map { lineEnd(after: $0) } ?? lineEnd(after: list)
    let block = tree.block(indentation: indentation + 2, first: String(repeating: " ", count: indentation) + "- ")
    return try checked(inserting(leadingNewline(at: end) + block, at: end), others: nil, name)
  }

  /// Removes a connection with the comments inside it; those above it stay.
  package func removing(_ name: String) throws(ServiceError) -> [UInt8] {
    let (list, index) = try place(of: name, "remove \(name)")
    let elements = list.elements ?? []
    let element = elements[index]
    if isFlow(list) {
      let start = index > 0 ? elements[index - 1].range.upperBound : element.range.lowerBound
      let end =
        index > 0 || index + 1 == elements.count ? element.range.upperBound : elements[index + 1].range.lowerBound
      return try checked(replacing(start..<end, with: ""), others: name, nil)
    }
    let range = dash(of: element).lineStart..<lineEnd(after: element)
    // A list without elements would read as null; an empty one says what it is.
    guard elements.count == 1, let key = root.entry("connections")?.key else {
      return try checked(replacing(range, with: ""), others: name, nil)
    }
    let emptied = replacing(range, with: "")
    let insert = Array(" []".utf8)
    let colon = emptied[key.range.upperBound...].firstIndex(of: UInt8(ascii: ":")) ?? key.range.upperBound
    return try checked(Array(emptied[...colon]) + insert + emptied[(colon + 1)...], others: name, nil)
  }

  /// Sets or (with nil) removes one setting of a connection.
  package func setting(_ path: String, of name: String, to value: EditedValue?) throws(ServiceError) -> [UInt8] {
    let operation = "change \(path) of \(name)"
    let (list, index) = try place(of: name, operation)
    var node = (list.elements ?? [])[index]
    var names = path.split(separator: ".").map(String.init)
    while names.count > 1, let inner = node[names[0]], inner.entries != nil {
      node = inner
      names.removeFirst()
    }
    guard let entries = node.entries, let key = names.first else {
      throw refusal(operation, "there is no such setting")
    }
    if let entry = node.entry(key) {
      guard let value else { return try checked(removing(entry, from: node), others: name, name) }
      guard names.count == 1 else { throw refusal(operation, "“\(key)” is not a table") }
      let text = (entry.value.range.isEmpty ? " " : "") + value.flow
      return try checked(replacing(entry.value.range, with: text), others: name, name)
    }
    guard let value else { return bytes }
    let tree = EditedTree([(names.joined(separator: "."), value)])
    if isFlow(node) {
      let separator = entries.isEmpty ? "" : ", "
      let members = String(tree.flow.dropFirst(2).dropLast(2))
      return try checked(inserting(separator + members, at: closing(of: node)), others: name, name)
    }
    let column = (entries.first?.key.position.column ?? 1) - 1
    let end = lineEnd(after: node)
    let block = tree.block(indentation: column, first: String(repeating: " ", count: column))
    return try checked(inserting(leadingNewline(at: end) + block, at: end), others: name, name)
  }
}

// Where things stand in the text.
extension ConfigurationEditor {
  private func place(of name: String, _ operation: String) throws(ServiceError) -> (list: YAMLNode, index: Int) {
    _ = try before.requiredConnection(named: name)
    guard let list = root["connections"], let index = list.elements?.firstIndex(where: { $0["name"]?.text == name }),
      !list.isAlias, list.elements?[index].isAlias == false
    else { throw refusal(operation, "it stands behind an alias") }
    return (list, index)
  }

  /// Flow style is JSON's: brackets and braces.
  private func isFlow(_ node: YAMLNode) -> Bool {
    guard node.range.lowerBound < bytes.count, !node.range.isEmpty else { return false }
    let first = bytes[node.range.lowerBound]
    return first == UInt8(ascii: "[") || first == UInt8(ascii: "{")
  }

  /// The offset of a flow node's closing bracket, before the blanks that stand in front of it.
  private func closing(of node: YAMLNode) -> Int {
    var index = node.range.upperBound - 1
    while index > node.range.lowerBound, bytes[index - 1] == UInt8(ascii: " ") { index -= 1 }
    return index
  }

  /// Where the dash of a block list's element stands.
  private func dash(of element: YAMLNode) -> (lineStart: Int, column: Int) {
    var start = element.range.lowerBound
    while start > 0, bytes[start - 1] != UInt8(ascii: "\n") { start -= 1 }
    let blanks = bytes[start...].prefix { $0 == UInt8(ascii: " ") }.count
    return (start, blanks)
  }

  /// The start of the line after the last byte of a node.
  private func lineEnd(after node: YAMLNode) -> Int {
    var end = lastByte(of: node)
    while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
    return min(bytes.count, end + 1)
  }

  /// Block nodes may reach to the next token; the last scalar inside them is where they really end.
  private func lastByte(of node: YAMLNode) -> Int {
    if isFlow(node) { return node.range.upperBound }
    if let last = node.entries?.last { return max(last.key.range.upperBound, lastByte(of: last.value)) }
    if let last = node.elements?.last { return lastByte(of: last) }
    return node.range.upperBound
  }

  private func leadingNewline(at offset: Int) -> String {
    offset == 0 || bytes[offset - 1] == UInt8(ascii: "\n") ? "" : "\n"
  }

  private func withNewList(_ tree: EditedTree) -> [UInt8] {
    let block = "connections:\n" + tree.block(indentation: 4, first: "  - ")
    guard let entry = root.entry("connections") else {
      return inserting(leadingNewline(at: bytes.count) + block, at: bytes.count)
    }
    let end = lineEnd(after: entry.key)
    return replacing(entry.key.range.lowerBound..<end, with: block)
  }

  private func removing(_ entry: (key: YAMLNode, value: YAMLNode), from node: YAMLNode) -> [UInt8] {
    let entries = node.entries ?? []
    let index = entries.firstIndex { $0.key.range == entry.key.range } ?? 0
    guard isFlow(node) || index == 0 else {
      return replacing(dash(of: entry.key).lineStart..<lineEnd(after: node.withOnly(entry)), with: "")
    }
    let value = max(entry.key.range.upperBound, lastByte(of: entry.value))
    if index + 1 < entries.count {
      return replacing(entry.key.range.lowerBound..<entries[index + 1].key.range.lowerBound, with: "")
    }
    let start = index > 0 ? lastByte(of: entries[index - 1].value) : entry.key.range.lowerBound
    return replacing(start..<value, with: "")
  }

  private func inserting(_ text: String, at offset: Int) -> [UInt8] { replacing(offset..<offset, with: text) }

  private func replacing(_ range: Range<Int>, with text: String) -> [UInt8] {
    Array(bytes[..<range.lowerBound]) + Array(text.utf8) + Array(bytes[range.upperBound...])
  }
}

// The result is read again before anybody writes it.
extension ConfigurationEditor {
  /// - Parameters:
  ///   - others: Name of the connection that may differ.
  ///   - present: Name that must be there now; nil when it must be gone.
  private func checked(_ edited: [UInt8], others changed: String?, _ present: String?) throws(ServiceError) -> [UInt8] {
    let after = try Configuration(parsing: edited, path: path)
    let expected = before.connections.map(\.name).filter { $0 != changed || present != nil }
    let kept = after.connections.map(\.name).filter { changed != nil || $0 != present }
    guard expected == kept else {
      throw refusal("edit the configuration", "the file is laid out in a way that cannot be edited safely")
    }
    let known = Set(before.warnings.map(\.message))
    if let new = after.warnings.first(where: { !known.contains($0.message) }) {
      throw ServiceError(
        .usage, "edit the configuration", detail: new.message, remedy: "Correct the path; nothing was changed.")
    }
    return edited
  }

  private func refusal(_ operation: String, _ detail: String, _ remedy: String? = nil) -> ServiceError {
    ServiceError(
      .configuration, operation, detail: "\(path): \(detail)",
      remedy: remedy ?? "Change it by hand with an editor; nothing was changed.")
  }
}

extension YAMLNode {
  /// The node reduced to one of its entries.
  fileprivate func withOnly(_ entry: (key: YAMLNode, value: YAMLNode)) -> YAMLNode {
    YAMLNode(.mapping([entry]), at: position, range: entry.key.range, isAlias: isAlias)
  }
}
