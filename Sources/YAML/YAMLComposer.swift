/// Builds nodes from events: resolves aliases, refuses repeated keys, keeps to the limits.
struct YAMLComposer {
  private let events: YAMLEvents
  private let limits: YAMLLimits
  private let bytes: UnsafeBufferPointer<UInt8>
  private let base: Int
  /// Complete nodes by anchor, with the number of nodes in them.
  private var anchors: [String: (node: YAMLNode, size: Int)] = [:]
  private var size = 0

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  static func compose(_ bytes: [UInt8], _ limits: YAMLLimits) throws(YAMLError) -> YAMLNode {
    guard bytes.count <= limits.maxBytes else {
      let message = "the text has \(bytes.count) bytes, more than the \(limits.maxBytes) allowed"
      throw YAMLError(message, at: YAMLPosition(line: 1, column: 1))
    }
    let base = bytes.starts(with: byteOrderMark) ? byteOrderMark.count : 0
    let result = bytes.withUnsafeBufferPointer { all -> Result<YAMLNode, YAMLError> in
      let text = UnsafeBufferPointer(rebasing: all[base...])
      do throws(YAMLError) {
        var composer = try YAMLComposer(text, base: base, limits)
        return .success(try composer.document())
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private init(_ bytes: UnsafeBufferPointer<UInt8>, base: Int, _ limits: YAMLLimits) throws(YAMLError) {
    self.bytes = bytes
    self.base = base
    self.limits = limits
    events = try YAMLEvents(bytes, ByteOffsets(bytes, base: base))
  }

  private mutating func document() throws(YAMLError) -> YAMLNode {
    _ = try events.next()
    let start = try events.next()
    guard case .documentStart = start.what else {
      return YAMLNode(.scalar("", .plain), at: start.position, range: start.range)
    }
    let root = try node(from: try events.next(), depth: 0)
    _ = try events.next()
    let end = try events.next()
    guard case .streamEnd = end.what else {
      throw YAMLError("a second document begins here; only one is read", at: end.position)
    }
    return root
  }

  private mutating func node(from event: Event, depth: Int) throws(YAMLError) -> YAMLNode {
    let sizeBefore = size
    try count(1, at: event)
    let node: YAMLNode
    switch event.what {
    case .alias(let name): return try alias(name, event)
    case .scalar(let text, let style, let isBlock):
      let style = try resolved(style, text, event)
      let range = isBlock ? trimmed(event.range) : event.range
      node = YAMLNode(.scalar(text, style), at: event.position, range: withoutProperties(range, event))
    case .sequenceStart(let isBlock): node = try sequence(event, isBlock, depth: depth + 1)
    case .mappingStart(let isBlock): node = try mapping(event, isBlock, depth: depth + 1)
    default: throw YAMLError("a value must stand here", at: event.position)
    }
    if let anchor = event.anchor { anchors[anchor] = (node, size - sizeBefore) }
    return node
  }

  private mutating func count(_ more: Int, at event: Event) throws(YAMLError) {
    size += more
    guard size <= limits.maxNodes else {
      throw YAMLError("there are more than \(limits.maxNodes) values, aliases counted in full", at: event.position)
    }
  }

  private mutating func alias(_ name: String, _ event: Event) throws(YAMLError) -> YAMLNode {
    guard let (node, size) = anchors[name] else {
      throw YAMLError("the alias *\(name) has no anchor &\(name) complete before it", at: event.position)
    }
    try count(size - 1, at: event)
    return YAMLNode(node.content, at: event.position, range: event.range, isAlias: true)
  }

  private func deeper(_ depth: Int, _ event: Event) throws(YAMLError) {
    guard depth <= limits.maxDepth else {
      throw YAMLError("values are nested more than \(limits.maxDepth) deep", at: event.position)
    }
  }

  private mutating func sequence(_ start: Event, _ isBlock: Bool, depth: Int) throws(YAMLError) -> YAMLNode {
    try deeper(depth, start)
    try expectTag("seq", start)
    var elements: [YAMLNode] = []
    while true {
      let event = try events.next()
      if case .sequenceEnd = event.what {
        let range = range(from: start, to: isBlock ? elements.last?.range : event.range)
        return YAMLNode(.sequence(elements), at: start.position, range: range)
      }
      elements.append(try node(from: event, depth: depth))
    }
  }

  private mutating func mapping(_ start: Event, _ isBlock: Bool, depth: Int) throws(YAMLError) -> YAMLNode {
    try deeper(depth, start)
    try expectTag("map", start)
    var entries: [(key: YAMLNode, value: YAMLNode)] = []
    var positions: [String: YAMLPosition] = [:]
    while true {
      let event = try events.next()
      if case .mappingEnd = event.what {
        let range = range(from: start, to: isBlock ? entries.last?.value.range : event.range)
        return YAMLNode(.mapping(entries), at: start.position, range: range)
      }
      let key = try node(from: event, depth: depth)
      guard let name = key.scalar?.text else {
        throw YAMLError("a key must be plain text, not \(key.kind.noun)", at: key.position)
      }
      if let first = positions.updateValue(key.position, forKey: name) {
        throw YAMLError("the key \"\(name)\" stands here a second time; the first is at \(first)", at: key.position)
      }
      entries.append((key, try node(from: try events.next(), depth: depth)))
    }
  }
}

extension YAMLComposer {
  private static let core = "tag:yaml.org,2002:"
  private static let spaces: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]

  /// A tag can say that a scalar is text, or what it is anyway.
  private func resolved(_ style: YAMLNode.Style, _ text: String, _ event: Event) throws(YAMLError) -> YAMLNode.Style {
    guard let tag = event.tag else { return style }
    if tag == "!" || tag == Self.core + "str" { return .quoted }
    let kind = CoreSchema.kind(of: text)
    guard [Self.core + kind.rawValue, kind == .int ? Self.core + "float" : ""].contains(tag), style == .plain else {
      throw Self.unfit(tag, event)
    }
    return style
  }

  private func expectTag(_ name: String, _ event: Event) throws(YAMLError) {
    guard let tag = event.tag, tag != "!", tag != Self.core + name else { return }
    throw Self.unfit(tag, event)
  }

  private static func unfit(_ tag: String, _ event: Event) -> YAMLError {
    let written = tag.hasPrefix(core) ? "!!" + tag.dropFirst(core.count) : tag
    return YAMLError("the tag \(written) does not fit; only those of the core schema are read", at: event.position)
  }

  /// `last` is the closing bracket, or the last value of a block, whose own end libyaml puts at what follows.
  private func range(from start: Event, to last: Range<Int>?) -> Range<Int> {
    withoutProperties(start.range.lowerBound..<(last ?? start.range).upperBound, start)
  }

  /// libyaml counts the line breaks after a block scalar in.
  private func trimmed(_ range: Range<Int>) -> Range<Int> {
    let text = bytes[(range.lowerBound - base)..<(range.upperBound - base)]
    guard let last = text.lastIndex(where: { !Self.spaces.contains($0) }) else { return range }
    return range.lowerBound..<(last + 1 + base)
  }

  /// Steps over `&anchor` and `!tag`, which libyaml counts in, and over a comment behind them.
  private func withoutProperties(_ range: Range<Int>, _ event: Event) -> Range<Int> {
    guard event.anchor != nil || event.tag != nil else { return range }
    var start = range.lowerBound
    func skip(while holds: (UInt8) -> Bool) {
      while start < range.upperBound, holds(bytes[start - base]) { start += 1 }
    }
    while start < range.upperBound {
      switch bytes[start - base] {
      case UInt8(ascii: "&"), UInt8(ascii: "!"): skip { !Self.spaces.contains($0) }
      case UInt8(ascii: "#"): skip { $0 != UInt8(ascii: "\n") }
      default: return start..<range.upperBound
      }
      skip { Self.spaces.contains($0) }
    }
    return start..<range.upperBound
  }
}
