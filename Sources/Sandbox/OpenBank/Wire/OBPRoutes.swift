import JSON

typealias OBPHandler = @Sendable (OBPCall) throws(OBPError) -> OBPReply

/// One endpoint: from which version on, where, for whom, and what it is called.
struct OBPRoute: Sendable {
  enum Access: Sendable {
    case open, user
    case roles([String])
  }

  let since: OBPVersion
  let method: String
  /// Below the version, placeholders in capitals: `/banks/BANK_ID/accounts`.
  let path: String
  let access: Access
  let isOld: Bool
  let name: String
  let summary: String
  let tag: String
  let handler: OBPHandler

  /// What resource docs and collections call it.
  var operationID: String { "OBP\(since.text)-\(name)" }

  /// The router's spelling of the path.
  var pattern: String {
    path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
      let isName = segment.utf8.count > 1 && segment.utf8.allSatisfy { (0x41...0x5a).contains($0) || $0 == 0x5f }
      return isName ? "{\(segment)}" : String(segment)
    }.joined(separator: "/")
  }

  var roles: [String] {
    if case .roles(let roles) = access { roles } else { [] }
  }
}

/// The endpoints, in groups; a later version's endpoint takes the place of an earlier one with the same path.
struct OBPRoutes: Sendable {
  private(set) var all: [OBPRoute] = []
  private var tag = ""

  mutating func group(_ tag: String, _ add: (inout OBPRoutes) -> Void) {
    self.tag = tag
    add(&self)
  }

  /// Adds an endpoint. Those of v2.0.0 and before are of the old kind unless told otherwise.
  mutating func add(
    _ since: OBPVersion, _ method: String, _ path: String, _ access: OBPRoute.Access, isOld: Bool? = nil,
    _ name: String, _ summary: String, _ handler: @escaping OBPHandler
  ) {
    all.append(
      OBPRoute(
        since: since, method: method, path: path, access: access, isOld: isOld ?? (since <= .v200), name: name,
        summary: summary, tag: tag, handler: handler))
  }

  /// What a version serves: of each path the newest endpoint that is not newer than the version.
  func served(by version: OBPVersion) -> [OBPRoute] {
    var newest: [String: OBPRoute] = [:]
    for route in all where route.since <= version {
      let key = "\(route.method) \(route.path)"
      if let known = newest[key], known.since > route.since { continue }
      newest[key] = route
    }
    return newest.values.sorted { ($0.tag, $0.path, $0.method) < ($1.tag, $1.path, $1.method) }
  }

  static let standard: OBPRoutes = {
    var routes = OBPRoutes()
    routes.group("API") { $0.addInformation() }
    routes.group("Bank") { $0.addBanks() }
    routes.group("Account") { $0.addAccountLists() }
    routes.group("Account") { $0.addAccounts() }
    routes.group("Account") { $0.addBalances() }
    routes.group("Account") { $0.addOpening() }
    routes.group("View") { $0.addViews() }
    routes.group("Transaction") { $0.addTransactions() }
    routes.group("Transaction-Metadata") { $0.addTransactionNotes() }
    routes.group("Counterparty-Metadata") { $0.addOtherAccounts() }
    routes.group("Counterparty") { $0.addCounterparties() }
    routes.group("Transaction-Request") { $0.addPayments() }
    routes.group("Transaction-Request") { $0.addOrders() }
    routes.group("View") { $0.addSystemViews() }
    routes.group("Card") { $0.addCards() }
    routes.group("Customer") { $0.addCustomers() }
    routes.group("User") { $0.addUsers() }
    routes.group("Api-Collection") { $0.addCollections() }
    routes.group("Branch") { $0.addPlaces() }
    routes.group("Product") { $0.addProducts() }
    routes.group("Consent") { $0.addConsents() }
    return routes
  }()
}
