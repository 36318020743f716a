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

  func apiItem(_ location: Location) async throws(ServiceError) -> Item {
    let answer = try await client.send("/root", for: .anybodyKnownOrNot, "ask what the server is")
    let root = answer.root
    var fields = [
      Field("version", "Version", root.value("version")),
      Field("version_status", "State of the version", root.value("version_status")),
      Field("organisation", "Run by", root["hosted_by"].value("organisation")),
      Field("email", "Address", root["hosted_by"].value("email")),
      Field("connector", "Connector", root.value("connector")),
      Field("git_commit", "Commit", root.value("git_commit")),
    ]
    if let limit = answer.rateLimit {
      fields.append(Field("rate_limit", "Calls allowed", .optional(limit.limit), .integer))
      fields.append(Field("rate_remaining", "Calls left", .optional(limit.remaining), .integer))
    }
    return Item(
      location, title: root["hosted_by"]["organisation"].string ?? connection.name,
      sections: [.init("Server", fields)], related: links(location, rootEntries), raw: answer.raw)
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
