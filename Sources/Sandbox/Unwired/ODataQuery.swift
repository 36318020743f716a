/// The protocol a service speaks.
enum ODataVersion: Sendable, Equatable { case v2, v4 }

/// A refusal of the data service.
struct ODataFault: Error, Equatable {
  let status: Int
  let code: String
  let text: String

  init(_ status: Int, _ code: String, _ text: String) {
    self.status = status
    self.code = code
    self.text = text
  }

  static func badRequest(_ text: String) -> ODataFault { ODataFault(400, "SY/530", text) }
  static func notFound(_ what: String) -> ODataFault { ODataFault(404, "SY/404", "Resource not found for \(what)") }
}

/// The system query options of a read.
struct ODataQuery: Sendable {
  struct Order: Sendable, Equatable {
    let index: Int
    let isAscending: Bool
  }

  var filter: ODataFilter?
  /// Personalisation keys: options that bear the name of a property let only rows with that value through.
  var keys: [(index: Int, text: String)] = []
  var order: [Order] = []
  var top: Int?
  var skip = 0
  var select: [String]?
  var expand: [String] = []
  var isCounted = false
  var skipToken: SkipToken?
  var deltaToken: String?
  /// Rows of a page at most.
  var pageSize = ODataQuery.standardPageSize
  var tracksChanges = false

  static let standardPageSize = 500

  init(_ request: SandboxRequest, _ set: ODataSet, _ version: ODataVersion) throws(ODataFault) {
    for (name, value) in request.server.query where name.hasPrefix("$") || name.hasPrefix("!") {
      try read(name, value, set, version)
    }
    keys = request.server.query.compactMap { name, value in set.index(of: name).map { ($0, value) } }
    let prefer = request.header("Prefer") ?? ""
    for part in prefer.split(whereSeparator: { $0 == "," || $0 == ";" }).map({ $0.filter { $0 != " " } }) {
      let sides = part.split(separator: "=")
      if sides[0].hasSuffix("maxpagesize"), sides.count == 2, let size = Int(sides[1]), size > 0 {
        pageSize = min(size, Self.standardPageSize)
      }
      if sides[0].hasSuffix("track-changes") { tracksChanges = true }
    }
    if version == .v2 { tracksChanges = true }
  }

  private mutating func read(
    _ name: String, _ value: String, _ set: ODataSet, _ version: ODataVersion
  ) throws(ODataFault) {
    switch name {
    case "$filter":
      do { filter = try ODataFilter.parse(value, for: set) } catch { throw .badRequest(error.message) }
    case "$orderby": order = try Self.order(value, set)
    case "$top": top = try Self.count(name, value)
    case "$skip": skip = try Self.count(name, value)
    case "$select": select = try Self.names(value, set)
    case "$expand":
      expand = try Self.names(value, set)
      for name in expand where set.navigation(name) == nil {
        throw .badRequest("Invalid navigation property \(name)")
      }
    case "$inlinecount": isCounted = value == "allpages"
    case "$count": isCounted = value == "true"
    case "$skiptoken":
      guard let token = SkipToken(value.filter { $0 != "'" }) else { throw .badRequest("Invalid skip token") }
      skipToken = token
    case "!deltatoken", "$deltatoken": deltaToken = value.filter { $0 != "'" }
    case "$format":
      guard ["json", "atom", "xml"].contains(value) || value.hasPrefix("application/") else {
        throw .badRequest("Invalid $format")
      }
    default: throw .badRequest("System query option \(name) is not supported")
    }
  }

  private static func count(_ name: String, _ value: String) throws(ODataFault) -> Int {
    guard let number = Int(value), number >= 0 else { throw .badRequest("Invalid value for \(name)") }
    return number
  }

  private static func order(_ text: String, _ set: ODataSet) throws(ODataFault) -> [Order] {
    var orders: [Order] = []
    for part in text.split(separator: ",") {
      let words = part.split(separator: " ")
      guard let name = words.first, let index = set.index(of: String(name)), words.count <= 2 else {
        throw .badRequest("Invalid $orderby: \(part)")
      }
      let direction = words.count > 1 ? words[1] : "asc"
      guard direction == "asc" || direction == "desc" else { throw .badRequest("Invalid direction: \(direction)") }
      orders.append(Order(index: index, isAscending: direction == "asc"))
    }
    return orders
  }

  private static func names(_ text: String, _ set: ODataSet) throws(ODataFault) -> [String] {
    let names = text.split(separator: ",").map { String($0.filter { $0 != " " }.prefix { $0 != "/" && $0 != "(" }) }
    for name in names where name != "*" && set.index(of: name) == nil && set.navigation(name) == nil {
      throw .badRequest("Property \(name) not found in type \(set.type)")
    }
    return names
  }

  var isNarrow: Bool { filter != nil || !keys.isEmpty }

  /// Whether a row is one of those asked for.
  func lets(_ row: ODataRow) -> Bool {
    keys.allSatisfy { index, text in
      switch row.values[index] {
      case .string(let value): value == text
      case .int(let number): String(number) == text
      default: false
      }
    } && (filter?.holds(row) ?? true)
  }

  /// Of what has changed, what the keys let through; a row that they no longer let through has gone for whoever asks.
  func personal(
    _ changes: (rows: [ODataRow], deleted: [(key: RowKey, time: SandboxTime)]), at now: SandboxTime
  ) -> (rows: [ODataRow], deleted: [(key: RowKey, time: SandboxTime)]) {
    guard !keys.isEmpty else { return changes }
    let gone = changes.rows.filter { !lets($0) }.map { (key: $0.key, time: now) }
    return (changes.rows.filter(lets), changes.deleted + gone)
  }

  /// True where the read takes everything, so that its end can be remembered for a delta.
  var isWhole: Bool { filter == nil && order.isEmpty && top == nil && skip == 0 && skipToken?.remaining == nil }
}

/// Where the next page of a read begins: behind a key, or at a place in an order.
struct SkipToken: Sendable, Equatable {
  enum Place: Sendable, Equatable {
    case after(RowKey)
    case offset(Int)
  }
  let place: Place
  /// The number of the last change before the first page, for the delta link of the last one.
  let sequence: Int
  /// Rows that `$top` still allows.
  let remaining: Int?

  init(_ place: Place, sequence: Int, remaining: Int?) {
    self.place = place
    self.sequence = sequence
    self.remaining = remaining
  }

  init?(_ text: String) {
    let parts = text.split(separator: ".")
    guard parts.count == 4, let sequence = Int(parts[2]) else { return nil }
    let numbers = parts[1].split(separator: "-").compactMap { Int($0) }
    switch parts[0] {
    case "k" where !numbers.isEmpty: place = .after(RowKey(numbers))
    case "o" where numbers.count == 1: place = .offset(numbers[0])
    default: return nil
    }
    self.sequence = sequence
    remaining = Int(parts[3])
  }

  var text: String {
    let (kind, numbers): (String, [Int]) =
      switch place {
      case .after(let key): ("k", key.parts)
      case .offset(let offset): ("o", [offset])
      }
    return "\(kind).\(numbers.map(String.init).joined(separator: "-")).\(sequence).\(remaining.map(String.init) ?? "x")"
  }
}
