/// Reads XML property lists as they are found: Oracle's own samples are no well-formed XML.
///
/// A DOCTYPE without its last bracket, keys without values, and fragments without an outer `<dict>` are taken; the DTD
/// is never fetched, and a file that declares entities is refused (reference, section 1.7).
struct PlistReader {
  struct Failure: Error {
    let line: Int
    let reason: String
  }

  private let source: [UInt8]
  private var position = 0
  private(set) var warnings: [String] = []
  private static let mostDepth = 64

  init(_ bytes: [UInt8]) {
    source = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
  }

  /// The root: a `<dict>`, or the keys of one that stand there without it.
  mutating func read() throws(Failure) -> PropertyTree {
    while let tag = try nextTag() {
      switch tag.name {
      case "plist": continue
      case "key": return .table(try members(first: tag, depth: 0))
      default: return try value(tag, depth: 0)
      }
    }
    throw Failure(line: line, reason: "there is no property list in it")
  }

  private struct Tag {
    let name: String
    let isClosing: Bool
    let isEmpty: Bool
    let line: Int
  }

  /// The next element tag; comments, processing instructions and the DOCTYPE are stepped over.
  private mutating func nextTag() throws(Failure) -> Tag? {
    while let start = source[position...].firstIndex(of: UInt8(ascii: "<")) {
      position = start
      if starts(with: "<!--") {
        try skip(behind: "-->")
      } else if starts(with: "<?") {
        try skip(behind: "?>")
      } else if starts(with: "<!DOCTYPE") || starts(with: "<!doctype") {
        try skipDocumentType()
      } else if starts(with: "<!ENTITY") || starts(with: "<!entity") {
        throw Failure(line: line, reason: "it declares entities")
      } else {
        return try elementTag()
      }
    }
    return nil
  }

  /// Up to the bracket that ends it or, where that is missing, up to the first element.
  private mutating func skipDocumentType() throws(Failure) {
    position += 9
    while position < source.count {
      if source[position] == UInt8(ascii: ">") {
        position += 1
        return
      }
      if starts(with: "<plist") || starts(with: "<dict") || starts(with: "<key") { return }
      if starts(with: "<!ENTITY") || starts(with: "<!entity") {
        throw Failure(line: line, reason: "it declares entities")
      }
      position += 1
    }
  }

  private mutating func elementTag() throws(Failure) -> Tag {
    let line = line
    guard let end = source[position...].firstIndex(of: UInt8(ascii: ">")) else {
      throw Failure(line: line, reason: "a tag has no end")
    }
    var inside = source[(position + 1)..<end]
    position = end + 1
    let isClosing = inside.first == UInt8(ascii: "/")
    if isClosing { inside = inside.dropFirst() }
    let isEmpty = inside.last == UInt8(ascii: "/")
    let name = inside.prefix { $0 != UInt8(ascii: "/") && $0 > 0x20 }
    return Tag(name: String(decoding: name, as: UTF8.self), isClosing: isClosing, isEmpty: isEmpty, line: line)
  }

  private mutating func value(_ tag: Tag, depth: Int) throws(Failure) -> PropertyTree {
    guard depth < PlistReader.mostDepth else { throw Failure(line: tag.line, reason: "it is nested too deep") }
    guard !tag.isClosing else { throw Failure(line: tag.line, reason: "</\(tag.name)> ends what never began") }
    switch tag.name {
    case "true": return .flag(true)
    case "false": return .flag(false)
    case "dict": return .table(tag.isEmpty ? [] : try members(first: nil, depth: depth + 1))
    case "array": return .list(tag.isEmpty ? [] : try elements(depth: depth + 1))
    case "string", "integer", "real", "date", "data": return .text(tag.isEmpty ? "" : try text(of: tag))
    default: throw Failure(line: tag.line, reason: "<\(tag.name)> is no part of a property list")
    }
  }

  private mutating func elements(depth: Int) throws(Failure) -> [PropertyTree] {
    var list: [PropertyTree] = []
    while let tag = try nextTag() {
      if tag.isClosing { return list }
      list.append(try value(tag, depth: depth))
    }
    return list
  }

  private mutating func members(first: Tag?, depth: Int) throws(Failure) -> [PropertyTree.Member] {
    var members: [PropertyTree.Member] = []
    var waiting = first
    while true {
      var tag = waiting
      if tag == nil { tag = try nextTag() }
      waiting = nil
      guard let keyTag = tag, !keyTag.isClosing else { return members }
      guard keyTag.name == "key" else {
        throw Failure(line: keyTag.line, reason: "<\(keyTag.name)> stands where a key must stand")
      }
      let key = keyTag.isEmpty ? "" : try text(of: keyTag)
      guard let next = try nextTag() else {
        warnings.append("line \(keyTag.line): “\(key)” has no value")
        return members
      }
      if next.isClosing || next.name == "key" {
        warnings.append("line \(keyTag.line): “\(key)” has no value")
        if next.isClosing { return members }
        waiting = next
        continue
      }
      members.append(.init(key: key, value: try value(next, depth: depth), line: keyTag.line))
    }
  }

  /// The characters up to the element's own end tag.
  private mutating func text(of tag: Tag) throws(Failure) -> String {
    guard let end = source[position...].firstIndex(of: UInt8(ascii: "<")) else {
      throw Failure(line: tag.line, reason: "<\(tag.name)> has no end")
    }
    let raw = source[position..<end]
    position = end
    let close = try elementTag()
    guard close.isClosing, close.name == tag.name else {
      throw Failure(line: close.line, reason: "</\(tag.name)> is missing")
    }
    return try PlistReader.unescaped(raw, line: tag.line)
  }

  private static let entities = ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'"]

  /// Resolves the five entities of XML and character references, nothing else.
  private static func unescaped(_ raw: ArraySlice<UInt8>, line: Int) throws(Failure) -> String {
    let parts = String(decoding: raw, as: UTF8.self).split(separator: "&", omittingEmptySubsequences: false)
    var text = String(parts[0])
    for part in parts.dropFirst() {
      guard let end = part.firstIndex(of: ";") else {
        text += "&" + part
        continue
      }
      let name = part[..<end]
      let rest = part[part.index(after: end)...]
      if let plain = entities[String(name)] {
        text += plain + rest
      } else if name.first == "#", let scalar = scalar(name.dropFirst()) {
        text += String(scalar) + rest
      } else {
        throw Failure(line: line, reason: "“&\(name);” is no entity that a property list may use")
      }
    }
    return text
  }

  private static func scalar(_ digits: Substring) -> Unicode.Scalar? {
    let isHex = digits.first == "x" || digits.first == "X"
    return UInt32(isHex ? digits.dropFirst() : digits, radix: isHex ? 16 : 10).flatMap(Unicode.Scalar.init)
  }

  private var line: Int { 1 + source[..<min(position, source.count)].count { $0 == 0x0A } }

  private func starts(with text: StaticString) -> Bool {
    text.withUTF8Buffer { source[position...].starts(with: $0) }
  }

  private mutating func skip(behind end: StaticString) throws(Failure) {
    let begin = line
    while position < source.count {
      if starts(with: end) {
        position += end.utf8CodeUnitCount
        return
      }
      position += 1
    }
    throw Failure(line: begin, reason: "what begins there has no end")
  }
}
