import Model
import TestKit
import Testing

@testable import Service

@Suite(.bounded) struct ArrangementTests {
  private func numbers(_ listing: Listing) -> [Int] {
    listing.rows.compactMap { if case .integer(let number) = $0.values[0] { Int(number) } else { nil } }
  }

  private func service(_ count: Int, most: Int = 100) throws -> (ServiceLayer, StubBackend) {
    let stub = StubBackend { $0.list = StubBackend.numbers(count, most: most) }
    return (try Harness(stub).service, stub)
  }

  @Test func `a limit takes as many pages as it needs`() async throws {
    let (service, stub) = try service(1000)
    let listing = try await service.arranged(banks, Arrangement(limit: 250))
    #expect(numbers(listing) == Array(0..<250))
    #expect(stub.count(of: "list") == 3)
    let rest = try await service.arranged(banks, Arrangement(limit: 3, cursor: listing.next))
    #expect(numbers(rest) == [250, 251, 252])
  }

  @Test func `all takes every page`() async throws {
    let (service, _) = try service(1234)
    let listing = try await service.arranged(banks, Arrangement(limit: nil))
    #expect(numbers(listing) == Array(0..<1234))
    #expect(listing.next == nil)
  }

  @Test(arguments: [1, 7, 99, 100, 101])
  func `walking with next sees every row once, whatever the limit`(_ limit: Int) async throws {
    let (service, _) = try service(205)
    var seen: [Int] = []
    var cursor: String?
    repeat {
      let listing = try await service.arranged(
        banks, Arrangement(limit: limit, cursor: cursor, filters: [.init(column: "name", text: "ROW 3")]))
      #expect(listing.rows.count <= limit)
      seen += numbers(listing)
      cursor = listing.next
    } while cursor != nil
    #expect(seen == (0..<205).filter { 6 - $0 % 7 == 3 })
  }

  @Test func `sorting by a column the server cannot sort loads everything before the limit counts`() async throws {
    let (service, _) = try service(205)
    let down = Sort(column: "id", isDescending: true)
    let first = try await service.arranged(banks, Arrangement(limit: 3, sort: down))
    #expect(numbers(first) == [204, 203, 202])
    #expect(first.total == .exact(205))
    let second = try await service.arranged(banks, Arrangement(limit: 2, cursor: first.next, sort: down))
    #expect(numbers(second) == [201, 200])
    let byName = try await service.arranged(banks, Arrangement(limit: 2, sort: Sort(column: "name")))
    #expect(numbers(byName) == [6, 13])
  }

  @Test func `a server that sorts and filters itself is believed`() async throws {
    let stub = StubBackend { script in
      script.list = { location, query throws(ServiceError) in
        var listing = try await StubBackend.numbers(3)(location, query)
        listing.sortedBy = query.sort
        listing.filteredBy = ["name"]
        return listing
      }
    }
    let service = try Harness(stub).service
    let down = Sort(column: "id", isDescending: true)
    let listing = try await service.arranged(
      banks, Arrangement(limit: 3, sort: down, filters: [.init(column: "name", text: "?")]))
    #expect(numbers(listing) == [0, 1, 2])
  }

  @Test func `an unknown column is a mistake that names the others`() async throws {
    let (service, _) = try service(3)
    let error = await failure { () async throws(ServiceError) in
      try await service.arranged(banks, Arrangement(sort: Sort(column: "nmae")))
    }
    #expect(error?.code == .usage)
    #expect(error?.remedy?.contains("id, name") == true)
  }

  @Test(arguments: [nil, 50]) func `pages that lead in a circle end`(_ limit: Int?) async throws {
    let stub = StubBackend { script in
      script.list = { location, query throws(ServiceError) in
        var listing = try await StubBackend.numbers(2)(location, ListQuery())
        listing.next = query.cursor == "a" && limit == nil ? "b" : "a"
        return listing
      }
    }
    let service = try Harness(stub).service
    let error = await failure { () async throws(ServiceError) in
      try await service.arranged(banks, Arrangement(limit: limit))
    }
    #expect(error?.code == .unreadable)
  }

  @Test func `loading everything is bounded`() async throws {
    let (service, _) = try service(1000)
    var rows = 0
    let error = await failure { () async throws(ServiceError) in
      try await service.arranged(banks, Arrangement(limit: nil), bounds: PageBounds(rows: 250)) {
        rows += $0.rows.count
      }
    }
    #expect(error?.code == .tooLarge)
    #expect(rows == 300)
  }

  @Test func `no rows at all still gives the columns`() async throws {
    let (service, _) = try service(10)
    let listing = try await service.arranged(banks, Arrangement(limit: 0))
    #expect(listing.columns.count == 2)
    #expect(listing.rows.isEmpty)
    #expect(listing.next != nil)
  }

  @Test(arguments: ["sorted:5", "within:3:50:", "within:0:0:a:b", "page-2", "sorted:x", "within:a:b:c"])
  func `a cursor survives its text`(_ text: String) {
    let cursor = PageCursor(text)
    if case .page(text, 0, nil) = cursor { return }
    #expect(cursor.text == text)
  }

  @Test func `values are ordered by what they mean`() {
    let column: [Value] = [
      .money(Money(units: 1050, decimals: 2, currency: "EUR")), .null,
      .money(Money(units: 9, decimals: 0, currency: "JPY")),
      .money(Money(units: -5, decimals: 3, currency: "KWD")), .decimal("9.5"), .integer(10),
    ]
    let rows = column.enumerated().map { Row(banks.appending("\($0)"), [$1]) }
    func order(_ descending: Bool) -> [String] {
      RowOrder.sorted(rows, by: 0, descending: descending).map { $0.location.path.last ?? "" }
    }
    #expect(order(false) == ["3", "2", "4", "5", "0", "1"])
    #expect(order(true) == ["0", "5", "4", "2", "3", "1"])
  }
}
