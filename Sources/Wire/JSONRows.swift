import JSON
import Model

extension JSONValue {
  /// The root of an answer that was read, not written: data of some kind.
  ///
  /// A bare word or number, or nothing at all, must not pass for something without fields.
  ///
  /// - Throws: `.unreadable`.
  package func requireData(_ operation: String, status: Int) throws(ServiceError) {
    // “No content” and “not modified” say themselves that nothing comes.
    guard kind == .object || kind == .array || status == 204 || status == 304 else {
      throw ServiceError(.unreadable, operation, detail: "the answer holds no data", status: status)
    }
  }

  /// The rows of a listing: a list, and nothing but objects in it.
  ///
  /// An answer that is something else must not pass for an empty list: a proxy's page or another service may be speaking.
  ///
  /// - Parameter what: The list in words, such as `“banks”`.
  /// - Throws: `.unreadable`.
  package func rows(_ what: String, _ operation: String, status: Int) throws(ServiceError) -> Elements {
    guard kind == .array else {
      throw ServiceError(.unreadable, operation, detail: "the answer holds no list \(what)", status: status)
    }
    var index = 0
    for element in elements {
      guard element.kind == .object else {
        throw ServiceError(
          .unreadable, operation, detail: "entry \(index + 1) of the list \(what) is no object", status: status)
      }
      index += 1
    }
    return elements
  }
}
