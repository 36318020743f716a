/// A JSON value to build and write; objects keep the order of their members.
public enum JSONNode: Sendable, Equatable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// The exact text of a number, for example `12.50`. Text that is no JSON number is written as a string.
  case number(String)
  case string(String)
  case array([JSONNode])
  case object([Member])

  public struct Member: Sendable, Equatable {
    public var key: String
    public var value: JSONNode

    public init(key: String, value: JSONNode) {
      self.key = key
      self.value = value
    }
  }

  /// An integer of the size Swift code usually has.
  public static func int(_ value: Int) -> JSONNode { .integer(Int64(value)) }

  /// A member by name, the last one where there are several. Setting nil removes all of that name; setting a member of
  /// anything but an object makes it one.
  public subscript(key: String) -> JSONNode? {
    get {
      guard case .object(let members) = self else { return nil }
      return members.last { $0.key == key }?.value
    }
    set {
      var members: [Member] = []
      if case .object(let present) = self { members = present }
      if let newValue, let index = members.lastIndex(where: { $0.key == key }) {
        members[index].value = newValue
      } else if let newValue {
        members.append(Member(key: key, value: newValue))
      } else {
        members.removeAll { $0.key == key }
      }
      self = .object(members)
    }
  }

  /// The value as UTF-8 text: on one line, or with two spaces a level.
  ///
  /// - Parameter escapingTerminalControls: Also writes DEL, C1 controls, bidirectional controls and line separators as
  ///   `\u` escapes. The text means the same and cannot steer a terminal.
  public func encoded(pretty: Bool = false, escapingTerminalControls: Bool = false) -> [UInt8] {
    var writer = JSONWriter(pretty: pretty, escapingTerminalControls: escapingTerminalControls)
    writer.value(self)
    return writer.bytes
  }
}

extension JSONNode: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
  public init(nilLiteral: ()) { self = .null }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension JSONNode: ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) { self = .string(value) }
}

extension JSONNode: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  public init(arrayLiteral elements: JSONNode...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSONNode)...) {
    self = .object(elements.map { Member(key: $0.0, value: $0.1) })
  }
}

extension JSONValue {
  /// A copy that lives without the document; nil-free: an absent value becomes null.
  public func node() -> JSONNode {
    switch kind {
    case .absent, .null: .null
    case .bool: .bool(bool ?? false)
    case .number: number
    case .string: .string(string ?? "")
    case .array: .array(elements.map { $0.node() })
    case .object: .object(members.map { JSONNode.Member(key: $0.key, value: $0.value.node()) })
    }
  }

  private var number: JSONNode {
    let text = text ?? "0"
    // "-0" and what does not fit 64 bits keep their text.
    if let integer = Int64(text), text != "-0" { return .integer(integer) }
    return .number(text)
  }

  /// The value as text again, numbers digit for digit; see `JSONNode.encoded`.
  public func encoded(pretty: Bool = false, escapingTerminalControls: Bool = false) -> [UInt8] {
    var writer = JSONWriter(pretty: pretty, escapingTerminalControls: escapingTerminalControls)
    writer.value(self)
    return writer.bytes
  }
}
