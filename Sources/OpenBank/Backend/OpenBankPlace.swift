import Model

/// What a location of an `openbank` connection names.
enum OpenBankPlace: Sendable, Hashable {
  /// Which accounts a list holds.
  enum Accounts: Sendable, Hashable, CaseIterable {
    case mine
    /// Those with a view that is not public, the own ones among them.
    case closed
    case open, held

    /// What it is called below `accounts`; nil for the usual list.
    var facet: String? {
      switch self {
      case .mine: nil
      case .closed: "private"
      case .open: OpenBankPlace.publicAccounts
      case .held: "held"
      }
    }
  }
  /// Lists of a bank that anybody may read, its customers, and what it wrote to them.
  enum BankList: String, Sendable, CaseIterable { case branches, atms, products, customers, messages }
  /// Lists of the user's own.
  enum OwnList: String, Sendable, CaseIterable { case entitlements, requests, consents, consumers }
  /// Lists of an account.
  enum AccountList: String, Sendable, CaseIterable {
    case transactions, counterparties, cards, requests, views
    case others = "other_accounts"
  }

  /// What the accounts that anybody may look at are called below `accounts`: `@public`.
  static let publicAccounts = "public"
  /// What everybody who is a customer is called below `customers`: `@all`.
  static let allCustomers = "all"
  /// What the sums of a list of accounts are called below it: `@totals`.
  static let totals = "totals"

  case root
  case banks
  case bank(String)
  case accounts(bank: String?, Accounts)
  /// Sums of a list of accounts, one for each currency.
  case totals(bank: String?, Accounts)
  case balances(String)
  case account(AccountID)
  case accountList(AccountID, AccountList)
  case accountThing(AccountID, AccountList, String)
  case bankList(String, BankList)
  case bankThing(String, BankList, String)
  /// Everybody who is a customer of the bank, which needs a role.
  case allCustomers(String)
  /// Every card of the bank, which needs a role.
  case bankCards(String)
  case bankCard(String, String)
  case rates(String, base: String?)
  case rate(String, String, String)
  case cards
  case me
  case own(OwnList)
  case consent(bank: String, String)
  case users
  case user(String)
  case roles(user: String)
  case api(APIPlace)

  init(_ location: Location) throws(ServiceError) {
    let path = location.path
    let place: OpenBankPlace? =
      switch path.first {
      case nil: .root
      case "me": OpenBankPlace.mine(path.dropFirst())
      case "cards" where path.count == 1: .cards
      case "users": OpenBankPlace.users(path.dropFirst())
      case "api": APIPlace(path.dropFirst()).map { .api($0) }
      case "accounts": OpenBankPlace.accounts(nil, path.dropFirst())
      case "banks" where path.count == 1: .banks
      case "banks" where path.count == 2: .bank(path[1])
      case "banks": OpenBankPlace.below(bank: path[1], path.dropFirst(2))
      default: nil
      }
    guard let place else { throw .notFound(location) }
    self = place
  }

  private static func mine(_ rest: ArraySlice<String>) -> OpenBankPlace? {
    guard let name = rest.first else { return .me }
    return rest.count == 1 ? OwnList(rawValue: name).map { .own($0) } : nil
  }

  private static func users(_ rest: ArraySlice<String>) -> OpenBankPlace? {
    guard let id = rest.first else { return .users }
    switch rest.count {
    case 1: return .user(id)
    case 2: return rest.last == OwnList.entitlements.rawValue ? .roles(user: id) : nil
    default: return nil
    }
  }

  private static func below(bank: String, _ rest: ArraySlice<String>) -> OpenBankPlace? {
    let names = Array(rest)
    if names[0] == "accounts" { return accounts(bank, rest.dropFirst()) }
    if names == ["balances"] { return .balances(bank) }
    if names[0] == "consents" { return names.count == 2 ? .consent(bank: bank, names[1]) : nil }
    if names[0] == "fx" {
      switch names.count {
      case 1: return .rates(bank, base: nil)
      case 2: return .rates(bank, base: names[1])
      case 3: return .rate(bank, names[1], names[2])
      default: return nil
      }
    }
    if names[0] == "cards" {
      return names.count == 1 ? .bankCards(bank) : names.count == 2 ? .bankCard(bank, names[1]) : nil
    }
    guard let list = BankList(rawValue: names[0]) else { return nil }
    if list == .customers, names.last == Location.facetMark + "@" + allCustomers {
      return names.count == 2 ? .allCustomers(bank) : nil
    }
    switch names.count {
    case 1: return .bankList(bank, list)
    case 2: return .bankThing(bank, list, names[1])
    default: return nil
    }
  }

  private static func accounts(_ bank: String?, _ rest: ArraySlice<String>) -> OpenBankPlace? {
    guard let name = rest.first else { return .accounts(bank: bank, .mine) }
    if name.hasPrefix(Location.facetMark) {
      let facets = rest.map { String($0.dropFirst(Location.facetMark.count + 1)) }
      if facets == [totals] { return .totals(bank: bank, .mine) }
      guard let which = Accounts.allCases.first(where: { $0.facet == facets[0] }) else { return nil }
      if facets.count == 1 { return .accounts(bank: bank, which) }
      return facets.dropFirst() == [totals] ? .totals(bank: bank, which) : nil
    }
    guard let bank else { return nil }
    let account = AccountID(bank: bank, account: name)
    let names = Array(rest.dropFirst())
    guard let first = names.first else { return .account(account) }
    guard let list = AccountList(rawValue: first) else { return nil }
    switch names.count {
    case 1: return .accountList(account, list)
    case 2: return .accountThing(account, list, names[1])
    default: return nil
    }
  }
}

extension Location {
  /// The view an account is looked at through; nil for the best one that is held.
  var view: String? { queryValue("view") }

  /// A place below this one, seen through the same view.
  func below(_ name: String) -> Location { appending(name).seen(through: view) }

  /// The account a list or thing of it belongs to, seen through the same view.
  func account(_ id: AccountID) -> Location {
    Location(connection: connection, path: ["banks", id.bank, "accounts", id.account]).seen(through: view)
  }

  func seen(through view: String?) -> Location { view.map { with(query: [("view", $0)]) } ?? self }
}

/// Makes the places below one location, taking it apart only once: for the rows of long lists.
struct PlacesBelow {
  private let connection: String
  private let path: [String]
  private let query: [(String, String)]

  init(_ location: Location) {
    connection = location.connection
    path = location.path
    query = location.view.map { [("view", $0)] } ?? []
  }

  func callAsFunction(_ name: String) -> Location {
    Location(connection: connection, path: path + [name], query: query)
  }
}
