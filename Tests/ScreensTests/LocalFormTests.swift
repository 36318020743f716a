import Model
import Testing

@testable import Screens

@Suite struct LocalFormTests {
  private let german = LocalForm(
    decimal: ",", group: ".",
    months: ["Jan", "Feb", "Mär", "Apr", "Mai", "Jun", "Jul", "Aug", "Sept", "Okt", "Nov", "Dez"])

  @Test(arguments: [
    ("1204.50", "1.204,50"), ("-1234567.891", "-1.234.567,891"), ("12", "12"), ("0.05", "0,05"), ("n/a", "n/a"),
  ]) func `amounts follow the locale`(_ exact: String, _ shown: String) {
    LocalForm.$current.withValue(german) { #expect(Format.grouped(exact) == shown) }
  }

  @Test func `months follow the locale and stay three columns wide`() {
    let time = Timestamp(milliseconds: 1_772_443_800_000)
    LocalForm.$current.withValue(german) {
      #expect(LocalTime.utc.long(time) == "2 Mär 2026 09:30:00 UTC")
      #expect(LocalTime.utc.short(time, now: Timestamp(milliseconds: 1_790_000_000_000)) == " 2 Mär 09:30")
      let autumn = LocalTime.utc.short(
        Timestamp(milliseconds: 1_789_000_000_000), now: Timestamp(milliseconds: 1_791_000_000_000))
      #expect(TextWidth.columns(of: autumn) == 12)
    }
  }

  @Test func `sizes and rates have the locale's decimal point`() {
    LocalForm.$current.withValue(german) { #expect(Format.size(1_234_567) == "1,2 MB") }
  }

  @Test func `amounts line up at the locale's decimal point`() {
    let column = Column("balance", "Balance", .amount)
    let money = Value.money(Money(units: 120_450, decimals: 2, currency: "EUR"))
    LocalForm.$current.withValue(german) {
      let cell = CellForm(money, in: column, World())
      #expect(cell.text == "1.204,50")
      #expect(cell.fraction == 3)
    }
    let yen = Value.money(Money(units: 120_450, decimals: 0, currency: "JPY"))
    LocalForm.$current.withValue(german) { #expect(CellForm(yen, in: column, World()).fraction == 0) }
  }
}
