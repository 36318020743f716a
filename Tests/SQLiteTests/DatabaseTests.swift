import SQLite
import Synchronization
import TestKit
import Testing

@Suite struct DatabaseTests {
  private func makeDatabase() throws -> Database {
    let database = try Database(path: ":memory:")
    try database.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, value)")
    return database
  }

  private func names(_ database: Database) throws -> [String?] {
    try database.query("SELECT name FROM item ORDER BY id").map { $0["name"].text }
  }

  @Test(arguments: [
    SQLValue.null, .integer(.min), .integer(.max), .real(0.1), .text(""), .text("企業口座 🏦"), .text("a\0b"), .blob([]),
    .blob([0, 255, 10]),
  ]) func `values come back as they went in`(_ value: SQLValue) throws {
    let database = try makeDatabase()
    #expect(try database.execute("INSERT INTO item (name, value) VALUES (?, ?)", "x", value) == 1)
    #expect(try database.value("SELECT value FROM item WHERE name = ?", "x") == value)
    #expect(try database.value("SELECT ?", value) == value)
  }

  @Test func `rows know their columns`() throws {
    let database = try makeDatabase()
    try database.execute("INSERT INTO item (name, value) VALUES ('a', 1), ('b', 2.5)")
    let rows = try database.query("SELECT name, value AS amount FROM item ORDER BY name")
    #expect(rows.map(\.names) == [["name", "amount"], ["name", "amount"]])
    #expect(rows[0]["amount"].int == 1)
    #expect(rows[1]["amount"].double == 2.5)
    #expect(rows[0][1] == 1)
    #expect(rows[0][7].isNull && rows[0]["none"].isNull)
    #expect(try database.value("SELECT 1 WHERE 0").isNull)
    #expect(database.lastInsertedRow == 2)
  }

  @Test func `a statement runs many times`() throws {
    let database = try makeDatabase()
    let insert = try database.prepare("INSERT INTO item (name, value) VALUES (?, ?)")
    for number in 1...3 { try insert.run(.text("n\(number)"), SQLValue(number)) }
    let select = try database.prepare("SELECT name FROM item WHERE value >= ? ORDER BY value")
    #expect(select.columnNames == ["name"])
    for (least, expected) in [(2, ["n2", "n3"]), (3, ["n3"])] {
      try select.bind(SQLValue(least))
      var found: [String?] = []
      while try select.step() { found.append(select.column(0).text) }
      #expect(found == expected)
    }
    #expect(throws: SQLiteError.self) { try insert.run("n1", 9) }
    try insert.run("n4", 4)
    #expect(try names(database).count == 4)
  }

  @Test func `errors name code and statement and no value`() throws {
    let database = try makeDatabase()
    try database.execute("INSERT INTO item (name) VALUES (?)", "secret")
    let constraint = #expect(throws: SQLiteError.self) {
      try database.execute("INSERT INTO item (name) VALUES (?)", "secret")
    }
    #expect(constraint?.kind == .constraint)
    #expect(constraint?.code == 2067)
    #expect(constraint?.sql == "INSERT INTO item (name) VALUES (?)")
    #expect(constraint?.description.contains("secret") == false)
    #expect(#expect(throws: SQLiteError.self) { try database.execute("SELEC 1") }?.kind == .other)
    #expect(
      #expect(throws: SQLiteError.self) { try database.execute("SELECT ?") }?.message.hasPrefix("1 param") == true)
    #expect(throws: SQLiteError.self) { try database.execute("SELECT 1", 1) }
    #expect(throws: SQLiteError.self) { try database.execute("SELECT 1; SELECT 2") }
    #expect(throws: SQLiteError.self) { try database.execute(" -- nothing") }
    #expect(throws: SQLiteError.self) { try database.execute("SELECT \"no such column\"") }
    #expect(try database.value("SELECT 1;\n").int == 1)
  }

  struct Stop: Error {}

  @Test func `a transaction is kept or undone as a whole`() throws {
    let database = try makeDatabase()
    let result = try database.transaction {
      try database.execute("INSERT INTO item (name) VALUES ('a')")
      return 7
    }
    #expect(result == 7)
    #expect(throws: Stop.self) {
      try database.transaction {
        try database.execute("INSERT INTO item (name) VALUES ('b')")
        throw Stop()
      }
    }
    #expect(try names(database) == ["a"])
  }

  @Test func `an inner transaction is undone alone`() throws {
    let database = try makeDatabase()
    try database.transaction {
      try database.execute("INSERT INTO item (name) VALUES ('a')")
      #expect(throws: Stop.self) {
        try database.transaction {
          try database.execute("INSERT INTO item (name) VALUES ('b')")
          try database.transaction { _ = try database.execute("INSERT INTO item (name) VALUES ('c')") }
          throw Stop()
        }
      }
      try database.transaction { _ = try database.execute("INSERT INTO item (name) VALUES ('d')") }
    }
    #expect(try names(database) == ["a", "d"])
    #expect(throws: Stop.self) {
      try database.transaction {
        try database.transaction { _ = try database.execute("INSERT INTO item (name) VALUES ('e')") }
        throw Stop()
      }
    }
    #expect(try names(database) == ["a", "d"])
  }

  @Test func `foreign keys are checked also when a transaction ends`() throws {
    let database = try makeDatabase()
    try database.execute(
      "CREATE TABLE note (item INTEGER REFERENCES item (id) DEFERRABLE INITIALLY DEFERRED, text TEXT)")
    #expect(throws: SQLiteError.self) {
      try database.transaction { _ = try database.execute("INSERT INTO note VALUES (99, 'x')") }
    }
    #expect(try database.value("SELECT count(*) FROM note").int == 0)
    try database.transaction { _ = try database.execute("INSERT INTO item (name) VALUES ('after')") }
    #expect(try names(database) == ["after"])
  }

  @Test func `more statements than the cache holds still run`() throws {
    let database = try makeDatabase()
    for round in 0..<2 {
      for number in 0..<200 {
        #expect(try database.value("SELECT \(number) + ?", SQLValue(round)).int == number + round)
      }
    }
  }

  @Test func `threads take turns`() async throws {
    let database = try makeDatabase()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for number in 0..<20 {
            try database.transaction {
              let count = try database.value("SELECT count(*) FROM item").int ?? 0
              try database.execute("INSERT INTO item (name, value) VALUES (?, ?)", "\(task)-\(number)", SQLValue(count))
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try database.value("SELECT count(DISTINCT value) FROM item").int == 160)
  }

  @Test(.bounded) func `an endless statement can be interrupted`() async throws {
    let database = try makeDatabase()
    let endless = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
    let ended = Mutex(false)
    let query = Task.detached {
      defer { ended.withLock { $0 = true } }
      return try database.value(endless)
    }
    // An interrupt before the statement has begun is lost.
    while !ended.withLock({ $0 }) {
      database.interrupt()
      await Task.yield()
    }
    let error = await #expect(throws: SQLiteError.self) { try await query.value }
    #expect(error?.kind == .interrupted)
    #expect(try database.value("SELECT 1").int == 1)
  }
}
