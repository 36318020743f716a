import Testing
import YAML

@Suite struct YAMLRangeTests {
  static let text = """
    # Connections; é before everything
    bank: &b   # the demo
      kind: openbank
      url: "https://bank.example\\u00e9" # quoted
      path: 'it''s'   # quoted too
      größe: ü
      port:
    list: [a, 'b', {c: 1, ? d : e}, *b]
    plain: two
      lines
    block: |-
      one
       two

    # between
    fold: >2
        x

    items:
    - x: 1
      y: [ ]
    -
    - - nested
      - !!str 5
    marked: !!str   # text
      true
    anchored: &a
    last: *a

    """

  /// All nodes with the path to each; what an alias stands for is left out, as it stands elsewhere.
  private func walk(_ node: YAMLNode, _ path: String = "") -> [(path: String, node: YAMLNode)] {
    let below: [(path: String, node: YAMLNode)]
    switch node.content {
    case _ where node.isAlias: below = []
    case .scalar: below = []
    case .sequence(let elements): below = elements.enumerated().flatMap { walk($1, "\(path)/\($0)") }
    case .mapping(let entries): below = entries.flatMap { walk($0.value, "\(path)/\($0.key.scalar?.text ?? "")") }
    }
    return [(path, node)] + below
  }

  private func slice(_ node: YAMLNode) -> String { String(decoding: Array(Self.text.utf8)[node.range], as: UTF8.self) }

  @Test func `every range is the text of its value`() throws {
    let nodes = walk(try YAMLNode.parse(Self.text))
    let slices = Dictionary(uniqueKeysWithValues: nodes.map { ($0.path, slice($0.node)) })
    let expected = [
      "/bank/kind": "openbank", "/bank/url": "\"https://bank.example\\u00e9\"", "/bank/path": "'it''s'",
      "/bank/größe": "ü", "/bank/port": "", "/list/2": "{c: 1, ? d : e}", "/list/2/d": "e", "/list/3": "*b",
      "/plain": "two\n  lines", "/block": "|-\n  one\n   two", "/fold": ">2\n    x", "/items/0": "x: 1\n  y: [ ]",
      "/items/0/y": "[ ]", "/items/1": "", "/items/2": "- nested\n  - !!str 5", "/items/2/1": "5", "/marked": "true",
      "/anchored": "", "/last": "*a",
      "/items": "- x: 1\n  y: [ ]\n-\n- - nested\n  - !!str 5",
    ]
    for (path, text) in expected { #expect(slices[path] == text, "\(path)") }
    #expect(slices["/bank"]?.hasPrefix("kind: openbank\n") == true)
  }

  @Test func `replacing a range replaces that value and no other`() throws {
    let before = walk(try YAMLNode.parse(Self.text))
    for (path, node) in before where node.elements == nil && node.entries == nil {
      var bytes = Array(Self.text.utf8)
      bytes.replaceSubrange(node.range, with: Array((node.range.isEmpty ? " \"new\"" : "\"new\"").utf8))
      let after = walk(try YAMLNode.parse(bytes))
      #expect(after.map(\.path) == before.map(\.path))
      for (old, new) in zip(before, after) where old.node.elements == nil && old.node.entries == nil {
        // What an alias stands for changes with its anchor.
        let follows = old.path == path || (path == "/anchored" && old.path == "/last")
        #expect(new.node.scalar?.text == (follows ? "new" : old.node.scalar?.text), "\(old.path) for \(path)")
      }
    }
  }

  @Test func `every prefix and every flipped byte is read or refused with a place`() {
    let bytes = Array(Self.text.utf8)
    let lines = Self.text.split(separator: "\n", omittingEmptySubsequences: false).count
    func check(_ bytes: [UInt8]) {
      do throws(YAMLError) {
        for (_, node) in walk(try YAMLNode.parse(bytes)) { #expect(node.range.upperBound <= bytes.count) }
      } catch {
        #expect(1...(lines + 1) ~= error.position.line && error.position.column >= 1)
        #expect(!error.message.isEmpty)
      }
    }
    for count in bytes.indices { check(Array(bytes[..<count])) }
    for index in bytes.indices {
      for mask: UInt8 in [1, 4, 16, 64, 128] {
        var flipped = bytes
        flipped[index] ^= mask
        check(flipped)
      }
    }
  }
}
