import JSON
import Model

extension OpenBankBackend {
  private static let rateColumns = [
    Column("id", "Pair", rank: 0), Column("from", "From", .currency, rank: 2), Column("to", "To", .currency, rank: 2),
    Column("rate", "Rate", .decimal, rank: 0), Column("inverse", "Inverse", .decimal, rank: 1),
    Column("effective", "Effective", .date, rank: 2),
  ]
  /// Asked for beside the bank's own, and instead of them where the server names none (before version 5.1.0).
  private static let commonCurrencies = ["EUR", "GBP", "USD", "CHF", "JPY", "SEK", "DKK", "PLN"]
  private static let ratesAtOnce = 6

  /// What one currency is worth in each other one; a call for each pair, a few at a time.
  func rates(_ location: Location, _ query: ListQuery, _ bank: String, base: String?) async throws(ServiceError)
    -> Listing
  {
    let own = try await currencies(of: bank)
    let base = base ?? own.first ?? "EUR"
    guard OpenBankBackend.isCurrency(base) else { throw .notFound(location) }
    // A bank names the currencies of its accounts; people want to know what those are worth elsewhere, too.
    let others = (own + OpenBankBackend.commonCurrencies.filter { !own.contains($0) }).filter { $0 != base }
    let page = try LocalPages(others.count, query)
    let results = await gather(Array(others[page.range]), atMost: OpenBankBackend.ratesAtOnce) { other in
      await rate(bank, base, other)
    }
    var rows: [Row] = []
    var unknown = 0
    for result in results {
      switch result {
      case .success(let answer):
        rows.append(Row(rateLocation(location, bank, answer.root), rateValues(answer.root)))
      // A pair that has no rate is no reason to show none of them.
      case .failure(let error) where error.code == .failed || error.code == .notFound: unknown += 1
      case .failure(let error): throw error
      }
    }
    // One currency without a single rate is none that this bank knows.
    if rows.isEmpty, unknown == others.count, unknown > 0 { throw .notFound(location) }
    return Listing(
      location, title: "Exchange rates of \(base)", columns: OpenBankBackend.rateColumns, rows: rows, next: page.next,
      notices: unknown == 0 ? [] : ["\(unknown) currencies have no rate here."])
  }

  private func currencies(of bank: String) async throws(ServiceError) -> [String] {
    guard client.version >= APIVersion(5, 1, 0) else { return [] }
    do {
      let answer = try await client.send(
        OpenBankClient.path("banks", bank) + "/currencies", for: .anybodyKnownOrNot, "load the currencies of \(bank)")
      return try answer.elements("currencies").compactMap { $0["alphanumeric_code"].string }
    } catch {
      guard error.serverCode == "OBP-10404" else { throw error }
      return []
    }
  }

  /// Three letters, as ISO 4217 writes them.
  private static func isCurrency(_ text: String) -> Bool {
    text.utf8.count == 3 && text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
  }

  private func rate(_ bank: String, _ from: String, _ to: String) async -> Result<OpenBankAnswer, ServiceError> {
    do throws(ServiceError) {
      return .success(
        try await client.send(
          OpenBankClient.path("banks", bank, "fx", from, to), for: .anybodyKnownOrNot, "load the rate \(from)/\(to)"))
    } catch {
      return .failure(error)
    }
  }

  private func rateLocation(_ location: Location, _ bank: String, _ json: JSONValue) -> Location {
    let (from, to) = (json["from_currency_code"].string ?? "", json["to_currency_code"].string ?? "")
    return Location(connection: location.connection, path: ["banks", bank, "fx", from, to])
  }

  private func rateValues(_ json: JSONValue) -> [Value] {
    let (from, to) = (json["from_currency_code"].string ?? "", json["to_currency_code"].string ?? "")
    let number: (String) -> Value = { json[$0].numberText.map { .decimal($0) } ?? .null }
    return [
      .text("\(from)/\(to)"), .text(from), .text(to), number("conversion_value"), number("inverse_conversion_value"),
      PaymentCard.day(json["effective_date"]),
    ]
  }

  func rateItem(_ location: Location, _ bank: String, _ from: String, _ to: String) async throws(ServiceError) -> Item {
    guard OpenBankBackend.isCurrency(from), OpenBankBackend.isCurrency(to) else { throw .notFound(location) }
    let answer = try await rate(bank, from, to).get()
    let fields = zip(OpenBankBackend.rateColumns, rateValues(answer.root)).map { column, value in
      Field(column.id, column.title, value, column.kind)
    }
    return Item(location, title: "\(from)/\(to)", sections: [.init("Exchange rate", fields)], raw: answer.raw)
  }
}
