import Glibc
import JSON
import Model

/// Which branches or cash machines are wanted: `?near=60.17,24.94&within=5000&city=Helsinki`.
///
/// The server is asked to narrow by town and distance (reference, section 3.14); versions that do not know how send
/// everything, so it is done here, too.
struct Nearness: Sendable {
  struct Point: Sendable, Hashable {
    let latitude: Double
    let longitude: Double
    /// As it was written: `60.17,24.94`.
    let text: String
  }

  let point: Point?
  /// Metres.
  private let within: Int?
  private let city: String?

  init(_ location: Location) throws(ServiceError) {
    let value = { (name: String) in location.queryValue(name).flatMap { $0.isEmpty ? nil : $0 } }
    city = value("city")
    point = try value("near").map { text throws(ServiceError) in try Nearness.point(text, location) }
    within = try value("within").map { text throws(ServiceError) in
      guard let metres = Int(text), metres > 0 else {
        throw Nearness.wrong(location, "“\(text)” is no distance in metres", "Write within=5000.")
      }
      return metres
    }
    if within != nil, point == nil {
      throw Nearness.wrong(location, "a distance needs a point", "Write near=60.17,24.94&within=5000.")
    }
  }

  private static func point(_ text: String, _ location: Location) throws(ServiceError) -> Point {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { !$0.isWhitespace } }
    guard parts.count == 2, let latitude = Double(parts[0]), let longitude = Double(parts[1]),
      abs(latitude) <= 90, abs(longitude) <= 180
    else { throw wrong(location, "“\(text)” is no latitude and longitude", "Write near=60.17,24.94.") }
    return Point(latitude: latitude, longitude: longitude, text: parts.joined(separator: ","))
  }

  private static func wrong(_ location: Location, _ detail: String, _ remedy: String) -> ServiceError {
    ServiceError(.usage, "list \(location)", detail: detail, remedy: remedy)
  }

  var isEmpty: Bool { point == nil && city == nil }

  /// Whether what is far away is left out.
  var isBounded: Bool { within != nil }

  /// What the server is asked for; it takes a distance only together with a point.
  var parameters: [(name: String, value: String)] {
    var list = city.map { [(name: "city", value: $0)] } ?? []
    guard let point, let within else { return list }
    let parts = point.text.split(separator: ",").map(String.init)
    list.append((name: "withinMetersOf", value: String(within)))
    list.append((name: "nearLatitude", value: parts[0]))
    list.append((name: "nearLongitude", value: parts[1]))
    return list
  }

  /// The places that fit, the nearest first; those that tell no place of theirs last.
  func sorted(_ elements: [JSONValue]) -> [(json: JSONValue, metres: Int?)] {
    let meant = elements.filter { element in
      city.map { $0.lowercased() == element["address"]["city"].string?.lowercased() } ?? true
    }
    guard let point else { return meant.map { ($0, nil) } }
    let measured = meant.map { element in
      (json: element, metres: Nearness.place(of: element).map { Nearness.metres(from: point, to: $0) })
    }
    let near = measured.filter { place in within.map { (place.metres ?? .max) <= $0 } ?? true }
    return near.sorted { ($0.metres ?? .max) < ($1.metres ?? .max) }
  }

  private static func place(of element: JSONValue) -> Point? {
    let location = element["location"]
    guard let latitude = location["latitude"].double, let longitude = location["longitude"].double else { return nil }
    return Point(latitude: latitude, longitude: longitude, text: "")
  }

  /// Along the surface of a sphere of the Earth's mean radius: right to half a percent.
  static func metres(from a: Point, to b: Point) -> Int {
    let radians = { (degrees: Double) in degrees * .pi / 180 }
    let across = sin(radians(b.latitude - a.latitude) / 2)
    let along = sin(radians(b.longitude - a.longitude) / 2)
    let chord = across * across + cos(radians(a.latitude)) * cos(radians(b.latitude)) * along * along
    return Int((2 * 6_371_000 * asin(min(1, chord.squareRoot()))).rounded())
  }

  // MARK: Its form

  var action: Action {
    Action(
      "near", "Choose town and distance",
      fields: [
        FormField("city", "Town", initial: city ?? "", isRequired: false),
        FormField(
          "near", "Near", initial: point?.text ?? "", isRequired: false, hint: "latitude and longitude: 60.17,24.94"),
        FormField(
          "within", "Metres at most", .integer, initial: within.map(String.init) ?? "", isRequired: false),
      ])
  }

  /// The list that the filled-in form asks for.
  static func narrowed(_ location: Location, _ form: ActionForm) throws(ServiceError) -> ActionOutcome {
    let query = ["city", "near", "within"].compactMap { name in form.optional(name).map { (name, $0) } }
    let place = location.with(query: query)
    _ = try Nearness(place)
    return ActionOutcome("Narrowed to \(place).", location: place, isAnswer: true)
  }
}
