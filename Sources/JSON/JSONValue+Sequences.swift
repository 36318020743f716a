internal import CSimdjson

extension JSONValue {
  /// The elements of an array in order; empty when this is none.
  public var elements: Elements { Elements(of: kind == .array ? self : .absent) }

  /// The members of an object in the order of the text, repeated names included; empty when this is none.
  public var members: Members { Members(of: kind == .object ? self : .absent) }

  public struct Elements: Sequence, Sendable {
    private let container: JSONValue
    fileprivate init(of container: JSONValue) { self.container = container }

    public var count: Int { container.count }
    public var isEmpty: Bool { count == 0 }
    public var underestimatedCount: Int { count }
    public func makeIterator() -> Iterator { Iterator(nodes: Nodes(in: container)) }

    public struct Iterator: IteratorProtocol {
      fileprivate var nodes: Nodes
      public mutating func next() -> JSONValue? {
        guard let document = nodes.document, let index = nodes.next() else { return nil }
        return JSONValue(document, index)
      }
    }
  }

  public struct Members: Sequence, Sendable {
    private let container: JSONValue
    fileprivate init(of container: JSONValue) { self.container = container }

    public var count: Int { container.count }
    public var isEmpty: Bool { count == 0 }
    public var underestimatedCount: Int { count }
    public func makeIterator() -> Iterator { Iterator(nodes: Nodes(in: container)) }

    /// The last member for which this holds.
    public func last(where holds: (Element) -> Bool) -> Element? {
      reduce(nil) { last, member in holds(member) ? member : last }
    }

    public struct Iterator: IteratorProtocol {
      fileprivate var nodes: Nodes
      public mutating func next() -> (key: String, value: JSONValue)? {
        guard let document = nodes.document, let (name, value) = nextNodes() else { return nil }
        return (document.string(name), value)
      }

      /// The name still as a node, for those who do not need a `String` of it.
      mutating func nextNodes() -> (name: csimdjson_node, value: JSONValue)? {
        guard let document = nodes.document, let name = nodes.next(), let value = nodes.next() else { return nil }
        return (document.nodes[Int(name)], JSONValue(document, value))
      }
    }
  }

  /// Steps over the nodes directly inside a container.
  fileprivate struct Nodes {
    let document: JSONDocument?
    private var index: UInt32
    private let end: UInt32

    init(in container: JSONValue) {
      document = container.document
      index = container.index + 1
      end = container.place?.node.next ?? 0
    }

    mutating func next() -> UInt32? {
      guard let document, index < end else { return nil }
      defer { index = document.nodes[Int(index)].next }
      return index
    }
  }
}
