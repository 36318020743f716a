import JSON
import Model
import Wire

/// Everybody who is a customer of a bank, for those whose role it is to look after them.
extension OpenBankBackend {
  private static let customerPage = 50

  /// A page of the server's at a time.
  func allCustomers(_ location: Location, _ query: ListQuery, _ bank: String) async throws(ServiceError) -> Listing {
    let operation = "list the customers of \(bank)"
    guard client.version >= APIVersion(4, 0, 0) else {
      throw .notOffered(operation, "this version of the API does not list them")
    }
    let page = try ServerPage(query, usual: OpenBankBackend.customerPage)
    let answer = try await client.send(
      OpenBankClient.path("banks", bank, "customers"), query: page.parameters, operation)
    let customers = Array(try answer.elements("customers"))
    let shape = BankListShape.of(.customers)
    let place = Location(connection: location.connection, path: ["banks", bank, "customers"])
    var listing = Listing(
      location, title: "All customers of \(bank)", columns: shape.columns,
      rows: page.shown(customers).map { customer in
        Row(place.appending(customer["customer_id"].string ?? ""), shape.values(customer))
      }, raw: answer.raw)
    page.finish(&listing, customers)
    return listing
  }

  /// Addresses and where taxes are paid, as far as this user's roles show them.
  func customerSections(_ bank: String, _ id: String) async throws(ServiceError) -> [Item.Section] {
    guard client.version >= APIVersion(3, 1, 0) else { return [] }
    var sections: [Item.Section] = []
    for (path, member, title) in [
      ("addresses", "addresses", "Addresses"), ("tax-residences", "tax_residence", "Pays taxes"),
    ] {
      do {
        let answer = try await client.send(
          OpenBankClient.path("banks", bank, "customers", id, path), "load the \(path) of \(id)")
        let fields = FlatFields.of(answer.root[member]).filter { !$0.id.hasSuffix("customer_id") }
        sections.append(Item.Section(title, fields.map { $0.named("\(member)\($0.id)") }.withUniqueIDs))
      } catch {
        switch error.code {
        case .signInNeeded, .cancelled: throw error
        // Without the role there is nothing to show.
        default: continue
        }
      }
    }
    return sections
  }
}

extension Field {
  /// The same under another id, and private.
  fileprivate func named(_ id: String) -> Field { Field(id, title, value, kind, isPrivate: true) }
}
