import Glibc
import SQLite
import Testing

@Suite struct SchemaTests {
  private let steps = [
    Database.Migration("items", sql: "CREATE TABLE item (name TEXT)", "INSERT INTO item VALUES ('first')"),
    Database.Migration("colours", sql: "ALTER TABLE item ADD COLUMN colour TEXT"),
  ]

  @Test func `each step runs once`() throws {
    let database = try Database(path: ":memory:")
    #expect(try database.userVersion == 0)
    #expect(try database.migrate(Array(steps[..<1])) == 1)
    #expect(try database.migrate(steps) == 1)
    #expect(try database.migrate(steps) == 0)
    #expect(try database.userVersion == 2)
    #expect(try database.value("SELECT count(*) FROM item").int == 1)
  }

  @Test func `a step that fails leaves the schema as it was`() throws {
    let database = try Database(path: ":memory:")
    let broken = steps + [Database.Migration("broken", sql: "CREATE TABLE other (x)", "nonsense")]
    #expect(throws: SQLiteError.self) { try database.migrate(broken) }
    #expect(try database.userVersion == 0)
    #expect(try database.value("SELECT count(*) FROM sqlite_schema").int == 0)
  }

  @Test func `a file of a newer version is refused`() throws {
    let database = try Database(path: ":memory:")
    try database.setUserVersion(3)
    let error = #expect(throws: SQLiteError.self) { try database.migrate(steps) }
    #expect(error?.kind == .newerSchema)
  }
}

@Suite struct DatabaseFileTests {
  /// A new directory that is removed at the end.
  private func withDirectory(_ body: (String) throws -> Void) throws {
    let template = "\(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")/sqlite-tests-XXXXXX"
    var name = template.utf8CString
    let made = name.withUnsafeMutableBufferPointer { buffer in buffer.baseAddress.map { mkdtemp($0) != nil } ?? false }
    try #require(made)
    let path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer {
      for suffix in ["", "-wal", "-shm"] { unlink("\(path)/test.db\(suffix)") }
      rmdir(path)
    }
    try body(path)
  }

  @Test func `a file keeps its rows and belongs to its owner`() throws {
    try withDirectory { directory in
      let path = directory + "/test.db"
      do {
        let database = try Database(path: path)
        #expect(try database.value("PRAGMA journal_mode").text == "wal")
        try database.execute("CREATE TABLE item (name TEXT)")
        try database.execute("INSERT INTO item VALUES ('kept')")
        for suffix in ["", "-wal"] {
          var status = stat()
          #expect(stat(path + suffix, &status) == 0)
          #expect(status.st_mode & 0o777 == 0o600)
        }
      }
      var options = Database.Options()
      options.isReadOnly = true
      let reader = try Database(path: path, options: options)
      #expect(try reader.value("SELECT name FROM item").text == "kept")
      let error = #expect(throws: SQLiteError.self) { try reader.execute("DELETE FROM item") }
      #expect(error?.kind == .inaccessible)
    }
  }

  @Test func `two connections see each other and the second writer is told to wait`() throws {
    try withDirectory { directory in
      var options = Database.Options()
      options.busyTimeout = .zero
      let first = try Database(path: directory + "/test.db", options: options)
      let second = try Database(path: directory + "/test.db", options: options)
      try first.transaction { _ = try first.execute("CREATE TABLE item (name TEXT)") }
      try first.transaction {
        // It has the file for itself before it has written anything.
        #expect(#expect(throws: SQLiteError.self) { try second.transaction {} }?.kind == .busy)
        try first.execute("INSERT INTO item VALUES ('a')")
        #expect(try second.value("SELECT count(*) FROM item").int == 0)
        #expect(#expect(throws: SQLiteError.self) { try second.transaction {} }?.kind == .busy)
      }
      #expect(try second.value("SELECT count(*) FROM item").int == 1)
    }
  }

  @Test func `what is no database is refused`() throws {
    try withDirectory { directory in
      let path = directory + "/test.db"
      let file = try #require(fopen(path, "w"))
      fputs(String(repeating: "no database ", count: 100), file)
      fclose(file)
      #expect(#expect(throws: SQLiteError.self) { try Database(path: path) }?.kind == .corrupt)
      #expect(
        #expect(throws: SQLiteError.self) { try Database(path: directory + "/none/test.db") }?.kind == .inaccessible)
    }
  }
}
