/// The generated transactions of one account, each a function of its index: none is held, and a million cost nothing.
///
/// Entries are counted from the newest, 0, to the oldest. Every thirtieth entry is an income that lifts the balance to about
/// its typical level; the rest are spendings. A balance is therefore known from the thirty entries around it.
struct Ledger: Sendable {
  /// One generated transaction, amounts in minor units.
  struct Entry: Sendable, Equatable {
    let index: Int
    let amount: Int
    let balance: Int
    let completed: SandboxTime
    let posted: SandboxTime
    /// Which of the account's other parties.
    let party: Int
  }

  static let partyCount = 36
  private static let period = 30

  let count: Int
  let hasFutureEntry: Bool
  private let seed: UInt64
  private let accountIndex: Int
  private let currency: BankCurrency
  private let typicalBalance: Int
  /// Seconds between entries: six hours, or less where that would reach back over forty years.
  private let step: Int
  private let idKey: UInt64
  private let idPrefix: String

  init(
    setting: DoorSetting, accountIndex: Int, count: Int, currency: BankCurrency, typicalBalance: Int,
    hasFutureEntry: Bool
  ) {
    var random = setting.random("bank/ledger", index: accountIndex)
    seed = random.next()
    idKey = random.next()
    idPrefix = String(random.uuid().prefix(18))
    step = max(2, min(21_600, 40 * 365 * 86_400 / max(1, count)))
    self.accountIndex = accountIndex
    self.count = count
    self.currency = currency
    self.typicalBalance = typicalBalance
    self.hasFutureEntry = hasFutureEntry && count > 1
  }

  /// Entries from the newest; the range must lie within `0..<count`.
  func entries(_ range: Range<Int>) -> [Entry] {
    guard !range.isEmpty else { return [] }
    var entries: [Entry] = []
    entries.reserveCapacity(range.count)
    var month: (number: Int, balances: [Int])?
    for index in range {
      let ordinal = count - 1 - index
      let number = ordinal / Self.period
      if month?.number != number { month = (number, balances(ofPeriod: number)) }
      guard let balances = month?.balances else { continue }
      let place = ordinal % Self.period
      let before = place > 0 ? balances[place - 1] : number > 0 ? lastBalance(ofPeriod: number - 1) : 0
      entries.append(entry(index, amount: balances[place] - before, balance: balances[place]))
    }
    return entries
  }

  func entry(_ index: Int) -> Entry? {
    (0..<count).contains(index) ? entries(index..<(index + 1)).first : nil
  }

  /// The balance after the newest entry.
  var balance: Int { entry(0)?.balance ?? 0 }

  /// How many entries were completed after `time`; they are those with the indices below it.
  func entries(after time: SandboxTime) -> Int {
    partition { completed($0) > time }
  }

  /// How many entries were completed at `time` or after it.
  func entries(from time: SandboxTime) -> Int {
    partition { completed($0) >= time }
  }

  /// The first index for which `isNewer` fails; it must hold up to some index and fail from there on.
  private func partition(_ isNewer: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isNewer(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func completed(_ index: Int) -> SandboxTime {
    if index == 0 && hasFutureEntry { return SandboxTime(year: 2031, month: 1, day: 1, hour: 9) }
    var random = SeededRandom(seed: seed, "jitter", index: count - index)
    return DoorSetting.present.adding(seconds: -index * step - random.below(step / 2))
  }

  private func entry(_ index: Int, amount: Int, balance: Int) -> Entry {
    var random = SeededRandom(seed: seed, "entry", index: count - index)
    let completed = completed(index)
    let delay = random.chance(10) ? random.below(3 * 86_400) : 0
    let party = amount > 0 ? random.below(2) : 2 + random.below(Self.partyCount - 2)
    return Entry(
      index: index, amount: amount, balance: balance, completed: completed,
      posted: completed.adding(seconds: -delay), party: party)
  }

  /// Balances after each entry of a period, its income first.
  private func balances(ofPeriod number: Int) -> [Int] {
    var random = SeededRandom(seed: seed, "period", index: number)
    var balance = currency.minor(euroCents: typicalBalance + random.below(typicalBalance / 5 + 1))
    var balances = [balance]
    for _ in 1..<Self.period {
      balance -= spending(&random)
      balances.append(balance)
    }
    return balances
  }

  private func lastBalance(ofPeriod number: Int) -> Int { balances(ofPeriod: number).last ?? 0 }

  /// Mostly small, sometimes a rent, now and then nothing or a refund.
  private func spending(_ random: inout SeededRandom) -> Int {
    switch random.below(100) {
    case 0: 0
    case 1..<4: -currency.minor(euroCents: random.number(in: 200...4_000))
    case 4..<8: currency.minor(euroCents: random.number(in: 20_000...90_000))
    default: currency.minor(euroCents: random.number(in: 90...6_500))
    }
  }
}

extension Ledger {
  private static let idFactor: UInt64 = 0x9e37_79b9_7f4a_7c15
  /// `idFactor` times this is 1, modulo 2⁶⁴.
  private static let idInverse: UInt64 = 0xf1de_83e1_9937_733d

  /// The id of an entry: a UUID whose last half hides the index, so an id leads back without a table.
  func id(_ index: Int) -> String {
    let hidden = (UInt64(count - index) &* Self.idFactor) ^ idKey
    let digits = String(hidden, radix: 16)
    let padded = String(repeating: "0", count: 16 - digits.utf8.count) + digits
    return "\(idPrefix)-\(padded.prefix(4))-\(padded.suffix(12))"
  }

  func index(id: String) -> Int? {
    let parts = id.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 5, let hidden = UInt64(parts[3] + parts[4], radix: 16) else { return nil }
    let plain = (hidden ^ idKey) &* Self.idInverse
    guard plain <= UInt64(count), plain > 0 else { return nil }
    let index = count - Int(plain)
    return index >= 0 && self.id(index) == id ? index : nil
  }
}
