import Glibc
import JSON
import Model
import TestKit
import Testing

@testable import Store

private let key = Secret(String(repeating: "0f", count: 32))

private func customer(_ id: Int, _ name: String, city: String? = "Wien", tag: String? = "W/\"1\"") -> OfflineRow {
  OfflineRow(
    key: String(id), tag: tag,
    properties: [
      JSONNode.Member(key: "id", value: .int(id)), JSONNode.Member(key: "name", value: .string(name)),
      JSONNode.Member(key: "city", value: city.map { .string($0) } ?? .null),
    ])
}

/// An offline store in a directory of its own.
private struct Bench {
  let directory: TemporaryDirectory
  var path: String { directory.file("field.store") }
  var store: OfflineStore { get throws { try OfflineStore(path: path, key: key) } }

  init() throws { directory = try TemporaryDirectory() }

  func filled(_ rows: [OfflineRow]) throws -> OfflineStore {
    let store = try store
    var download = OfflineDownload(try store.madeSet(named: "Customers"), isWhole: true, of: store)
    try download.add(rows)
    download.set.deltaLink = "Customers?!deltatoken='1'"
    download.set.synced = Timestamp(seconds: 1_800_000_000)
    try store.keep([download])
    return store
  }
}

private func edit(_ key: String, _ operation: OfflineEdit.Operation = .update) -> OfflineEdit {
  OfflineEdit(
    set: "Customers", operation: operation, key: key,
    properties: [JSONNode.Member(key: "city", value: .string("Graz"))], tag: "W/\"1\"", follows: false,
    requestID: "AB", queued: Timestamp(seconds: 1_800_000_000))
}

@Suite struct OfflineStoreTests {
  @Test func `rows, sets and edits are there after a restart`() throws {
    let bench = try Bench()
    let rows = [customer(1, "Ada"), customer(2, "Müller", city: nil), customer(3, "企業", tag: nil)]
    let queued = try #require(try bench.filled(rows).queue { _ in .add(edit("2")) })
    let store = try bench.store
    let set = try #require(try store.set(named: "Customers"))
    #expect(set.deltaLink == "Customers?!deltatoken='1'")
    #expect(try store.sets().map(\.rows) == [3])
    #expect(try store.page(of: set, OfflineQuery()).rows == rows)
    #expect(try store.row("2", in: set) == rows[1])
    #expect(try store.row("9", in: set) == nil)
    #expect(try store.edits() == [queued])
  }

  @Test func `what is queued is on the disk before it is said to be`() throws {
    let store = try Bench().store
    #expect(try store.database.value("PRAGMA synchronous").int == 2)
    #expect(try store.database.value("PRAGMA journal_mode").text == "wal")
  }

  @Test func `a file that a newer version made is left alone`() throws {
    let bench = try Bench()
    let store = try bench.filled([customer(1, "Ada")])
    let version = try store.database.userVersion
    try store.database.setUserVersion(version + 1)
    #expect(throws: OfflineError.newer(path: bench.path)) { try bench.store }
    try store.database.setUserVersion(version)
    #expect(try bench.store.sets().map(\.rows) == [1])
  }

  @Test func `every kind of value comes back as it was`() throws {
    let bench = try Bench()
    let row = OfflineRow(
      key: "id=1,line=2", tag: nil,
      properties: [
        ("none", .null), ("yes", .bool(true)), ("no", .bool(false)), ("small", .integer(-7)),
        ("large", .integer(.max)), ("exact", .number("12.50")), ("empty", .string("")), ("text", .string("ä\0b")),
        ("list", .array([1, "x"])), ("object", ["a": ["b": nil]]),
      ].map { JSONNode.Member(key: $0.0, value: $0.1) })
    let store = try bench.filled([row])
    let set = try #require(try store.set(named: "Customers"))
    #expect(try store.row("id=1,line=2", in: set) == row)
  }

  @Test func `a delta changes, adds and removes; rows keep their place`() throws {
    let bench = try Bench()
    let store = try bench.filled([customer(1, "Ada"), customer(2, "Bert"), customer(3, "Carl")])
    var delta = OfflineDownload(try store.madeSet(named: "Customers"), isWhole: false, of: store)
    try delta.add([customer(2, "Berta", tag: "W/\"2\""), customer(4, "Dora")])
    delta.remove("1")
    try store.keep([delta])
    let set = try #require(try store.set(named: "Customers"))
    #expect(try store.page(of: set, OfflineQuery()).rows.map(\.key) == ["2", "3", "4"])
    #expect(try store.row("2", in: set)?["name"] == "Berta")
  }

  @Test func `a set whose server does not name deleted rows keeps only those that are left`() throws {
    let bench = try Bench()
    let store = try bench.filled((1...5).map { customer($0, "N\($0)") })
    var delta = OfflineDownload(try store.madeSet(named: "Customers"), isWhole: false, of: store)
    try delta.keepOnly(["2", "4", "9"])
    try store.keep([delta])
    let set = try #require(try store.set(named: "Customers"))
    #expect(try store.page(of: set, OfflineQuery()).rows.map(\.key) == ["2", "4"])
  }

  @Test func `a row with a new property leaves older rows as they were`() throws {
    let bench = try Bench()
    let store = try bench.filled([customer(1, "Ada")])
    var delta = OfflineDownload(try store.madeSet(named: "Customers"), isWhole: false, of: store)
    var row = customer(2, "Bert")
    row.properties.insert(JSONNode.Member(key: "phone", value: "1"), at: 0)
    try delta.add([row])
    try store.keep([delta])
    let set = try #require(try store.set(named: "Customers"))
    #expect(try store.row("1", in: set) == customer(1, "Ada"))
    #expect(try store.row("2", in: set)?["phone"] == "1")
    #expect(try store.row("2", in: set)?.properties.count == 4)
  }

  @Test func `another key opens nothing and changes nothing`() throws {
    let bench = try Bench()
    _ = try bench.filled([customer(1, "Ada")])
    let other = Secret(String(repeating: "1e", count: 32))
    #expect(throws: OfflineError.otherKey(path: bench.path)) { try OfflineStore(path: bench.path, key: other) }
    #expect(try bench.store.sets().map(\.rows) == [1])
  }

  @Test func `edits keep their order and numbers are never used again`() throws {
    let bench = try Bench()
    let store = try bench.store
    let first = try #require(try store.queue { _ in .add(edit("1")) })
    let made = try store.queue { waiting in
      #expect(waiting == [first])
      return .add(edit("2"))
    }
    let second = try #require(made)
    #expect(try store.drop(second.id))
    #expect(try !store.drop(second.id))
    #expect(try #require(try store.queue { _ in .add(edit("3")) }).id > second.id)
    #expect(try store.edits().map(\.key) == ["1", "3"])
  }

  @Test func `a finished edit leaves the queue together with its row's new state`() throws {
    let bench = try Bench()
    let store = try bench.filled([customer(1, "Ada")])
    let queued = try #require(try store.queue { _ in .add(edit("1")) })
    try store.finish(queued, row: customer(1, "Ada", city: "Graz", tag: "W/\"2\""))
    let set = try #require(try store.set(named: "Customers"))
    #expect(try store.row("1", in: set)?.tag == "W/\"2\"")
    #expect(try store.edits().isEmpty)
    let gone = try #require(try store.queue { _ in .add(edit("1", .delete)) })
    try store.finish(gone, row: nil)
    #expect(try store.page(of: set, OfflineQuery()).total == 0)
  }

  @Test func `an edit that was dropped meanwhile does not come back`() throws {
    let store = try Bench().store
    var queued = try #require(try store.queue { _ in .add(edit("1")) })
    _ = try store.drop(queued.id)
    queued.attempts = 1
    try store.update(queued)
    #expect(try store.edits().isEmpty)
  }

  @Test func `an edit that follows a dropped one takes over its condition`() throws {
    let store = try Bench().store
    let first = try #require(try store.queue { _ in .add(edit("1")) })
    var next = edit("1")
    (next.tag, next.follows) = (nil, true)
    let following = next
    let second = try #require(try store.queue { _ in .add(following) })
    #expect(try store.drop(first.id))
    let left = try #require(try store.edit(second.id))
    #expect(left.tag == first.tag && !left.follows)
  }

  @Test func `facts are kept sealed, and forgotten`() throws {
    let bench = try Bench()
    try bench.store.keep(["state": "Casablanca"], named: "personalisation")
    #expect(try bench.store.fact("personalisation") == ["state": "Casablanca"])
    #expect(try bench.store.fact("nothing") == nil)
    for name in bench.directory.names {
      #expect(try !String(decoding: Files.read(bench.directory.file(name)), as: UTF8.self).contains("Casablanca"))
    }
    try bench.store.keep(nil, named: "personalisation")
    #expect(try bench.store.fact("personalisation") == nil)
  }

  @Test func `a visit sees every row once, with its edits, and ends when told`() throws {
    let store = try Bench().filled((1...5).map { customer($0, "N\($0)") })
    let set = try #require(try store.set(named: "Customers"))
    let overlay = OfflineOverlay(changed: ["2": customer(2, "changed"), "3": nil], added: [customer(9, "new")])
    var keys: [String] = []
    try store.visit(set, over: overlay) { row in
      keys.append(row.key + (row["name"] == "changed" ? "!" : ""))
      return true
    }
    #expect(keys == ["1", "2!", "4", "5", "9"])
    keys = []
    try store.visit(set) { row in
      keys.append(row.key)
      return keys.count < 2
    }
    #expect(keys == ["1", "2"])
  }

  @Test func `cleaning leaves sets that must be read again`() throws {
    let store = try Bench().filled([customer(1, "Ada")])
    _ = try store.queue { _ in .add(edit("1")) }
    try store.clean(keepingEdits: true)
    let set = try #require(try store.set(named: "Customers"))
    #expect(set.deltaLink == nil && set.synced == nil)
    #expect(try store.page(of: set, OfflineQuery()).total == 0 && store.edits().count == 1)
    try store.clean(keepingEdits: false)
    #expect(try store.edits().isEmpty)
  }

  @Test func `two connections queue at once and lose nothing`() async throws {
    let bench = try Bench()
    _ = try bench.store
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          let store = try bench.store
          for index in 0..<10 { _ = try store.queue { _ in .add(edit("\(worker)-\(index)")) } }
        }
      }
      try await group.waitForAll()
    }
    let edits = try bench.store.edits()
    #expect(edits.count == 40)
    #expect(Set(edits.map(\.id)).count == 40)
  }

  @Test func `nothing in the files can be read`() throws {
    let bench = try Bench()
    let store = try bench.filled((1...300).map { customer($0, "Byron-\($0)", city: "Casablanca") })
    _ = try store.queue { _ in .add(edit("7")) }
    for name in bench.directory.names {
      let bytes = try Files.read(bench.directory.file(name))
      let text = String(decoding: bytes, as: UTF8.self)
      for word in ["Byron", "Casablanca", "Customers", "deltatoken", "Graz", "W/\"1\"", "city"] {
        #expect(!text.contains(word), "\(word) in \(name)")
      }
      var status = stat()
      #expect(stat(bench.directory.file(name), &status) == 0 && status.st_mode & 0o077 == 0, "\(name)")
    }
  }

  @Test func `no changed byte is ever taken for data`() throws {
    let bench = try Bench()
    let rows = [customer(1, "Ada"), customer(2, "Bert")]
    do {
      let store = try bench.filled(rows)
      _ = try store.queue { _ in .add(edit("2")) }
      try store.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    let whole = try Files.read(bench.path)
    // Bytes of every part of the file: each one would take minutes.
    let step = getenv("ATRIUM_LONG_TESTS") == nil ? 41 : 1
    for index in stride(from: 0, to: whole.count, by: step) where whole[index] != 0 || index % 67 == 0 {
      var bytes = whole
      bytes[index] ^= 0x20
      for name in bench.directory.names { unlink(bench.directory.file(name)) }
      try Files.replace(bench.path, with: bytes)
      guard let store = try? bench.store else { continue }
      if let edits = try? store.edits() { #expect(edits.allSatisfy { $0.key == "2" && $0.properties.count == 1 }) }
      guard let set = try? store.set(named: "Customers"), let page = try? store.page(of: set, OfflineQuery()) else {
        continue
      }
      #expect(page.rows.allSatisfy(rows.contains), "byte \(index)")
    }
  }
}

@Suite struct OfflineQueryTests {
  private static let rows = [
    customer(10, "beta", city: "Linz"), customer(9, "Alpha", city: nil), customer(101, "Äther", city: "WIEN"),
    customer(2, "alphabet and a long tail B", city: "wieden"), customer(3, "alphabet and a long tail a", city: ""),
  ]

  private func keys(_ query: OfflineQuery, over overlay: OfflineOverlay = OfflineOverlay()) throws -> [String] {
    let store = try Bench().filled(Self.rows)
    let set = try #require(try store.set(named: "Customers"))
    return try store.page(of: set, query, over: overlay).rows.map(\.key)
  }

  @Test func `sorted by number, by text in any case, unknown ones last both ways`() throws {
    func sorted(_ name: String, _ reading: OfflineQuery.Reading = .text, down: Bool = false) throws -> [String] {
      try keys(OfflineQuery(sort: .init(name, reading, isDescending: down)))
    }
    #expect(try sorted("id", .number) == ["2", "3", "9", "10", "101"])
    #expect(try sorted("id", .number, down: true) == ["101", "10", "9", "3", "2"])
    #expect(try sorted("name") == ["9", "3", "2", "10", "101"])
    #expect(try sorted("city") == ["3", "10", "2", "101", "9"])
    #expect(try sorted("city", down: true) == ["101", "2", "10", "3", "9"])
  }

  @Test func `found by part of a text in any case, paged behind the filter`() throws {
    func found(_ name: String, _ text: String, offset: Int = 0, limit: Int = 9) throws -> [String] {
      try keys(OfflineQuery(filters: [.init(name, .text, contains: text)], offset: offset, limit: limit))
    }
    #expect(try found("city", "WIE") == ["101", "2"])
    #expect(try found("name", "ä") == ["101"])
    #expect(try found("name", "KÄ").isEmpty)
    #expect(try found("id", "10") == ["10", "101"])
    #expect(try found("name", "alpha", offset: 1, limit: 1) == ["2"])
    #expect(try found("nothing", "x").isEmpty)
  }

  @Test(arguments: [
    "Müller 77", "mu\u{308}ller 77", "MÜLLER", "7", "Kö", "ök 7", "kelvin \u{212A}ö", "\u{130}stanbul ö", "i", "café",
    "cafe\u{301}",
    "企業 7", "",
  ])
  func `what is outside ASCII is found as texts are compared`(_ words: String) {
    let cells = [
      "Ada Müller 77", "ada mu\u{308}ller 775", "Muller 77", "Kölner 7", "KELVIN kö", "\u{212A}ö", "Ö\u{212A} 77",
      "istanbul ö",
      "İstanbul ö",
      "Café", "CAFE\u{301} i", "企業 77 ö", "ö",
    ]
    for cell in cells {
      let isFound = Array(cell.utf8).withUnsafeBytes { OfflineText(words).isIn(.text($0), .text) }
      #expect(isFound == (words.isEmpty || cell.lowercased().contains(words.lowercased())), "“\(words)” in “\(cell)”")
    }
  }

  @Test func `edits that wait are seen where the row would stand`() throws {
    let overlay = OfflineOverlay(
      changed: ["9": customer(9, "zeta"), "10": nil], added: [customer(50, "mid")])
    #expect(
      try keys(OfflineQuery(sort: .init("id", .number, isDescending: false)), over: overlay)
        == ["2", "3", "9", "50", "101"])
    #expect(try keys(OfflineQuery(filters: [.init("name", .text, contains: "zeta")]), over: overlay) == ["9"])
  }

  @Test func `moments sort by time and are found as they are shown`() throws {
    let store = try Bench().filled(
      [5_000, 86_400_000, 1_000].map {
        OfflineRow(
          key: String($0), tag: nil, properties: [JSONNode.Member(key: "at", value: .string("/Date(\($0))/"))])
      })
    let set = try #require(try store.set(named: "Customers"))
    let reading = OfflineQuery.Reading.moment { text in
      Int64(text.dropFirst(6).dropLast(2)).map { Timestamp(milliseconds: $0) }
    }
    let sorted = try store.page(of: set, OfflineQuery(sort: .init("at", reading, isDescending: false)))
    #expect(sorted.rows.map(\.key) == ["1000", "5000", "86400000"])
    let found = try store.page(of: set, OfflineQuery(filters: [.init("at", reading, contains: "1970-01-02")]))
    #expect(found.rows.map(\.key) == ["86400000"])
  }

  /// More than one batch of rows, so that what threads found side by side has to be put together.
  @Test func `edits are seen among thousands of rows, each in its place`() throws {
    let count = 10_000
    let store = try Bench().filled((0..<count).map { customer($0, "A long enough name \($0 % 7)", city: "Wien") })
    let set = try #require(try store.set(named: "Customers"))
    let overlay = OfflineOverlay(
      changed: ["9": customer(9, "a"), "9000": nil, "9500": customer(9_500, "a long enough name Z")],
      added: [customer(20_000, "b"), customer(20_001, "c", city: nil)])
    let query = OfflineQuery(sort: .init("name", .text, isDescending: false))
    let keys = try store.page(of: set, query, over: overlay).rows.map(\.key)
    #expect(keys.count == count + 1 && Set(keys).count == count + 1)
    let names = (0..<7).flatMap { rest in (0..<count).filter { $0 % 7 == rest && ![9, 9_000, 9_500].contains($0) } }
    #expect(keys == ["9"] + names.map(String.init) + ["9500", "20000", "20001"])
    let filter = OfflineQuery.Filter("name", .text, contains: "Z")
    #expect(try store.page(of: set, OfflineQuery(filters: [filter]), over: overlay).rows.map(\.key) == ["9500"])
    let cities = OfflineQuery(sort: .init("city", .text, isDescending: true), offset: count - 1)
    #expect(try store.page(of: set, cities, over: overlay).rows.map(\.key) == ["20000", "20001"])
  }

  @Test func `thousands of rows are searched and sorted as a few are`() throws {
    let count = 3_000
    let store = try Bench().filled((0..<count).map { customer($0, "Name \($0 &* 7919 % 3_001)", city: "Wien") })
    let set = try #require(try store.set(named: "Customers"))
    let sorted = try store.page(of: set, OfflineQuery(sort: .init("name", .text, isDescending: false)))
    let names = sorted.rows.compactMap { row -> String? in
      guard case .string(let name)? = row["name"] else { return nil }
      return name.lowercased()
    }
    #expect(names.count == count && names == names.sorted())
    let found = try store.page(of: set, OfflineQuery(filters: [.init("name", .text, contains: "NAME 42")], limit: 5))
    #expect(found.total == 11 && found.rows.count == 5)
  }
}
