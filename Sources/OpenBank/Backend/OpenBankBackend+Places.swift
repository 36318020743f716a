import JSON
import Model
import Wire

/// Branches and cash machines: a page of the server's at a time, or the nearest ones first.
extension OpenBankBackend {
  private static let placePage = 100
  /// More in one answer the server refuses (reference, section 3.7).
  private static let mostPlaces = 10_000

  func places(
    _ location: Location, _ query: ListQuery, _ bank: String, _ list: OpenBankPlace.BankList
  ) async throws(ServiceError) -> Listing {
    let near = try Nearness(location)
    var listing =
      near.isEmpty
      ? try await page(location, query, bank, list) : try await nearest(location, query, bank, list, near)
    listing.actions = [near.action]
    return listing
  }

  private func answer(
    _ bank: String, _ list: OpenBankPlace.BankList, _ query: [(name: String, value: String)]
  ) async throws(ServiceError) -> (OpenBankAnswer, [JSONValue]) {
    let answer = try await client.send(
      OpenBankClient.path("banks", bank, list.rawValue), query: query, for: .anybodyKnownOrNot,
      "load the \(list.rawValue) of \(bank)")
    return (answer, Array(try answer.elements(list.rawValue)))
  }

  private func page(
    _ location: Location, _ query: ListQuery, _ bank: String, _ list: OpenBankPlace.BankList
  ) async throws(ServiceError) -> Listing {
    let page = try ServerPage(query, usual: OpenBankBackend.placePage, most: OpenBankBackend.mostPlaces)
    let (answer, elements) = try await answer(bank, list, page.parameters)
    let shape = BankListShape.of(list)
    let row = { (element: JSONValue) in Row(location.appending(element["id"].string ?? ""), shape.values(element)) }
    // The oldest versions know no pages of these lists and send all of it.
    if elements.count > page.limit + 1 {
      return try .whole(location, shape.title, shape.columns, elements, query, raw: answer.raw, row: row)
    }
    var listing = Listing(
      location, title: shape.title, columns: shape.columns, rows: page.shown(elements).map(row), raw: answer.raw)
    page.finish(&listing, elements)
    return listing
  }

  /// All that the server finds in one answer, with their distances where a point was named.
  private func nearest(
    _ location: Location, _ query: ListQuery, _ bank: String, _ list: OpenBankPlace.BankList, _ near: Nearness
  ) async throws(ServiceError) -> Listing {
    let limit = (name: "limit", value: String(OpenBankBackend.mostPlaces))
    let (answer, elements) = try await answer(bank, list, [limit] + near.parameters)
    let shape = BankListShape.of(list)
    let found = near.sorted(elements)
    let distance = near.point == nil ? [] : [Column("distance", "Metres away", .integer, rank: 0)]
    let page = try LocalPages(found.count, query)
    let rows = found[page.range].map { place in
      Row(
        location.appending(place.json["id"].string ?? ""),
        shape.values(place.json) + (distance.isEmpty ? [] : [.optional(place.metres)]))
    }
    return Listing(
      location, title: shape.title, columns: shape.columns + distance, rows: rows, next: page.next,
      total: .exact(found.count),
      notices: found.isEmpty && near.isBounded
        ? ["Nothing is that near: leave the distance out to see the nearest."] : [],
      raw: answer.raw)
  }
}
