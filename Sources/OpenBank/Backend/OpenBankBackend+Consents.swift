import JSON
import Model

/// What the user let others do: shown and revoked, never made here.
extension OpenBankBackend {
  private static let consentColumns = [
    Column("id", "Id", rank: 0), Column("status", "State", rank: 0), Column("bank", "Bank", rank: 1),
    Column("standard", "Standard", rank: 2), Column("version", "Version", rank: 2),
  ]
  private static let banksAtOnce = 6

  /// Consents at all banks, as the server gives them by bank only; one that it names at several banks stands once.
  func consents(_ location: Location, _ query: ListQuery) async throws(ServiceError) -> Listing {
    try demandConsents("load your consents")
    let banks = try await client.banksAnswer().elements("banks").map { Bank($0).id }
    let answers = await gather(banks, atMost: OpenBankBackend.banksAtOnce) { bank in
      await self.consents(at: bank)
    }
    var seen: Set<String> = []
    var rows: [Row] = []
    var failures: [ServiceError] = []
    for (bank, answer) in zip(banks, answers) {
      switch answer {
      case .failure(let error) where error.code == .signInNeeded || error.code == .cancelled: throw error
      case .failure(let error): failures.append(error)
      case .success(let consents):
        for consent in consents where seen.insert(consent["consent_id"].string ?? "").inserted {
          rows.append(OpenBankBackend.row(consent, bank, location))
        }
      }
    }
    if failures.count == banks.count, let first = failures.first { throw first }
    let page = try LocalPages(rows.count, query)
    let notices = failures.first.map { ["\(failures.count) banks did not say: \($0.reason)."] } ?? []
    return Listing(
      location, title: "Consents", columns: OpenBankBackend.consentColumns, rows: Array(rows[page.range]),
      next: page.next, total: .exact(rows.count), notices: notices)
  }

  private static func row(_ consent: JSONValue, _ bank: String, _ place: Location) -> Row {
    let id = consent["consent_id"].string ?? ""
    return Row(
      Location(connection: place.connection, path: ["banks", bank, "consents", id]),
      [
        .text(id), consent.value("status"), .text(bank), consent.value("api_standard"), consent.value("api_version"),
      ])
  }

  private func demandConsents(_ operation: String) throws(ServiceError) {
    guard client.version >= APIVersion(3, 1, 0) else {
      throw .notOffered(operation, "this version of the API knows no consents")
    }
  }

  private func consents(at bank: String) async -> Result<[JSONValue], ServiceError> {
    do throws(ServiceError) {
      let answer = try await client.send(
        OpenBankClient.path("banks", bank) + "/my/consents", "load your consents at \(bank)")
      return .success(Array(try answer.elements("consents")))
    } catch {
      return .failure(error)
    }
  }

  /// The consent itself is a token, and so it is not shown; nor are the bytes that hold it.
  func consentItem(_ location: Location, _ bank: String, _ id: String) async throws(ServiceError) -> Item {
    try demandConsents("open the consent \(id)")
    guard let consent = try await consents(at: bank).get().first(where: { $0["consent_id"].string == id }) else {
      throw .notFound(location)
    }
    let status = consent["status"].string ?? ""
    let isOver = ["REVOKED", "REJECTED", "EXPIRED"].contains(status.uppercased())
    var fields = zip(OpenBankBackend.consentColumns, OpenBankBackend.row(consent, bank, location).values).map {
      Field($0.id, $0.title, $1, $0.kind)
    }
    let known = Set(fields.map(\.id) + ["jwt", "consent_id", "api_standard", "api_version"])
    fields += FlatFields.of(consent).filter { !known.contains($0.id) }
    return Item(
      location, title: "Consent \(id)", sections: [.init("Consent", fields.withUniqueIDs)],
      related: [Link("Bank", Location(connection: location.connection, path: ["banks", bank]), opening: .item)],
      actions: [
        Action(
          "revoke", "Revoke", disabled: noWriting ?? (isOver ? "it is \(status) already" : nil),
          warning: "Revoke the consent \(id): whoever uses it loses access")
      ])
  }

  /// A GET that changes something: it goes out once, on a connection of its own, and is never repeated.
  func revoke(_ location: Location, _ bank: String, _ id: String, _ operation: String) async throws(ServiceError)
    -> ActionOutcome
  {
    let path = OpenBankClient.path("banks", bank, "my", "consents", id, "revoke")
    let answer = try await client.send(path, isWriting: true, operation)
    let status = answer.root["status"].string ?? "REVOKED"
    return ActionOutcome("The consent is \(status).", location: location)
  }
}
