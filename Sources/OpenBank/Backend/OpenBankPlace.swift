import Model

/// What a location of an `openbank` connection names.
enum OpenBankPlace: Sendable, Hashable {
  /// Which accounts a list holds.
  enum Accounts: Sendable, Hashable { case mine, open, held }
  /// Lists of a bank that anybody may read, and its customers.
  enum BankList: String, Sendable, CaseIterable { case branches, atms, products, customers }
  /// Lists of an account.
  enum AccountList: String, Sendable, CaseIterable {
    case transactions, counterparties, cards, requests, views
    case others = "other_accounts"
  }

  /// What the accounts that anybody may look at are called below `accounts`: `@public`.
  static let publicAccounts = "public"

  case root
  case banks
  case bank(String)
  case accounts(bank: String?, Accounts)
  case account(AccountID)
  case accountList(AccountID, AccountList)
  case accountThing(AccountID, AccountList, String)
  case bankList(String, BankList)
  case bankThing(String, BankList, String)
  case rates(String, base: String?)
  case rate(String, String, String)
  case cards
  case me
  case roles

  init(_ location: Location) throws(ServiceError) {
    let path = location.path
    let place: OpenBankPlace? =
      switch path.first {
      case nil: .root
      case "me": OpenBankPlace.mine(path.dropFirst())
      case "cards" where path.count == 1: .cards
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
    if rest.isEmpty { return .me }
    return Array(rest) == ["entitlements"] ? .roles : nil
  }

  private static func below(bank: String, _ rest: ArraySlice<String>) -> OpenBankPlace? {
    let names = Array(rest)
    if names[0] == "accounts" { return accounts(bank, rest.dropFirst()) }
    if names[0] == "fx" {
      switch names.count {
      case 1: return .rates(bank, base: nil)
      case 2: return .rates(bank, base: names[1])
      case 3: return .rate(bank, names[1], names[2])
      default: return nil
      }
    }
    guard let list = BankList(rawValue: names[0]) else { return nil }
    switch names.count {
    case 1: return .bankList(bank, list)
    case 2: return .bankThing(bank, list, names[1])
    default: return nil
    }
  }

  private static func accounts(_ bank: String?, _ rest: ArraySlice<String>) -> OpenBankPlace? {
    guard let name = rest.first else { return .accounts(bank: bank, .mine) }
    if name == Location.facetMark + "@" + publicAccounts, rest.count == 1 { return .accounts(bank: bank, .open) }
    guard let bank else { return nil }
    if name == Location.facetMark + "@held", rest.count == 1 { return .accounts(bank: bank, .held) }
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
