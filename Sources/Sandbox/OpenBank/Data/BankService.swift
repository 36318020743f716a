/// The bank as handlers ask it: what was generated, and what has changed since.
final class BankService: Sendable {
  let data: BankData
  let state: BankState

  init(_ setting: DoorSetting) {
    data = BankData(setting)
    state = BankState(seed: setting.options.seed, consents: data.consents)
  }

  func account(_ key: BankAccountKey) -> BankAccount? {
    data.account(key) ?? state.read { $0.created.first { $0.key == key } }
  }

  /// Accounts on which `user` holds any view that is not public, in order.
  func accounts(of user: BankUser, at bank: Bank? = nil) -> [(account: BankAccount, views: [BankView])] {
    let created = state.read(\.created)
    return (data.accounts + created).compactMap { account in
      guard bank == nil || account.bank.index == bank?.index else { return nil }
      let views = views(of: user, on: account).filter { !$0.isPublic }
      return views.isEmpty ? nil : (account, views)
    }
  }

  /// Adds an account of the owner's; false where the id is taken.
  func open(_ make: (_ index: Int) -> BankAccount) -> BankAccount? {
    let taken = data.accounts
    return state.write { contents in
      let account = make(taken.count + contents.created.count)
      guard data.account(account.key) == nil, !contents.created.contains(where: { $0.key == account.key }) else {
        return nil
      }
      contents.created.append(account)
      return account
    }
  }

  /// Accounts with a public view.
  func publicAccounts(at bank: Bank? = nil) -> [(account: BankAccount, views: [BankView])] {
    data.accounts.compactMap { account in
      guard bank == nil || account.bank.index == bank?.index else { return nil }
      let views = allViews(on: account).filter(\.isPublic)
      return views.isEmpty ? nil : (account, views)
    }
  }

  func views(of user: BankUser?, on account: BankAccount) -> [BankView] {
    var views = data.views(of: user, on: account)
    if isCreated(account) { views = user == data.owner ? [.owner, .auditor, .accountant] : [] }
    let (custom, granted) = state.read { contents in
      let granted = user.flatMap { contents.grants[account.key]?[$0.id] } ?? []
      return (contents.customViews[account.key] ?? [], granted)
    }
    let holdsOwner = views.contains { $0.id == "owner" }
    views += custom.filter { holdsOwner || $0.isPublic || granted.contains($0.id) }
    for system in [BankView.auditor, .accountant, .owner]
    where granted.contains(system.id) && !views.contains(where: { $0.id == system.id }) {
      views.append(system)
    }
    return views
  }

  /// Every view that exists on an account, whoever holds it.
  func allViews(on account: BankAccount) -> [BankView] {
    let open = data.views(of: nil, on: account)
    return [.owner, .auditor, .accountant] + open + state.read { $0.customViews[account.key] ?? [] }
  }

  func label(of account: BankAccount) -> String { state.read { $0.labels[account.key] } ?? account.label }

  func book(of account: BankAccount) -> TransactionBook {
    let added = state.read { $0.added[account.key] ?? [] }
    return TransactionBook(account: account, added: added, setting: data.setting)
  }

  func notes(on transaction: BankTransaction, of account: BankAccount) -> TransactionNotes {
    let key = BankState.TransactionKey(account: account.key, transaction: transaction.id)
    return state.read { $0.notes[key] } ?? TransactionNotes(transaction, of: account, data: data)
  }

  func change<T: Sendable>(
    _ transaction: BankTransaction, of account: BankAccount, _ body: (inout TransactionNotes) -> T
  ) -> T {
    let key = BankState.TransactionKey(account: account.key, transaction: transaction.id)
    return state.write { contents in
      var notes = contents.notes[key] ?? TransactionNotes(transaction, of: account, data: data)
      defer { contents.notes[key] = notes }
      return body(&notes)
    }
  }

  func parties(of account: BankAccount) -> [OtherParty] {
    let generated = (0..<Ledger.partyCount).map { OtherParty($0, of: account, setting: data.setting) }
    return generated + state.read { $0.added[account.key] ?? [] }.map(\.party)
  }

  func partyNotes(on party: OtherParty, of account: BankAccount) -> PartyNotes {
    let key = BankState.TransactionKey(account: account.key, transaction: party.id)
    return state.read { $0.partyNotes[key] } ?? PartyNotes(party, data: data)
  }

  func change(_ party: OtherParty, of account: BankAccount, _ body: (inout PartyNotes) -> Void) {
    let key = BankState.TransactionKey(account: account.key, transaction: party.id)
    state.write { contents in
      var notes = contents.partyNotes[key] ?? PartyNotes(party, data: data)
      body(&notes)
      contents.partyNotes[key] = notes
    }
  }

  func counterparties(of account: BankAccount) -> [Counterparty] {
    state.read { $0.counterparties[account.key] } ?? Counterparty.generated(for: account, data: data)
  }

  private func isCreated(_ account: BankAccount) -> Bool { account.index >= data.accounts.count }
}
