import Model
import TestKit
import Testing

@testable import Screens

@Suite struct ChartTests {
  @Test(arguments: [
    ([Int64(0), 100], 4, true, [Int64(0), 50, 100]), ([7, 93], 5, true, [0, 20, 40, 60, 80, 100]),
    ([-30, 90], 4, true, [-50, 0, 50, 100]), ([5, 5], 3, false, [5, 6]), ([0, 0], 3, true, [0, 1]),
    ([120_450, 250_000], 3, false, [100_000, 150_000, 200_000, 250_000]), ([], 3, true, [0, 1]),
    ([Int64.min, Int64.max], 1, true, [Int64.min, 0, Int64.max]),
  ])
  func `numbers at the axis are round and hold all values`(
    _ values: [Int64], _ steps: Int, _ fromZero: Bool, _ ticks: [Int64]
  ) {
    let scale = ChartScale(values, steps: steps, fromZero: fromZero)
    #expect(scale.ticks == ticks)
    for value in values { #expect((0...1).contains(scale.place(of: value))) }
  }

  @Test(arguments: [
    (Int64(120_450), Chart.Unit.money(currency: "EUR", decimals: 2), "1,204.50 EUR", "1,204.50"),
    (-5_000_000, .money(currency: "JPY", decimals: 0), "-5,000,000 JPY", "-5000k"),
    (2_500_000, .money(currency: "EUR", decimals: 2), "25,000.00 EUR", "25k"),
    (1_234_567, .bytes, "1.2 MB (1,234,567 bytes)", "1.2 MB"), (12, .bytes, "12 bytes", "12 B"),
    (1_204, .milliseconds, "1,204 ms", "1.2 s"), (12_345, .count, "12,345", "12,345"),
    (50_000_000, .count, "50,000,000", "50M"),
  ])
  func `a value is exact under the cursor and short at the axis`(
    _ value: Int64, _ unit: Chart.Unit, _ exact: String, _ short: String
  ) {
    #expect(ChartText.value(value, unit) == exact)
    #expect(ChartText.short(value, unit) == short)
  }

  @Test func `a line goes from dot to dot`() {
    var grid = BrailleGrid(columns: 2, rows: 1)
    grid.line(from: (0, 3), to: (3, 0), owner: 1) { _, _ in true }
    #expect(grid[0, 0]?.text == "⡠")
    #expect(grid[1, 0]?.text == "⠊")
    #expect(grid[0, 0]?.owner == 1)
    grid.set(9, 9, owner: 0)
    #expect(BrailleGrid(columns: 1, rows: 1)[0, 0] == nil)
  }

  @Test func `rows make charts of their own, and only of what they hold`() {
    let transactions = Samples.transactionListing(from: 0, count: 60, next: nil)
    let charts = RowCharts(transactions.columns, transactions.rows, isPart: true).charts
    #expect(charts.map(\.title) == ["In and out by month, EUR", "Balance over time, EUR"])
    #expect(charts[0].notices == ["of the first 60 rows"])
    let sum = transactions.rows.reduce(Int64(0)) { sum, row in
      if case .money(let money) = row.values[4] { return sum + money.units }
      return sum
    }
    let drawn = zip(charts[0].series[0].points, charts[0].series[1].points).reduce(Int64(0)) {
      $0 + $1.0.value - $1.1.value
    }
    #expect(drawn == sum)
    // Newest rows come first, the course runs the other way.
    #expect(charts[1].series[0].points.first?.label ?? "" < charts[1].series[0].points.last?.label ?? "")
    let accounts = RowCharts(Samples.accountColumns, Samples.accountRows, isPart: false).charts
    #expect(accounts.map(\.title) == ["Balance, EUR", "Balance, GBP", "Balance, JPY", "Balance, KWD"])
    #expect(RowCharts([Column("id", "Id")], [], isPart: false).charts.isEmpty)
  }

  @Test func `v goes from the table to the chart and back`() {
    var stage = Stage(connections: GoldenTests.chartConnections)
    stage.open(Samples.accounts, .listing)
    stage.reply(.listing(Samples.accountListing(), isFinal: true))
    stage.press(.character("v"))
    guard case .charts(Samples.accounts) = stage.asked.last?.request else {
      Issue.record("asked \(String(describing: stage.asked.last))")
      return
    }
    stage.reply(.charts([Samples.payeesChart]))
    #expect(stage.text.contains("Spending by payee"))
    #expect(stage.text.contains("chart 1 of 5"))
    stage.press(.character("v"))
    #expect(stage.app.top is ListingScreen)
  }

  @Test func `where the back end draws nothing the rows are drawn, and where they hold no numbers nothing is`() {
    var stage = Stage(connections: GoldenTests.chartConnections)
    stage.open(Samples.accounts, .listing)
    stage.reply(.listing(Samples.accountListing(), isFinal: true))
    stage.press(.character("v"))
    stage.reply(.failure(.notOffered("draw it")))
    #expect(stage.text.contains("Balance, EUR"))
    var plain = Stage()
    plain.open(Samples.accounts, .listing)
    plain.reply(
      .listing(
        Listing(
          Samples.accounts, title: "", columns: [Column("id", "Id")],
          rows: [
            Row(Samples.accounts, [.text("x")])
          ]), isFinal: true))
    plain.press(.character("v"))
    #expect(plain.text.contains("“view” is off"))
  }

  @Test func `the cursor goes over all values and privacy hides them`() {
    var stage = Stage(connections: GoldenTests.chartConnections)
    GoldenTests.draw(&stage, [Samples.balanceChart])
    #expect(stage.text.contains("2026-11-30"))
    stage.press(.home)
    #expect(stage.text.contains("2025-12-01"))
    stage.press(.right, .character("j"), .left)
    #expect(stage.text.contains("2025-12-02"))
    stage.press(.character("m"))
    #expect(!stage.text.contains("2025-12-02") && stage.text.contains("▒▒▒▒-▒▒-▒▒"))
  }

  @Test func `a click goes to the value under it, and y copies all values exactly`() {
    var stage = Stage(connections: GoldenTests.chartConnections)
    GoldenTests.draw(&stage, [Samples.payeesChart])
    _ = stage.app.handle(.mouse(Mouse(.press, column: 4, row: 5)), stage.now)
    #expect((stage.app.top as? ChartScreen)?.point == 1)
    stage.press(.character("y"), .end, .enter)
    let copied = stage.effects.compactMap { if case .copy(let text, _) = $0 { text } else { nil } }.last
    #expect(copied?.hasPrefix("label\tSpent\nRail AG\t482.13\nCorner Shop\t310.05\n") == true)
  }
}
