internal import CYaml

/// The events of one text, read from libyaml in order.
///
/// Owns the parser and the event that was read last; the bytes must stay where they are for as long as it lives.
final class YAMLEvents {
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let bytes: UnsafeBufferPointer<UInt8>
  private let offsets: ByteOffsets
  private var holdsEvent = false
  private var event = yaml_event_t()

  init(_ bytes: UnsafeBufferPointer<UInt8>, _ offsets: ByteOffsets) throws(YAMLError) {
    parser = .allocate(capacity: 1)
    self.bytes = bytes
    self.offsets = offsets
    guard yaml_parser_initialize(parser) == 1 else {
      parser.deallocate()
      throw YAMLError("there is not enough memory", at: YAMLPosition(line: 1, column: 1))
    }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
  }

  deinit {
    if holdsEvent { yaml_event_delete(&event) }
    yaml_parser_delete(parser)
    parser.deallocate()
  }

  func next() throws(YAMLError) -> Event {
    if holdsEvent { yaml_event_delete(&event) }
    holdsEvent = yaml_parser_parse(parser, &event) == 1
    guard holdsEvent else { throw YAMLError(parser.pointee, in: bytes) }
    return Event(event, offsets)
  }
}

/// One event, copied out of libyaml.
struct Event {
  enum What {
    case streamStart, documentStart, documentEnd, streamEnd
    case alias(String)
    case scalar(String, YAMLNode.Style, isBlock: Bool)
    case sequenceStart(isBlock: Bool), sequenceEnd, mappingStart(isBlock: Bool), mappingEnd
  }

  let what: What
  let anchor: String?
  let tag: String?
  let position: YAMLPosition
  /// Bytes of the token.
  let range: Range<Int>

  fileprivate init(_ event: yaml_event_t, _ offsets: ByteOffsets) {
    position = YAMLPosition(event.start_mark)
    let start = offsets[event.start_mark.index]
    range = start..<max(start, offsets[event.end_mark.index])
    var (anchor, tag): (String?, String?)
    switch event.type {
    case YAML_ALIAS_EVENT: what = .alias(Self.text(event.data.alias.anchor) ?? "")
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      let isBlock = scalar.style == YAML_LITERAL_SCALAR_STYLE || scalar.style == YAML_FOLDED_SCALAR_STYLE
      let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      let style: YAMLNode.Style = scalar.style == YAML_PLAIN_SCALAR_STYLE ? .plain : .quoted
      what = .scalar(String(decoding: bytes, as: UTF8.self), style, isBlock: isBlock)
      (anchor, tag) = (Self.text(scalar.anchor), Self.text(scalar.tag))
    case YAML_SEQUENCE_START_EVENT:
      what = .sequenceStart(isBlock: event.data.sequence_start.style == YAML_BLOCK_SEQUENCE_STYLE)
      (anchor, tag) = (Self.text(event.data.sequence_start.anchor), Self.text(event.data.sequence_start.tag))
    case YAML_MAPPING_START_EVENT:
      what = .mappingStart(isBlock: event.data.mapping_start.style == YAML_BLOCK_MAPPING_STYLE)
      (anchor, tag) = (Self.text(event.data.mapping_start.anchor), Self.text(event.data.mapping_start.tag))
    case YAML_SEQUENCE_END_EVENT: what = .sequenceEnd
    case YAML_MAPPING_END_EVENT: what = .mappingEnd
    case YAML_STREAM_START_EVENT: what = .streamStart
    case YAML_DOCUMENT_START_EVENT: what = .documentStart
    case YAML_DOCUMENT_END_EVENT: what = .documentEnd
    default: what = .streamEnd
    }
    (self.anchor, self.tag) = (anchor, tag)
  }

  private static func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
    pointer.map { String(decodingCString: $0, as: UTF8.self) }
  }
}

extension YAMLPosition {
  init(_ mark: yaml_mark_t) { self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1) }
}

/// Turns libyaml's marks, which count characters, into byte offsets.
struct ByteOffsets {
  private let base: Int
  private let count: Int
  /// The offset of every character; empty where all characters are one byte.
  private let starts: [Int]

  init(_ bytes: some Collection<UInt8>, base: Int) {
    self.base = base
    count = bytes.count
    let isASCII = bytes.allSatisfy { $0 < 0x80 }
    starts = isASCII ? [] : bytes.enumerated().compactMap { $1 & 0xC0 == 0x80 ? nil : $0 }
  }

  subscript(index: Int) -> Int {
    if starts.isEmpty { return base + min(index, count) }
    return base + (index < starts.count ? starts[index] : count)
  }
}
