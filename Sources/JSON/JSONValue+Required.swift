extension JSONValue {
  /// The member of that name.
  ///
  /// - Throws: `JSONError` with `.missing` and the path when it is absent or null.
  public func required(_ key: String) throws(JSONError) -> JSONValue {
    let value = self[key]
    switch value.kind {
    case .absent: throw JSONError(.missing, "is missing", path: value.path)
    case .null: throw JSONError(.missing, "is null", path: value.path)
    default: return value
    }
  }

  /// The text of a member that must be a string.
  public func requiredString(_ key: String) throws(JSONError) -> String {
    let value = try required(key)
    guard let string = value.string else { throw value.mistyped("a string") }
    return string
  }

  /// A member that must be a whole number.
  public func requiredInt(_ key: String) throws(JSONError) -> Int {
    let value = try required(key)
    guard let int = value.int else { throw value.mistyped("a whole number of 64 bits") }
    return int
  }

  /// A member that must be an array.
  public func requiredElements(_ key: String) throws(JSONError) -> Elements {
    let value = try required(key)
    guard value.kind == .array else { throw value.mistyped("an array") }
    return value.elements
  }

  /// An error that names this value and the kind it should have been: "$.a is a string, not an array".
  public func mistyped(_ wanted: String) -> JSONError {
    let found =
      switch kind {
      case .absent: "missing"
      case .null: "null"
      case .bool: "true or false"
      case .number: "a number"
      case .string: "a string"
      case .array: "an array"
      case .object: "an object"
      }
    return JSONError(.mistyped, "is \(found), not \(wanted)", path: path)
  }
}
