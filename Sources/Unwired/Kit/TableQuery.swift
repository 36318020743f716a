import JSON
import Model

/// A question about several sets at once, answered from what is kept here (`SUPQuery` with `from`, `join` and `select`).
///
/// Names have the alias of their source in front: `c.lname`. With one source alone they may go without.
public struct TableQuery: Sendable, Equatable {
  public struct Source: Sendable, Equatable {
    public var set: String
    public var alias: String

    public init(_ set: String, _ alias: String) {
      self.set = set
      self.alias = alias
    }
  }

  /// A further source: its rows whose own property equals one of a source before it.
  public struct Join: Sendable, Equatable {
    public var source: Source
    public var property: String
    /// With its alias: `c.id`.
    public var equals: String

    public init(_ source: Source, on property: String, equals: String) {
      self.source = source
      self.property = property
      self.equals = equals
    }
  }

  public var select: [String]
  public var from: Source
  public var joins: [Join]
  public var test: ObjectQuery.Test?
  public var sortCriteria: [ObjectQuery.SortCriterion] = []
  /// Equal rows count once.
  public var isDistinct = false
  public var skip = 0
  /// Rows at most; nil for all.
  public var take: Int?

  public init(select: [String], from: Source, joins: [Join] = [], _ test: ObjectQuery.Test? = nil) {
    self.select = select
    self.from = from
    self.joins = joins
    self.test = test
  }
}

/// Rows of values in the order of the names asked for (`SUPQueryResultSet`).
public struct QueryResult: Sendable, Equatable {
  public let names: [String]
  public let rows: [[JSONNode]]
}

extension ObjectQuery.Test {
  /// Every property that the test is about.
  var names: [String] {
    switch self {
    case .equal(let name, _), .notEqual(let name, _), .less(let name, _), .lessOrEqual(let name, _),
      .greater(let name, _), .greaterOrEqual(let name, _), .like(let name, _), .isIn(let name, _),
      .between(let name, _, _):
      [name]
    case .and(let tests), .or(let tests): tests.flatMap(\.names)
    case .not(let test): test.names
    }
  }
}
