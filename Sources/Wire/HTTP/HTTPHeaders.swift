/// Header fields in order, with names compared in any case and kept as written.
public struct HTTPHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral {
  public struct Field: Sendable, Equatable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  public private(set) var fields: [Field]

  public init(_ fields: [Field] = []) { self.fields = fields }

  public init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { Field($0.0, $0.1) }
  }

  public init(_ pairs: some Sequence<(name: String, value: String)>) {
    fields = pairs.map { Field($0.name, $0.value) }
  }

  /// The first value; setting replaces all values of that name, nil removes them.
  public subscript(_ name: String) -> String? {
    get { fields.first { Self.matches($0.name, name) }?.value }
    set {
      let place = fields.firstIndex { Self.matches($0.name, name) }
      fields.removeAll { Self.matches($0.name, name) }
      if let newValue { fields.insert(Field(name, newValue), at: min(place ?? fields.count, fields.count)) }
    }
  }

  /// Every value of that name, in order.
  public func values(for name: String) -> [String] {
    fields.filter { Self.matches($0.name, name) }.map(\.value)
  }

  public mutating func append(_ name: String, _ value: String) { fields.append(Field(name, value)) }

  /// Sets each of `others`, whatever was there before.
  public mutating func merge(_ others: HTTPHeaders) {
    for field in others.fields { self[field.name] = nil }
    fields += others.fields
  }

  public var isEmpty: Bool { fields.isEmpty }

  static func matches(_ one: String, _ other: String) -> Bool {
    one.utf8.count == other.utf8.count && zip(one.utf8, other.utf8).allSatisfy { $0 == $1 || lower($0) == lower($1) }
  }

  private static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}

extension HTTPHeaders {
  /// The media type without its parameters, in lower case: `application/json`.
  public var mediaType: String? {
    self["Content-Type"].map { $0.prefix { $0 != ";" }.filter { $0 != " " }.lowercased() }
  }

  /// `Content-Length` as a number that is not negative.
  public var contentLength: Int64? {
    self["Content-Length"].flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
  }

  /// The first field that could break out of its line, or whose name is no token; nil when all are sound.
  package var unsound: Field? {
    fields.first { field in
      field.name.isEmpty || !field.name.utf8.allSatisfy(Self.isToken)
        || field.value.utf8.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }
    }
  }

  /// The characters of a token, RFC 9110 section 5.6.2.
  static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
