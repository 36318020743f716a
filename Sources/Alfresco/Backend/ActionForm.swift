import Model

/// An action with the values of its form.
struct ActionForm {
  let action: String
  let location: Location
  let fields: [String: String]

  init(_ action: String, _ location: Location, _ fields: [String: String]) {
    self.action = action
    self.location = location
    self.fields = fields
  }

  var operation: String { location.doing(action) }

  var unknown: ServiceError { .notOffered(operation, "there is no action “\(action)” here") }

  /// Nil when left empty.
  subscript(_ name: String) -> String? { fields[name].flatMap { $0.isEmpty ? nil : $0 } }

  func required(_ name: String) throws(ServiceError) -> String {
    guard let value = self[name] else {
      throw ServiceError(.usage, operation, detail: "“\(name)” is missing", remedy: "Give it as \(name)=VALUE.")
    }
    return value
  }

  func integer(_ name: String) throws(ServiceError) -> Int? {
    guard let text = self[name] else { return nil }
    guard let number = Int(text), number >= 0 else {
      throw ServiceError(.usage, operation, detail: "“\(name)” must be a whole number, not “\(text)”")
    }
    return number
  }

  /// A moment, or a day, which ends at its last second in UTC.
  func moment(_ name: String) throws(ServiceError) -> Timestamp? {
    guard let text = self[name] else { return nil }
    guard let moment = Timestamp(rfc3339: text) else {
      throw ServiceError(.usage, operation, detail: "“\(name)” must be a date like 2026-12-24, not “\(text)”")
    }
    return text.utf8.count == 10 ? moment.adding(seconds: 86_399) : moment
  }
}
