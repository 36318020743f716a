import JSON
import Model

/// Branches, ATMs, products and customers: lists of a bank that differ only in their fields.
extension OpenBankBackend {
  func bankList(
    _ location: Location, _ query: ListQuery, _ bank: String, _ list: OpenBankPlace.BankList
  ) async throws(ServiceError) -> Listing {
    if list == .branches || list == .atms { return try await places(location, query, bank, list) }
    let (answer, elements) = try await bankElements(bank, list)
    let shape = BankListShape.of(list)
    return try .whole(location, shape.title, shape.columns, elements, query, raw: answer.raw) { element in
      Row(location.appending(element.first("id", "code", "product_code", "customer_id") ?? ""), shape.values(element))
    }
  }

  func bankThing(
    _ location: Location, _ bank: String, _ list: OpenBankPlace.BankList, _ id: String
  ) async throws(ServiceError) -> Item {
    let (answer, found) = try await bankElement(bank, list, id)
    guard let found else { throw .notFound(location) }
    let shape = BankListShape.of(list)
    let own = zip(shape.columns, shape.values(found)).map { column, value in
      Field(column.id, column.title, value, column.kind, isPrivate: column.isPrivate)
    }
    let known = Set(own.map(\.id))
    let more = FlatFields.of(found).filter { !known.contains($0.id) }.map {
      Field($0.id, $0.title, $0.value, $0.kind, isPrivate: list == .customers)
    }
    var sections = [Item.Section(shape.single, own), Item.Section("More", more.withUniqueIDs)]
    if list == .customers { sections += try await customerSections(bank, id) }
    return Item(
      location, title: found.first("name", "legal_name") ?? id, sections: sections.filter { !$0.fields.isEmpty },
      related: [Link("Bank", Location(connection: location.connection, path: ["banks", bank]), opening: .item)],
      raw: answer.raw)
  }

  /// One thing by its own call, or out of the list where there is none: customers, and servers before version 2.1.0.
  private func bankElement(
    _ bank: String, _ list: OpenBankPlace.BankList, _ id: String
  ) async throws(ServiceError) -> (OpenBankAnswer, JSONValue?) {
    if list != .customers && list != .messages && client.version >= APIVersion(2, 1, 0) {
      let path = OpenBankClient.path("banks", bank, list.rawValue, id)
      let answer = try await client.send(path, for: .anybodyKnownOrNot, "open \(id)")
      return (answer, answer.root)
    }
    let (answer, elements) = try await bankElements(bank, list)
    let found = elements.first { $0.first("id", "code", "product_code", "customer_id") == id }
    guard found == nil, list == .customers, client.version >= APIVersion(3, 1, 0) else { return (answer, found) }
    let other = try await client.send(OpenBankClient.path("banks", bank, "customers", id), "open the customer \(id)")
    return (other, other.root)
  }

  private func bankElements(
    _ bank: String, _ list: OpenBankPlace.BankList
  ) async throws(ServiceError) -> (OpenBankAnswer, [JSONValue]) {
    let base = OpenBankClient.path("banks", bank)
    if list == .messages {
      let answer = try await client.send("\(base)/customer/messages", "load what \(bank) wrote to you")
      return (answer, Array(try answer.elements("messages")))
    }
    guard list == .customers else {
      let answer = try await client.send(
        "\(base)/\(list.rawValue)", for: .anybodyKnownOrNot, "load the \(list.rawValue) of \(bank)")
      return (answer, Array(try answer.elements(list.rawValue)))
    }
    let operation = "load your customer records at \(bank)"
    if client.version >= APIVersion(5, 0, 0) {
      let answer = try await client.send("\(base)/my/customers", operation)
      return (answer, Array(try answer.elements("customers")))
    }
    if client.version >= APIVersion(2, 1, 0) {
      let answer = try await client.send("/users/current/customers", operation)
      let mine = try answer.elements("customers").filter { ($0["bank_id"].string ?? bank) == bank }
      if mine.isEmpty { _ = try await client.bankAnswer(bank) }
      return (answer, mine)
    }
    let answer = try await client.send("\(base)/customer", operation)
    return (answer, answer.root.kind == .object ? [answer.root] : [])
  }
}

/// The columns of one kind of list and how they are filled.
struct BankListShape: Sendable {
  let title: String
  let single: String
  let columns: [Column]
  let values: @Sendable (JSONValue) -> [Value]

  static func of(_ list: OpenBankPlace.BankList) -> BankListShape {
    switch list {
    case .branches: branches
    case .atms: atms
    case .products: products
    case .customers: customers
    case .messages: messages
    }
  }

  private static let placeColumns = [
    Column("id", "Id", rank: 2), Column("name", "Name", rank: 0), Column("city", "City", rank: 0),
    Column("address", "Address", rank: 1), Column("latitude", "Latitude", .decimal, rank: 4),
    Column("longitude", "Longitude", .decimal, rank: 4), Column("accessible", "Accessible", .flag, rank: 3),
  ]

  private static let place: @Sendable (JSONValue) -> [Value] = { json in
    let address = json["address"]
    let lines = [address["line_1"].string, address["line_2"].string, address["postcode"].string]
    let degrees: (String) -> Value = { json["location"][$0].numberText.map { .decimal($0) } ?? .null }
    return [
      json.value("id"), json.value("name"), address.value("city"),
      .text(lines.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ", ")), degrees("latitude"),
      degrees("longitude"), json["is_accessible"].flag,
    ]
  }

  private static let branches = BankListShape(
    title: "Branches", single: "Branch", columns: placeColumns, values: place)
  private static let atms = BankListShape(title: "ATMs", single: "ATM", columns: placeColumns, values: place)

  private static let products = BankListShape(
    title: "Products", single: "Product",
    columns: [
      Column("id", "Code", rank: 0), Column("name", "Name", rank: 0), Column("parent", "Part of", rank: 3),
      Column("description", "Description", rank: 1), Column("more_info_url", "More", rank: 2),
    ],
    values: { json in
      [
        .optional(json.first("product_code", "code")), json.value("name"), json.value("parent_product_code"),
        .optional(json.first("description", "category")), json.value("more_info_url"),
      ]
    })

  private static let messages = BankListShape(
    title: "Messages", single: "Message",
    columns: [
      Column("id", "Id", rank: 4), Column("date", "Written", .time, rank: 0),
      Column("from", "From", rank: 1), Column("department", "Department", rank: 2),
      Column("message", "Message", rank: 0, isPrivate: true),
    ],
    values: { json in
      [
        json.value("id"), json["date"].time, json.value("from_person"), json.value("from_department"),
        json.value("message"),
      ]
    })

  private static let customers = BankListShape(
    title: "Customers", single: "Customer",
    columns: [
      Column("id", "Id", rank: 4), Column("number", "Number", rank: 1, isPrivate: true),
      Column("name", "Name", rank: 0, isPrivate: true), Column("email", "E-mail", rank: 2, isPrivate: true),
      Column("phone", "Phone", rank: 2, isPrivate: true), Column("born", "Born", .date, rank: 3, isPrivate: true),
      Column("kyc", "Known to the bank", .flag, rank: 3),
    ],
    values: { json in
      [
        json.value("customer_id"), json.value("customer_number"), json.value("legal_name"), json.value("email"),
        json.value("mobile_phone_number"), PaymentCard.day(json["date_of_birth"]), json["kyc_status"].flag,
      ]
    })
}

/// Everything that is in an object, one field for each value, named by its way down (`lobby.monday.opening_time`).
enum FlatFields {
  /// Deep enough for opening hours and the amounts of fees, shallow enough for a person.
  private static let mostDepth = 6

  static func of(_ json: JSONValue) -> [Field] {
    var fields: [Field] = []
    collect(json, at: "", depth: 0, into: &fields)
    return fields
  }

  private static func collect(_ json: JSONValue, at path: String, depth: Int, into fields: inout [Field]) {
    guard depth < mostDepth else { return }
    switch json.kind {
    case .object:
      for (key, value) in json.members {
        collect(value, at: path.isEmpty ? key : "\(path).\(key)", depth: depth + 1, into: &fields)
      }
    case .array where json.elements.allSatisfy { $0.text != nil }:
      fields.append(Field(path, title(path), .list(json.elements.map { .text($0.text ?? "") })))
    case .array:
      for (index, value) in json.elements.enumerated() {
        collect(value, at: "\(path).\(index + 1)", depth: depth + 1, into: &fields)
      }
    case .bool: fields.append(Field(path, title(path), json.flag, .flag))
    case .string, .number, .null: fields.append(Field(path, title(path), .optional(json.text)))
    case .absent: break
    }
  }

  private static func title(_ path: String) -> String {
    OpenBankBackend.title(of: path.split(separator: ".").joined(separator: " "))
  }
}
