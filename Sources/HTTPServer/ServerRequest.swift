/// One request as it arrived; nothing in it is trusted or normalised.
package struct ServerRequest: Sendable {
  package typealias Field = (name: String, value: String)

  /// As sent, case and all.
  package let method: String
  /// Raw request target, with the query.
  package let target: String
  /// In order, names as sent; invalid UTF-8 is repaired.
  package let headers: [Field]
  package let body: RequestBody
  /// Raw path, still percent-encoded, without the query.
  package let path: String
  /// Decoded query fields in order; the value is "" where the field has none.
  package let query: [Field]

  package init(method: String, target: String, headers: [Field] = [], body: RequestBody = RequestBody([])) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
    let mark = target.firstIndex(of: "?")
    path = String(target[..<(mark ?? target.endIndex)])
    query = mark.map { FormFields.parse(target[target.index(after: $0)...]) } ?? []
  }

  /// First value of a header, whatever the case of its name.
  package func header(_ name: String) -> String? {
    let wanted = name.lowercased()
    return headers.first { $0.name.lowercased() == wanted }?.value
  }

  /// First value of a query field, names compared exactly.
  package func queryValue(_ name: String) -> String? {
    query.first { $0.name == name }?.value
  }
}

/// `application/x-www-form-urlencoded`, as it stands in queries and in posted forms.
package enum FormFields {
  /// Splits at `&`; `+` is a blank, a broken escape stays as it is.
  package static func parse(_ text: some StringProtocol) -> [ServerRequest.Field] {
    text.utf8.split(separator: UInt8(ascii: "&")).map { field in
      guard let equals = field.firstIndex(of: UInt8(ascii: "=")) else { return (decode(field), "") }
      return (decode(field[..<equals]), decode(field[field.index(after: equals)...]))
    }
  }

  private static func decode(_ text: some Collection<UInt8>) -> String {
    PercentEncoding.decode(text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 })
  }
}

/// The `%41` form of bytes in URLs.
package enum PercentEncoding {
  /// Text with its escapes resolved; a broken escape stays as it is, invalid UTF-8 is repaired.
  package static func decode(_ bytes: some Collection<UInt8>) -> String {
    var plain: [UInt8] = []
    plain.reserveCapacity(bytes.count)
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let high = rest.first.flatMap(digit),
        let low = rest.dropFirst().first.flatMap(digit)
      {
        plain.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        plain.append(byte)
      }
    }
    return String(decoding: plain, as: UTF8.self)
  }

  package static func decode(_ text: some StringProtocol) -> String {
    decode(Array(text.utf8))
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
