internal import CSimdjson

/// Paths for messages: `$.accounts[3]["odd name"]`.
enum JSONPath {
  enum Step {
    case key(String)
    case index(Int)
  }

  static func text(of step: Step) -> String {
    switch step {
    case .index(let index): return "[\(index)]"
    case .key(let key):
      let plain = key.utf8.allSatisfy { byte in
        byte == 0x5F || 0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
      }
      if plain, let first = key.utf8.first, !(0x30...0x39 ~= first) { return "." + key }
      let quoted = JSONNode.string(key).encoded(escapingTerminalControls: true)
      return "[\(String(decoding: quoted, as: UTF8.self))]"
    }
  }

  /// Walks down from the root into whatever contains the node.
  static func text(of target: UInt32, in document: JSONDocument) -> String {
    var path = "$"
    var container = JSONValue(document, 0)
    while container.index < target, let step = step(from: container, towards: target) {
      path += text(of: step.step)
      container = step.value
    }
    return path
  }

  private static func step(from container: JSONValue, towards target: UInt32) -> (step: Step, value: JSONValue)? {
    func holds(_ value: JSONValue) -> Bool {
      guard let (_, node) = value.place else { return false }
      return target < node.next
    }
    for (position, element) in container.elements.enumerated() where holds(element) {
      return (.index(position), element)
    }
    for member in container.members where holds(member.value) {
      return (.key(member.key), member.value)
    }
    return nil
  }
}
