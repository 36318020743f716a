import Model
import Testing

@testable import Screens

@Suite struct ListingTests {
  private static func stage(_ listing: Listing, size: Size = Size(columns: 80, rows: 24)) -> Stage {
    var stage = Stage(size)
    stage.open(listing.location, .listing)
    stage.reply(.listing(listing, isFinal: true))
    return stage
  }

  private static func screen(_ stage: Stage) -> ListingScreen? { stage.app.top as? ListingScreen }

  /// What the screen on top asked for; completion at the command line asks for other places.
  private static func listQueries(_ stage: Stage) -> [ListQuery] {
    stage.asked.compactMap { asked in
      guard case .list(let location, let query, _) = asked.request, location == stage.app.top?.crumb.location else {
        return nil
      }
      return query
    }
  }

  @Test func `the next page is asked for before the end comes into view`() {
    var stage = Self.stage(Samples.transactionListing(from: 0, count: 50, next: "p2"))
    #expect(Self.listQueries(stage).map(\.cursor) == [nil])
    stage.press(.pageDown)
    #expect(Self.listQueries(stage).map(\.cursor) == [nil, "p2"])
    // Asked once, however much one scrolls meanwhile.
    stage.press(.end, .pageUp, .end)
    #expect(Self.listQueries(stage).count == 2)
    stage.reply(.listing(Samples.transactionListing(from: 50, count: 50, next: nil), isFinal: true))
    #expect(Self.screen(stage)?.table.rows.count == 100)
  }

  @Test func `the end is the last known row and says what is known`() {
    var stage = Self.stage(Samples.transactionListing(from: 0, count: 500, next: "p2"))
    stage.press(.end)
    #expect(Self.screen(stage)?.table.scroller.selected == 499)
    #expect(stage.text.contains("first 500 of many"))
  }

  @Test func `loading all goes on page after page and can be stopped`() {
    var stage = Self.stage(Samples.transactionListing(from: 0, count: 50, next: "p2"))
    stage.press(.character("L"))
    stage.reply(.listing(Samples.transactionListing(from: 50, count: 50, next: "p3"), isFinal: true))
    #expect(Self.listQueries(stage).last?.cursor == "p3")
    stage.press(.control("c"))
    stage.reply(.listing(Samples.transactionListing(from: 100, count: 50, next: "p4"), isFinal: true))
    #expect(Self.screen(stage)?.table.rows.count == 100)
  }

  @Test func `a refresh keeps the selected row by what it is`() {
    var stage = Self.stage(Samples.accountListing())
    stage.press(.down, .down, .character("r"))
    var listing = Samples.accountListing()
    listing.rows.insert(Samples.account("new", .text("New"), "1", .null, "CURRENT", .null), at: 0)
    stage.reply(.listing(listing, isFinal: true))
    #expect(Self.screen(stage)?.table.selected?.location == Samples.accountRows[2].location)
    #expect(Self.screen(stage)?.table.scroller.selected == 3)
  }

  @Test func `a refresh of a long list shows its rows when all are there again`() {
    var stage = Self.stage(Samples.transactionListing(from: 0, count: 50, next: "p2"))
    stage.press(.pageDown)
    stage.reply(.listing(Samples.transactionListing(from: 50, count: 50, next: "p3"), isFinal: true))
    stage.press(.end)
    // The third page, asked for at the end, is withdrawn by the refresh.
    stage.press(.character("r"))
    stage.reply(.listing(Samples.transactionListing(from: 0, count: 50, next: "p2"), isFinal: true))
    #expect(Self.screen(stage)?.table.rows.count == 100)
    #expect(Self.screen(stage)?.table.scroller.selected == 99)
    stage.reply(.listing(Samples.transactionListing(from: 50, count: 50, next: nil), isFinal: true))
    #expect(Self.screen(stage)?.table.rows.count == 100)
    #expect(Self.screen(stage)?.table.scroller.selected == 99)
  }

  @Test func `a late answer is dropped`() {
    var stage = Self.stage(Samples.accountListing())
    stage.press(.character("r"))
    let first = stage.asked.last?.id
    stage.press(.character("r"))
    guard let first else { return }
    _ = stage.app.take(
      .listing(Samples.transactionListing(from: 0, count: 1, next: nil), isFinal: true), for: first, stage.now)
    #expect(Self.screen(stage)?.table.rows.count == Samples.accountRows.count)
  }

  @Test func `Esc clears the filter, then the marks, then goes back`() {
    var stage = Self.stage(Samples.accountListing())
    stage.press(.character(" "), .character("/"))
    stage.type("savings")
    #expect(Self.screen(stage)?.table.count == 2)
    stage.press(.enter, .escape)
    #expect(Self.screen(stage)?.table.count == Samples.accountRows.count)
    #expect(Self.screen(stage)?.table.marks.count == 1)
    stage.press(.escape)
    #expect(Self.screen(stage)?.table.marks.isEmpty == true)
    stage.press(.escape)
    #expect(Self.screen(stage) == nil)
    // At the top Esc does nothing more.
    stage.press(.escape, .escape)
    #expect(stage.app.top is ConnectionsScreen)
    #expect(!stage.effects.contains { if case .quit = $0 { true } else { false } })
  }

  @Test func `Esc in the prompt takes the filter back`() {
    var stage = Self.stage(Samples.accountListing())
    stage.press(.character("/"))
    stage.type("sav")
    stage.press(.escape)
    #expect(Self.screen(stage)?.table.count == Samples.accountRows.count)
    #expect(Self.screen(stage)?.takesText == false)
  }

  @Test(arguments: [
    ("savings", 2), ("SAVINGS holiday", 1), ("企業", 1), ("102", 1), ("1,204.50", 1), ("1204.5", 1), ("nothing here", 0),
    ("", 9), ("  ", 9), ("ménage", 1),
  ])
  func `a filter finds any word in any column`(_ text: String, _ count: Int) {
    var stage = Self.stage(Samples.accountListing())
    stage.press(.character("/"))
    stage.app.world.now = stage.now
    _ = stage.app.handle(.paste(text), stage.now)
    #expect(Self.screen(stage)?.table.count == count)
  }

  private static let manyRows = Samples.transactionListing(from: 0, count: 55_000, next: nil)

  @Test func `a filter over many rows works in slices and ends complete`() {
    var stage = Self.stage(Self.manyRows)
    stage.press(.character("/"))
    _ = stage.app.handle(.paste("rail"), stage.now)
    #expect(Self.screen(stage)?.table.isFiltering == true)
    while Self.screen(stage)?.table.isFiltering == true { stage.wait(milliseconds: 1) }
    #expect(Self.screen(stage)?.table.count == 11_000)
  }

  @Test func `many rows are sorted elsewhere and stand as they stood until then`() throws {
    var stage = Self.stage(Self.manyRows)
    stage.press(.character("S"))
    #expect(stage.text.contains("sorting"))
    #expect(Self.screen(stage)?.table.row(at: 0)?.location == Self.manyRows.rows[0].location)
    let asked = stage.effects.compactMap { effect in
      if case .compute(let id, let work) = effect { (id: id, work: work) } else { nil }
    }
    let first = try #require(asked.last)
    stage.press(.character("S"))
    #expect(stage.effects.contains { if case .cancel(first.id) = $0 { true } else { false } })
    _ = stage.app.take(first.work(), for: first.id, stage.now)
    #expect(stage.text.contains("sorting"), "a late order is not taken")
    stage.press(.character("S"))
    let again = stage.effects.compactMap { effect in
      if case .compute(let id, let work) = effect { (id: id, work: work) } else { nil }
    }
    let last = try #require(again.last)
    #expect(last.id != first.id)
    _ = stage.app.take(last.work(), for: last.id, stage.now)
    #expect(!stage.text.contains("sorting"))
    let table = try #require(Self.screen(stage)?.table)
    let column = try #require(table.columns.firstIndex { $0.id == table.sort?.column })
    let times = (0..<200).compactMap { table.row(at: $0)?.values[column].exactText }
    #expect(times == (table.sort?.isDescending == true ? times.sorted(by: >) : times.sorted()))
    #expect(times.first != Self.manyRows.rows[0].values[column].exactText || table.sort?.isDescending == true)
  }

  @Test func `sorting goes through the columns, back to the server's order, and reverses`() {
    var stage = Self.stage(Samples.accountListing())
    for _ in 0..<4 { stage.press(.character("s")) }
    #expect(Self.screen(stage)?.table.sort == Sort(column: "balance"))
    #expect(Self.screen(stage)?.table.row(at: 0)?.values[2] == .text("Ménage «commun» 👪"))
    // What is not said comes last in both directions.
    #expect(Self.screen(stage)?.table.row(at: 8)?.values.last == .null)
    stage.press(.character("S"))
    #expect(Self.screen(stage)?.table.sort?.isDescending == true)
    #expect(Self.screen(stage)?.table.row(at: 8)?.values.last == .null)
    stage.press(.character("s"))
    #expect(Self.screen(stage)?.table.sort == nil)
    #expect(Self.screen(stage)?.table.row(at: 0)?.location == Samples.accountRows[0].location)
  }

  @Test func `a part of a list is sorted by the server where it can`() {
    var listing = Samples.fileListing()
    listing.next = "p2"
    var stage = Self.stage(listing)
    stage.press(.character("s"))
    #expect(Self.listQueries(stage).last?.sort == Sort(column: "name"))
    stage.reply(.listing(listing, isFinal: true))
    stage.press(.character("s"))
    stage.reply(.listing(listing, isFinal: true))
    #expect(Self.listQueries(stage).last?.sort == nil)
    #expect(stage.text.contains("sorted within"))
  }

  @Test func `a failure behind a cached page keeps the page and says so`() {
    var stage = Stage()
    stage.open(Samples.accounts, .listing)
    var listing = Samples.accountListing()
    listing.freshness = .cached(Samples.now.adding(seconds: -12))
    stage.reply(.listing(listing, isFinal: false))
    stage.reply(.failure(GoldenTests.failure))
    #expect(stage.text.contains("cached 12 s"))
    #expect(stage.text.contains("Everyday account"))
  }

  @Test func `r tries again after a failure`() {
    var stage = Stage()
    stage.open(Samples.accounts, .listing)
    stage.reply(.failure(GoldenTests.failure))
    let before = stage.asked.count
    stage.press(.character("r"))
    #expect(stage.asked.count == before + 1)
    stage.reply(.listing(Samples.accountListing(), isFinal: true))
    #expect(stage.text.contains("Everyday account"))
  }

  @Test func `the preview asks when the selection has come to rest`() {
    var stage = Self.stage(Samples.accountListing(), size: Size(columns: 120, rows: 40))
    let before = stage.asked.count
    stage.press(.down, .down, .down)
    stage.wait(milliseconds: 100)
    #expect(stage.asked.count == before)
    stage.wait(milliseconds: 100)
    #expect(stage.asked.count == before + 1)
    guard case .item(let location, isRefresh: false) = stage.asked.last?.request else {
      Issue.record("asked for something else")
      return
    }
    #expect(location == Samples.accountRows[3].location)
  }

  @Test func `what has gone from a list leaves none of its actions behind`() {
    var stage = Self.stage(Samples.accountListing(), size: Size(columns: 120, rows: 40))
    stage.wait(milliseconds: 200)
    stage.reply(.item(Samples.accountItem, isFinal: true))
    stage.press(.character("a"))
    #expect(stage.text.contains("Close the account") && stage.text.contains("Open an account"))
    stage.press(.escape, .character("r"))
    stage.reply(
      .listing(Listing(Samples.accounts, title: "Accounts", columns: Samples.accountColumns, rows: []), isFinal: true))
    stage.press(.character("a"))
    #expect(!stage.text.contains("Close the account"))
  }

  @Test func `privacy leaves nothing of what is private on the screen`() {
    var stage = Self.stage(Samples.accountListing(), size: Size(columns: 200, rows: 40))
    stage.press(.character("m"))
    for secret in ["Everyday", "DE8937", "1,204"] {
      #expect(!stage.text.contains(secret), "\(secret) is seen")
    }
    #expect(stage.text.contains("CURRENT"))
  }

  @Test func `a count repeats a key`() {
    var stage = Self.stage(Samples.transactionListing(from: 0, count: 100, next: nil))
    stage.type("12j")
    #expect(Self.screen(stage)?.table.scroller.selected == 12)
    stage.type("3k")
    #expect(Self.screen(stage)?.table.scroller.selected == 9)
  }

  @Test func `the mouse selects, opens and scrolls`() {
    var stage = Self.stage(Samples.accountListing())
    _ = stage.app.handle(.mouse(Mouse(.press, column: 5, row: 4)), stage.now)
    #expect(Self.screen(stage)?.table.scroller.selected == 2)
    _ = stage.app.handle(.mouse(Mouse(.doublePress, column: 5, row: 4)), stage.now)
    #expect((stage.app.top as? DetailScreen)?.location == Samples.accountRows[2].location)
  }
}
