internal import CSimdjson

extension JSONValue {
  /// The text of a string; nil for every other kind.
  public var string: String? {
    guard let (document, node) = place, csimdjson_node_kind(node) == CSIMDJSON_STRING else { return nil }
    return document.string(node)
  }

  /// A number that is whole, however written (`5`, `5.0`, `5e2`); nil when it has a fraction or does not fit 64 bits.
  public var int: Int? {
    guard let text = literal else { return nil }
    if let int = Int(text) { return int }
    // Only forms with a point or an exponent are left, or what does not fit: exact below 2^53.
    guard text.utf8.contains(where: { !(0x30...0x39 ~= $0) && $0 != 0x2D }) else { return nil }
    guard let double = Double(text), abs(double) < 0x1p53 else { return nil }
    let int = Int(double)
    return Double(int) == double ? int : nil
  }

  /// A number as the nearest double; nil when it is beyond the largest one. Not for money: see `numberText`.
  public var double: Double? {
    guard let text = literal, let double = Double(text), double.isFinite else { return nil }
    return double
  }

  public var bool: Bool? {
    guard let (_, node) = place else { return nil }
    switch csimdjson_node_kind(node) {
    case CSIMDJSON_TRUE: return true
    case CSIMDJSON_FALSE: return false
    default: return nil
    }
  }

  /// A number digit for digit as it stands in the document, be it a number or a string that holds nothing else.
  ///
  /// `12.50` stays `12.50`. In a string, leading zeros and a plus sign are taken too, and given back as they are.
  public var numberText: String? {
    if let literal { return literal }
    guard let string else { return nil }
    return Self.isNumeric(string) ? string : nil
  }

  /// A string, number or boolean as text; nil for null, arrays and objects.
  public var text: String? {
    guard let (document, node) = place else { return nil }
    switch csimdjson_node_kind(node) {
    case CSIMDJSON_STRING: return document.string(node)
    case CSIMDJSON_NUMBER, CSIMDJSON_TRUE, CSIMDJSON_FALSE: return document.string(node)
    default: return nil
    }
  }

  private var literal: String? {
    guard let (document, node) = place, csimdjson_node_kind(node) == CSIMDJSON_NUMBER else { return nil }
    return document.string(node)
  }

  private static func isNumeric(_ text: String) -> Bool {
    var digits = Substring(text).utf8
    if let first = digits.first, first == UInt8(ascii: "+") || first == UInt8(ascii: "-") { digits.removeFirst() }
    while digits.first == UInt8(ascii: "0"), let second = digits.dropFirst().first, 0x30...0x39 ~= second {
      digits.removeFirst()
    }
    return JSONNumber.isLiteral(digits) && digits.first != UInt8(ascii: "-")
  }
}

/// The grammar of numbers.
enum JSONNumber {
  /// Whether these bytes are one number as RFC 8259 writes it, and nothing else.
  static func isLiteral(_ text: some Collection<UInt8>) -> Bool {
    let bytes = Array(text)
    return !bytes.isEmpty && csimdjson_number_length(bytes, bytes.count) == bytes.count
  }
}
