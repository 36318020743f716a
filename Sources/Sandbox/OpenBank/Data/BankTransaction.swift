/// A transaction as the server shows it, generated or made by a payment.
struct BankTransaction: Sendable {
  let id: String
  /// In minor units of the account's currency; negative leaves the account.
  let amount: Int
  var balance: Int
  let completed: SandboxTime
  let posted: SandboxTime
  let type: String
  let description: String?
  let party: OtherParty
}

extension BankTransaction {
  private static let types = ["SANDBOX_TAN", "SEPA", "COUNTERPARTY", "CARD", "FREE_FORM"]

  /// What a ledger's entry says beyond its figures.
  init(_ entry: Ledger.Entry, of account: BankAccount, party: OtherParty, setting: DoorSetting) {
    var random = setting.random("bank/transaction/\(account.index)", index: account.ledger.count - entry.index)
    id = account.ledger.id(entry.index)
    amount = entry.amount
    balance = entry.balance
    completed = entry.completed
    posted = entry.posted
    type = entry.amount > 0 ? "SALARY" : random.pick(Self.types)
    self.party = party
    description =
      switch random.below(40) {
      case 0: setting.city.awkwardLabel(random.below(City.awkwardLabelCount))
      case 1: nil
      case 2..<8: "\(party.holder) \(random.text(6, from: "0123456789"))"
      default: setting.city.words(random.number(in: 2...4), "bank/transaction", index: Int(random.next() >> 2))
      }
  }
}

/// Which transactions are asked for.
struct TransactionQuery: Sendable, Equatable {
  var limit = 50
  var offset = 0
  var isAscending = false
  /// Both inclusive, on the time of completion.
  var from: SandboxTime?
  var to: SandboxTime?
}

/// An account's generated entries and those that payments added, as one list by time of completion.
struct TransactionBook: Sendable {
  let account: BankAccount
  /// Made at run time, newest first.
  let added: [BankTransaction]
  let setting: DoorSetting

  var count: Int { account.ledger.count + added.count }

  var balance: Int { added.reduce(account.ledger.balance) { $0 + $1.amount } }

  func page(_ query: TransactionQuery) -> [BankTransaction] {
    let first = query.to.map { time in account.ledger.entries(after: time) + added.count { $0.completed > time } } ?? 0
    let end =
      query.from.map { time in account.ledger.entries(from: time) + added.count { $0.completed >= time } } ?? count
    guard first < end, query.offset < end - first else { return [] }
    let length = min(query.limit, end - first - query.offset)
    if query.isAscending {
      let upper = end - query.offset
      return transactions((upper - length)..<upper).reversed()
    }
    let lower = first + query.offset
    return transactions(lower..<(lower + length))
  }

  func transaction(id: String) -> BankTransaction? {
    if let place = added.firstIndex(where: { $0.id == id }) {
      let position = positions[place]
      return transactions(position..<(position + 1)).first
    }
    guard let index = account.ledger.index(id: id) else { return nil }
    let newer = added.indices.count { addedRank($0) <= index }
    return transactions((index + newer)..<(index + newer + 1)).first
  }

  /// How many generated entries are newer than the added one.
  private func addedRank(_ place: Int) -> Int { account.ledger.entries(after: added[place].completed) }

  /// Where the added transactions stand in the whole list.
  private var positions: [Int] { added.indices.map { addedRank($0) + $0 } }

  private func transactions(_ range: Range<Int>) -> [BankTransaction] {
    let positions = positions
    let before = positions.count { $0 < range.lowerBound }
    let inside = positions.count { range.contains($0) }
    let generated = account.ledger.entries((range.lowerBound - before)..<(range.upperBound - before - inside))
    var parties: [Int: OtherParty] = [:]
    var result: [BankTransaction] = []
    result.reserveCapacity(range.count)
    var place = before
    var waiting = generated[...]
    for position in range {
      var transaction: BankTransaction
      if place < added.count, positions[place] == position {
        transaction = added[place]
        transaction.balance = account.ledger.entry(position - place)?.balance ?? 0
        place += 1
        transaction.balance += added[(place - 1)...].reduce(0) { $0 + $1.amount }
      } else {
        guard let entry = waiting.popFirst() else { break }
        let party = parties[entry.party] ?? OtherParty(entry.party, of: account, setting: setting)
        parties[entry.party] = party
        transaction = BankTransaction(entry, of: account, party: party, setting: setting)
        transaction.balance += added[place...].reduce(0) { $0 + $1.amount }
      }
      result.append(transaction)
    }
    return result
  }
}
