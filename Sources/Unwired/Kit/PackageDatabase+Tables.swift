import JSON
import Model
import Store

extension PackageDatabase {
  /// Answers a question about the kept rows, with the edits that wait laid over them (`executeQuery`).
  ///
  /// - Throws: `.usage` for a name of no source, or a pattern with `%` in its middle; `.notFound` for a set that is not kept.
  public func execute(_ query: TableQuery) async throws(ServiceError) -> QueryResult {
    let operation = "answer a query"
    let store = try await store(operation)
    var tables: [JoinedTable] = []
    for source in [query.from] + query.joins.map(\.source) {
      guard !tables.contains(where: { $0.alias == source.alias }) else {
        throw ServiceError(.usage, operation, detail: "two sources are called “\(source.alias)”")
      }
      let kept = try backend.keptSet(source.set, in: store, operation)
      tables.append(
        try keeping(operation) { () throws(OfflineError) in
          var rows: [OfflineRow] = []
          try store.visit(kept.set, over: try backend.waiting(on: source.set, kept, store)) { row in
            rows.append(row)
            return true
          }
          return JoinedTable(alias: source.alias, kept: kept, rows: rows)
        })
    }
    return try JoinedRows(tables, operation).answer(query)
  }

  /// The same on the server, where one source alone can be asked; an order puts rows without a value where the server likes.
  ///
  /// - Throws: `.notOffered` for a query with joins: see `NativeFeature.serverJoin`.
  public func executeOnServer(_ query: TableQuery) async throws(ServiceError) -> QueryResult {
    let operation = "answer a query on the server"
    guard query.joins.isEmpty else { throw NativeFeature.serverJoin.refusal(operation) }
    func bare(_ name: String) -> String {
      name.hasPrefix("\(query.from.alias).") ? String(name.dropFirst(query.from.alias.count + 1)) : name
    }
    var asked = ObjectQuery(
      query.test?.renamed(bare),
      sort: query.sortCriteria.map { .init(bare($0.name), isDescending: $0.isDescending) })
    asked.select = query.select.map(bare)
    // Which rows are equal shows only here, so that paging comes after it.
    if !query.isDistinct { (asked.skip, asked.take) = (query.skip, query.take) }
    let rows = try await findOnServer(query.from.set, asked).map { row in
      query.select.map { row[bare($0)] ?? .null }
    }
    guard query.isDistinct else { return QueryResult(names: query.select, rows: rows) }
    return QueryResult(names: query.select, rows: Array(rows.unique.dropFirst(query.skip).prefix(query.take ?? .max)))
  }
}

/// The kept rows of one source.
struct JoinedTable {
  let alias: String
  let kept: KeptSet
  let rows: [OfflineRow]
}

/// Rows of several sources side by side, each by its place among its source's rows.
private struct JoinedRows {
  private let tables: [JoinedTable]
  private let operation: String
  private var lines: [[Int]]

  init(_ tables: [JoinedTable], _ operation: String) {
    self.tables = tables
    self.operation = operation
    lines = tables[0].rows.indices.map { [$0] }
  }

  func answer(_ query: TableQuery) throws(ServiceError) -> QueryResult {
    var joined = self
    for (index, join) in query.joins.enumerated() { try joined.join(join, at: index + 1) }
    let names = query.select + (query.test?.names ?? []) + query.sortCriteria.map(\.name)
    var places: [String: (table: Int, property: String)] = [:]
    for name in names { places[name] = try place(of: name) }
    func value(_ line: [Int], _ name: String) -> Value {
      guard let (table, property) = places[name] else { return .null }
      return tables[table].kept.value(property, tables[table].rows[line[table]][property])
    }
    let asked = ObjectQuery(query.test, sort: query.sortCriteria)
    var found: [[Int]] = []
    for line in joined.lines {
      let isMatch = try asked.matches({ value(line, $0) }) { name, node in
        places[name].map { tables[$0.table].kept.value($0.property, node) } ?? .null
      }
      if isMatch { found.append(line) }
    }
    if !query.sortCriteria.isEmpty {
      found = found.enumerated().sorted { left, right in
        asked.precedes({ value(left.element, $0) }, { value(right.element, $0) }) ?? (left.offset < right.offset)
      }.map(\.element)
    }
    var rows = found.map { line in
      query.select.map { name -> JSONNode in
        guard let (table, property) = places[name] else { return .null }
        return tables[table].rows[line[table]][property] ?? .null
      }
    }
    if query.isDistinct { rows = rows.unique }
    return QueryResult(names: query.select, rows: Array(rows.dropFirst(query.skip).prefix(query.take ?? .max)))
  }

  /// Puts the rows of one more source beside those that they belong to.
  private mutating func join(_ join: TableQuery.Join, at index: Int) throws(ServiceError) {
    let table = tables[index]
    let other = try place(of: join.equals)
    guard other.table < index else {
      throw ServiceError(.usage, operation, detail: "“\(join.equals)” is of no source before “\(table.alias)”")
    }
    var places: [String: [Int]] = [:]
    for (place, row) in table.rows.enumerated() {
      let value = table.kept.value(join.property, row[join.property])
      if !value.isNull { places[value.exactText, default: []].append(place) }
    }
    let left = tables[other.table]
    lines = lines.flatMap { line -> [[Int]] in
      let value = left.kept.value(other.property, left.rows[line[other.table]][other.property])
      return value.isNull ? [] : (places[value.exactText] ?? []).map { line + [$0] }
    }
  }

  /// - Throws: `.usage` for a name of no source, and of no property where those are known.
  private func place(of name: String) throws(ServiceError) -> (table: Int, property: String) {
    let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
    let table = parts.count == 2 ? tables.firstIndex { $0.alias == parts[0] } : tables.count == 1 ? 0 : nil
    guard let table, let property = parts.last else {
      throw ServiceError(
        .usage, operation, detail: "“\(name)” is of no source",
        remedy: "Put a source's alias in front: \(tables.map { "\($0.alias).NAME" }.joined(separator: ", ")).")
    }
    if let type = tables[table].kept.type, type.property(property) == nil {
      throw ServiceError(.usage, operation, detail: "“\(tables[table].kept.set.name)” has no property “\(property)”")
    }
    return (table, property)
  }
}

extension [[JSONNode]] {
  /// Each row once, where it first stands.
  fileprivate var unique: [[JSONNode]] {
    var seen: Set<[UInt8]> = []
    return filter { seen.insert(JSONNode.array($0).encoded()).inserted }
  }
}

extension ObjectQuery.Test {
  fileprivate func renamed(_ name: (String) -> String) -> ObjectQuery.Test {
    switch self {
    case .equal(let property, let node): .equal(name(property), node)
    case .notEqual(let property, let node): .notEqual(name(property), node)
    case .less(let property, let node): .less(name(property), node)
    case .lessOrEqual(let property, let node): .lessOrEqual(name(property), node)
    case .greater(let property, let node): .greater(name(property), node)
    case .greaterOrEqual(let property, let node): .greaterOrEqual(name(property), node)
    case .like(let property, let pattern): .like(name(property), pattern)
    case .isIn(let property, let nodes): .isIn(name(property), nodes)
    case .between(let property, let low, let high): .between(name(property), low, high)
    case .and(let tests): .and(tests.map { $0.renamed(name) })
    case .or(let tests): .or(tests.map { $0.renamed(name) })
    case .not(let test): .not(test.renamed(name))
    }
  }
}
