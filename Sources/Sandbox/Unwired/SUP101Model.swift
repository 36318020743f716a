/// A value of a property.
enum ODataValue: Sendable, Equatable {
  case null
  case int(Int)
  case string(String)
  case date(SandboxTime)
  case bool(Bool)
  case decimal(Double)
}

/// A property of an entity type.
struct ODataProperty: Sendable, Equatable {
  enum Kind: String, Sendable {
    case int = "Edm.Int32"
    case string = "Edm.String"
    case date = "Edm.DateTime"
  }
  let name: String
  let kind: Kind
  var isNullable = true
  /// Characters of a string; 0 for other kinds.
  var maxLength = 0
}

/// An entity set and the type of its rows.
struct ODataSet: Sendable, Equatable {
  struct Navigation: Sendable, Equatable {
    let name: String
    let target: String
    /// Property of this set that equals `foreign` of the target.
    let local: String
    let foreign: String
    let isCollection: Bool
  }
  let name: String
  let type: String
  let keys: [String]
  let properties: [ODataProperty]
  let navigations: [Navigation]

  func index(of property: String) -> Int? { properties.firstIndex { $0.name == property } }
  func navigation(_ name: String) -> Navigation? { navigations.first { $0.name == name } }

  var keyIndexes: [Int] { keys.compactMap { index(of: $0) } }
}

/// The sets of the SUP101 package; string lengths are those of its generated tables (reference 2.8).
enum SUP101Model {
  static let customers = ODataSet(
    name: "Customers", type: "Customer", keys: ["id"],
    properties: [
      key("id"), text("fname", 60, isNullable: false), text("lname", 80, isNullable: false), text("address", 140),
      text("city", 80), text("state", 8), text("zip", 40), text("phone", 48), text("company_name", 140),
    ],
    navigations: [
      .init(name: "SalesOrders", target: "SalesOrders", local: "id", foreign: "cust_id", isCollection: true)
    ])
  static let orders = ODataSet(
    name: "SalesOrders", type: "SalesOrder", keys: ["id"],
    properties: [
      key("id"), ODataProperty(name: "cust_id", kind: .int, isNullable: false),
      ODataProperty(name: "order_date", kind: .date, isNullable: false), text("fin_code_id", 8), text("region", 28),
      ODataProperty(name: "sales_rep", kind: .int),
    ],
    navigations: [
      .init(name: "Customer", target: "Customers", local: "cust_id", foreign: "id", isCollection: false),
      .init(name: "SalesOrderItems", target: "SalesOrderItems", local: "id", foreign: "id", isCollection: true),
    ])
  static let items = ODataSet(
    name: "SalesOrderItems", type: "SalesOrderItem", keys: ["id", "line_id"],
    properties: [
      key("id"), key("line_id"), ODataProperty(name: "prod_id", kind: .int, isNullable: false),
      ODataProperty(name: "quantity", kind: .int, isNullable: false), ODataProperty(name: "ship_date", kind: .date),
    ],
    navigations: [
      .init(name: "SalesOrder", target: "SalesOrders", local: "id", foreign: "id", isCollection: false)
    ])

  static let sets = [customers, orders, items]

  static func set(_ name: String) -> ODataSet? { sets.first { $0.name == name } }

  private static func key(_ name: String) -> ODataProperty { ODataProperty(name: name, kind: .int, isNullable: false) }
  private static func text(_ name: String, _ length: Int, isNullable: Bool = true) -> ODataProperty {
    ODataProperty(name: name, kind: .string, isNullable: isNullable, maxLength: length)
  }
}

/// The key of a row; rows are in the order of their keys.
struct RowKey: Sendable, Hashable, Comparable {
  let parts: [Int]

  init(_ parts: [Int]) { self.parts = parts }

  static func < (left: RowKey, right: RowKey) -> Bool { left.parts.lexicographicallyPrecedes(right.parts) }

  /// `901`, or `id=2001,line_id=1` for a key of several parts.
  func text(_ set: ODataSet) -> String {
    guard set.keys.count > 1 else { return parts.first.map(String.init) ?? "" }
    return zip(set.keys, parts).map { "\($0)=\($1)" }.joined(separator: ",")
  }

  /// Reads what stands between the parentheses; the parts of a key may be named, in any order.
  init?(_ text: String, _ set: ODataSet) {
    let pieces = text.split(separator: ",").map { $0.filter { $0 != " " } }
    guard pieces.count == set.keys.count else { return nil }
    var values: [String: Int] = [:]
    for (piece, key) in zip(pieces, set.keys) {
      let sides = piece.split(separator: "=", maxSplits: 1)
      guard let digits = sides.last, let number = Int(digits.last == "L" ? digits.dropLast() : digits) else {
        return nil
      }
      guard sides.count == 2 || set.keys.count == 1 else { return nil }
      values[sides.count == 2 ? String(sides[0]) : key] = number
    }
    let parts = set.keys.compactMap { values[$0] }
    guard parts.count == set.keys.count else { return nil }
    self.parts = parts
  }
}
