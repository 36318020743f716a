import JSON
import Model

extension OpenBankBackend {
  private static let bankColumns = [
    Column("id", "Id", rank: 0), Column("short_name", "Short name", rank: 1), Column("full_name", "Name", rank: 0),
    Column("website", "Website", rank: 3),
  ]

  func banks(_ location: Location, _ query: ListQuery) async throws(ServiceError) -> Listing {
    let answer = try await client.banksAnswer()
    let elements = Array(try answer.elements("banks"))
    return try .whole(
      location, "Banks", OpenBankBackend.bankColumns, elements, query, raw: answer.raw
    ) { element in
      let bank = Bank(element)
      return Row(
        location.appending(bank.id),
        [.text(bank.id), .optional(bank.shortName), .optional(bank.fullName), .optional(bank.website)])
    }
  }

  func bankItem(_ location: Location, _ id: String) async throws(ServiceError) -> Item {
    let answer = try await client.bankAnswer(id)
    // Version 1.2.1 wraps nothing, but a list of one has been seen.
    let bank = Bank(answer.root["banks"][0].exists ? answer.root["banks"][0] : answer.root)
    var sections = [
      Item.Section(
        "Bank",
        [
          Field("id", "Id", .text(bank.id)), Field("short_name", "Short name", .optional(bank.shortName)),
          Field("full_name", "Name", .optional(bank.fullName)), Field("website", "Website", .optional(bank.website)),
          Field("logo", "Logo", .optional(bank.logo)),
        ])
    ]
    let routings = bank.routings.map { Field("routing_\($0.scheme)", $0.scheme, .text($0.address)) }
    if !routings.isEmpty { sections.append(.init("Routing", routings.withUniqueIDs)) }
    let attributes = bank.attributes.map { Field("attribute_\($0.name)", $0.name, .text($0.value)) }
    if !attributes.isEmpty { sections.append(.init("Attributes", attributes.withUniqueIDs)) }
    return Item(
      location, title: bank.fullName ?? bank.shortName ?? id, sections: sections,
      related: links(location, bankEntries), raw: answer.raw)
  }
}

extension [Field] {
  /// The same with numbers behind ids that occur again, as ids are unique within an item.
  var withUniqueIDs: [Field] {
    var seen: [String: Int] = [:]
    return map { field in
      let count = seen[field.id, default: 0] + 1
      seen[field.id] = count
      guard count > 1 else { return field }
      return Field("\(field.id)_\(count)", field.title, field.value, field.kind, isPrivate: field.isPrivate)
    }
  }
}
