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
    case .sequenceStart: node = try sequence(event, depth: depth + 1)
    case .mappingStart: node = try mapping(event, depth: depth + 1)
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

  private mutating func sequence(_ start: Event, depth: Int) throws(YAMLError) -> YAMLNode {
    try deeper(depth, start)
    try expectTag("seq", start)
    var elements: [YAMLNode] = []
    while true {
      let event = try events.next()
      if case .sequenceEnd = event.what {
        let range = range(from: start, to: event, last: elements.last)
        return YAMLNode(.sequence(elements), at: start.position, range: range)
      }
      elements.append(try node(from: event, depth: depth))
    }
  }

  private mutating func mapping(_ start: Event, depth: Int) throws(YAMLError) -> YAMLNode {
    try deeper(depth, start)
    try expectTag("map", start)
    var entries: [(key: YAMLNode, value: YAMLNode)] = []
    var positions: [String: YAMLPosition] = [:]
    while true {
      let event = try events.next()
      if case .mappingEnd = event.what {
        let range = range(from: start, to: event, last: entries.last?.value)
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

  /// A tag can say that a scalar is text, or what it is anyway.
  private func resolved(_ style: YAMLNode.Style, _ text: String, _ event: Event) throws(YAMLError) -> YAMLNode.Style {
    guard let tag = event.tag else { return style }
    if tag == "!" || tag == Self.core + "str" { return .quoted }
    let kind = CoreSchema.kind(of: text)
    guard [Self.core + kind.rawValue, kind == .int ? Self.core + "float" : ""].contains(tag), style == .plain else {
      throw YAMLError(
        "the tag \(tag) does not fit this value; only those of the core schema are read", at: event.position)
    }
    return style
  }

  private func expectTag(_ name: String, _ event: Event) throws(YAMLError) {
    guard let tag = event.tag, tag != "!", tag != Self.core + name else { return }
    throw YAMLError(
      "the tag \(tag) does not fit this value; only those of the core schema are read", at: event.position)
  }

  /// A flow collection ends with its bracket; a block ends with its last value, as its end token stands at the next.
  private func range(from start: Event, to end: Event, last: YAMLNode?) -> Range<Int> {
    let whole =
      start.range
      .lowerBound..<(end.range.isEmpty ? last?.range.upperBound ?? start.range.upperBound : end.range.upperBound)
    return withoutProperties(whole, start)
  }

  /// libyaml counts the line breaks after a block scalar in.
  private func trimmed(_ range: Range<Int>) -> Range<Int> {
    let text = bytes[(range.lowerBound - base)..<(range.upperBound - base)]
    let spaces: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
    guard let last = text.lastIndex(where: { !spaces.contains($0) }) else { return range }
    return range.lowerBound..<(last + 1 + base)
  }

  /// Steps over `&anchor` and `!tag`, which libyaml counts in.
  private func withoutProperties(_ range: Range<Int>, _ event: Event) -> Range<Int> {
    guard event.anchor != nil || event.tag != nil else { return range }
    let spaces: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
    var start = range.lowerBound
    func byte() -> UInt8? { start < range.upperBound ? bytes[start - base] : nil }
    while let first = byte(), first == UInt8(ascii: "&") || first == UInt8(ascii: "!") {
      while let next = byte(), !spaces.contains(next) { start += 1 }
      while let next = byte(), spaces.contains(next) { start += 1 }
    }
    return start..<range.upperBound
  }
}
