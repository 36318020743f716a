import Model
import Screens

/// Lists of a thousand to a million rows, seen from where the browser stands: events in, a drawn screen out.
///
/// How a list keeps its rows is its own affair. It gets them page by page, as a server would send them, is asked to
/// filter, sort and jump by the commands behind the keys, and has to draw what came of it.
enum ListBench {
  fileprivate static let page = 10_000

  static func run(_ scale: Scale) async throws {
    for rows in scale.isQuick ? [1_000] : [1_000, 10_000, 100_000, 1_000_000] {
      try measure(rows: rows, runs: rows > 100_000 ? 3 : 5)
    }
  }

  private static func measure(rows: Int, runs: Int) throws {
    var (memory, loading) = (Samples("list.\(rows).memory B/row"), Samples("list.\(rows).load ms"))
    var (filter, narrow) = (Samples("list.\(rows).filter ms"), Samples("list.\(rows).narrow ms"))
    var (text, number) = (Samples("list.\(rows).sortText ms"), Samples("list.\(rows).sortAmount ms"))
    var (jump, move) = (Samples("list.\(rows).jump ms"), Samples("list.\(rows).move ms"))
    let before = residentBytes()
    var list = BenchList()
    loading.add(try milliseconds { try list.load(rows) { TransactionRows.page(from: $0, count: $1, of: rows) } })
    memory.add(Double(max(0, residentBytes() - before)) / Double(rows))
    for _ in 0..<runs {
      jump.add(milliseconds { list.press(.last) })
      jump.add(milliseconds { list.press(.first) })
      for _ in 0..<20 { move.add(milliseconds { list.press(.down) }) }
      // Letters that many rows have, then a word that few have.
      filter.add(try milliseconds { try list.filter("m") })
      narrow.add(try milliseconds { try list.filter("mar") })
      list.clearFilter()
      text.add(sorting(&list, by: "counterparty"))
      number.add(sorting(&list, by: "amount"))
    }
    for samples in [memory, loading, filter, narrow, text, number, jump, move] { samples.report() }
  }

  private static func sorting(_ list: inout BenchList, by column: String) -> Double {
    list.show(column)
    let time = milliseconds { list.press(.sort) }
    list.press(.sort)  // Back to the order in which they came.
    list.show(nil)
    return time
  }

  private static func milliseconds(_ work: () throws -> Void) rethrows -> Double { try microseconds(work) / 1000 }
}

/// A list screen without a browser around it.
private struct BenchList {
  private var screen = ListingScreen(TransactionRows.place)
  private var world: World
  private var serial = 0
  private var typed = ""

  init() {
    world = World(now: Timestamp(seconds: 1_796_030_100), size: Size(columns: 120, rows: 40))
    world.connections = [ConnectionInfo(name: "bank", kind: .openbank)]
  }

  /// Everything that follows from an event, and the frame at its end; what the browser would do on another thread is done
  /// at once.
  private mutating func send(_ event: ScreenEvent) {
    var effects = screen.handle(event, world)
    while screen.deadline(world) == world.now { effects += screen.handle(.deadline, world) }
    var results: [ScreenEvent] = []
    for effect in effects {
      switch effect {
      case .ask(let request, .list): serial = request.serial
      case .compute(let request, let work): results.append(.reply(serial: request.serial, work()))
      default: break
      }
    }
    draw()
    for result in results { send(result) }
  }

  private func draw() {
    var buffer = CellBuffer(size: world.size)
    screen.render(into: &buffer, area: world.body, world: world)
  }

  /// Loads all rows by its own requests, page after page.
  mutating func load(_ rows: Int, page: (_ start: Int, _ count: Int) -> Listing) throws {
    send(.appeared)
    var start = 0
    while start < rows {
      let count = min(start == 0 ? 500 : ListBench.page, rows - start)
      let asked = serial
      send(.reply(serial: asked, .listing(page(start, count), isFinal: true)))
      start += count
      if start < rows, serial == asked { send(.command(.loadAll, times: 1)) }
      guard start == rows || serial != asked else { throw Broken("the list asks for no further page") }
    }
    send(.command(.view, times: 1))  // The preview is another matter.
  }

  mutating func press(_ command: Command) { send(.command(command, times: 1)) }

  /// Types a filter that begins with what is typed already, letter by letter.
  mutating func filter(_ text: String) throws {
    if !screen.takesText { send(.command(.filter, times: 1)) }
    guard screen.takesText, text.hasPrefix(typed) else { throw Broken("the list takes no filter") }
    for letter in text.dropFirst(typed.count) { send(.key(.character(letter))) }
    typed = text
  }

  mutating func clearFilter() {
    typed = ""
    send(.key(.escape))
  }

  /// Lets one column be seen alone, so that the key for the next order means it.
  mutating func show(_ column: String?) {
    send(.arranged(column.map { ColumnArrangement([ColumnArrangement.Choice($0)]) }))
  }
}

/// Invented transactions like those of the sandbox's bank.
private enum TransactionRows {
  static let place = Location(connection: "bank", path: ["banks", "rbs", "accounts", "a1", "transactions"])
  private static let columns = [
    Column("id", "Id", rank: 6), Column("completed", "Booked", .time, rank: 0, isSortable: true),
    Column("description", "Description", rank: 1), Column("counterparty", "Counterparty", rank: 1, isPrivate: true),
    Column("amount", "Amount", .amount, rank: 0, isPrivate: true), Column("currency", "Currency", .currency, rank: 2),
    Column("balance", "Balance", .amount, rank: 3, isPrivate: true), Column("type", "Type", rank: 4),
  ]
  private static let names = [
    "Martin's Bakery", "City Transport", "Okafor & Sons", "Müller Buchhandlung", "企業口座", "Harbour Rent", "Lindqvist",
    "Telephone Co", "Green Market", "Studio Zoë",
  ]
  private static let purposes = ["Groceries", "Monthly ticket", "Rent", "Invoice", "Coffee", "Books", "Refund"]

  static func page(from start: Int, count: Int, of total: Int) -> Listing {
    let rows = (start..<start + count).map(row)
    let end = start + count
    return Listing(
      place, title: "Transactions", columns: columns, rows: rows, next: end < total ? "\(end)" : nil,
      total: .exact(total))
  }

  private static func row(_ index: Int) -> Row {
    // A multiplicative hash scatters what would else be in order.
    let dice = Int((UInt64(index) &* 0x9E37_79B9_7F4A_7C15) >> 33)
    let id = "tx-\(String(dice, radix: 36))-\(index)"
    let amount = Int64(dice % 900_000) - 500_000
    return Row(
      place.appending(id),
      [
        .text(id), .time(Timestamp(seconds: 1_796_030_100 - Int64(index) * 61)),
        .text("\(purposes[dice % purposes.count]) \(dice % 9_973)"), .text(names[dice / 7 % names.count]),
        .money(Money(units: amount, decimals: 2, currency: "EUR")), .text("EUR"),
        .money(Money(units: Int64(dice % 5_000_000), decimals: 2, currency: "EUR")), .text("SEPA"),
      ])
  }
}
