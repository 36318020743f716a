import Model
import Wire

/// Open Bank Project as the browser and the commands see it: places, listings, items and actions.
public struct OpenBankBackend: Backend {
  public let kind = BackendKind.openbank
  public let capabilities: Capabilities = [.search, .delete, .rawCall, .charts]
  /// The kit below, for calls that have no place in the tree.
  public let client: OpenBankClient
  let connection: Connection
  let surroundings: Surroundings

  public init(
    connection: Connection, transport: any Transport, surroundings: Surroundings
  ) throws(ServiceError) {
    self.connection = connection
    self.surroundings = surroundings
    client = try OpenBankClient(connection: connection, transport: transport, surroundings: surroundings)
  }

  public func nature(of location: Location) async throws(ServiceError) -> LocationNature {
    switch try OpenBankPlace(location) {
    case .root, .banks, .accounts, .totals, .balances, .accountList, .bankList, .allCustomers, .rates, .cards,
      .bankCards, .own, .users, .roles:
      .container
    case .bank, .account, .me, .user: .both(primary: .item)
    case .accountThing, .bankThing, .bankCard, .rate, .consent: .item
    case .api(.information): .both(primary: .listing)
    case .api(let place): place.isItem ? .item : .container
    }
  }

  public func list(_ location: Location, _ query: ListQuery) async throws(ServiceError) -> Listing {
    var listing = try await found(location, query)
    if let notice = client.versionNotice { listing.notices.append(notice) }
    return listing
  }

  public func item(_ location: Location) async throws(ServiceError) -> Item {
    var item = try await found(location)
    if let notice = client.versionNotice { item.notices.append(notice) }
    return item
  }

  private func found(_ location: Location, _ query: ListQuery) async throws(ServiceError) -> Listing {
    let place = try OpenBankPlace(location)
    // Which calls there are depends on the version; what is known without asking is shown without asking.
    switch place {
    case .root, .me, .api(.information), .api(.trials): break
    default: try await client.settleVersion()
    }
    return switch place {
    case .root: entries(location, "Start", rootEntries)
    case .banks: try await banks(location, query)
    case .bank(let bank): try await bankContents(location, bank)
    case .accounts(let bank, let which): try await accounts(location, query, bank: bank, which)
    case .account(let account): try await accountContents(location, account)
    case .accountList(let account, let list): try await accountList(location, query, account, list)
    case .bankList(let bank, let list): try await bankList(location, query, bank, list)
    case .allCustomers(let bank): try await allCustomers(location, query, bank)
    case .rates(let bank, let base): try await rates(location, query, bank, base: base)
    case .totals(let bank, let which): try await totals(location, query, bank: bank, which)
    case .balances(let bank): try await balances(location, query, bank)
    case .cards: try await cards(location, query, of: nil)
    case .bankCards(let bank): try await bankCards(location, query, bank)
    case .me: entries(location, "Me", meEntries)
    case .own(let list): try await ownList(location, query, list)
    case .users: try await users(location, query)
    case .user: entries(location, "User", [("entitlements", "Roles", "what this user may do")])
    case .roles(let user): try await roles(location, query, of: user)
    case .api(let place): try await apiList(location, query, place)
    case .accountThing, .bankThing, .bankCard, .rate, .consent:
      throw ServiceError.noContainer(location)
    }
  }

  private func found(_ location: Location) async throws(ServiceError) -> Item {
    let place = try OpenBankPlace(location)
    try await client.settleVersion()
    return switch place {
    case .root: try await apiItem(location)
    case .bank(let bank): try await bankItem(location, bank)
    case .account(let account): try await accountItem(location, account)
    case .accountThing(let account, let list, let id): try await accountThing(location, account, list, id)
    case .bankThing(let bank, let list, let id): try await bankThing(location, bank, list, id)
    case .bankCard(let bank, let id): try await bankCardItem(location, bank, id)
    case .rate(let bank, let from, let to): try await rateItem(location, bank, from, to)
    case .me: try await userItem(location)
    case .user(let id): try await userItem(location, id)
    case .consent(let bank, let id): try await consentItem(location, bank, id)
    case .api(let place): try await apiThing(location, place)
    case .accountList(let account, let list): try await listItem(location, account, list)
    case .banks, .accounts, .totals, .balances, .bankList, .allCustomers, .rates, .cards, .bankCards, .own, .users,
      .roles:
      try await containerItem(location)
    }
  }

  public func signIn(_ request: SignInRequest) async throws(ServiceError) -> SignInState {
    client.forgetUser()
    do {
      return try await client.session.signIn(request)
    } catch {
      throw error.during("sign in to \(connection.name)")
    }
  }

  public func signOut(_ request: SignOutRequest) async throws(ServiceError) {
    client.forgetUser()
    try await client.session.signOut()
  }

  public func signInState(verifying: Bool) async throws(ServiceError) -> SignInState {
    let token = try await client.session.token()
    let state = client.session.state(of: token)
    guard verifying, token != nil else { return state }
    return try await state.verified { () async throws(ServiceError) in try await client.currentUser().name }
  }
}

extension OpenBankBackend {
  var isAnonymous: Bool { client.session.method == .none }

  /// Why nothing can be written here; nil when it can be tried.
  var noWriting: String? {
    if connection.isReadOnly { return "this connection is read-only" }
    if isAnonymous { return "this connection is anonymous" }
    return nil
  }

  /// A container as a thing: no more than its own actions.
  func containerItem(_ location: Location) async throws(ServiceError) -> Item {
    let listing = try await list(location, ListQuery(limit: 1))
    return Item(
      location, title: listing.title, sections: [], related: [Link(listing.title, location)],
      actions: listing.actions, raw: listing.raw, notices: listing.notices)
  }
}
