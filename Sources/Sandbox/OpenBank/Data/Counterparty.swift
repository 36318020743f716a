/// A payee that somebody entered for an account.
struct Counterparty: Sendable {
  let id: String
  var name: String
  var description: String
  var currency: String
  var createdBy: String
  var bankScheme: String
  var bankAddress: String
  var branchScheme = ""
  var branchAddress = ""
  var accountScheme: String
  var accountAddress: String
  var secondaryScheme = ""
  var secondaryAddress = ""
  var isBeneficiary = true
  var bespoke: [(key: String, value: String)] = []

  /// Payees that an account starts with: neighbours at this server, and one who may not be paid.
  static func generated(for account: BankAccount, data: BankData) -> [Counterparty] {
    let neighbours = data.neighbours
    return (0..<5).map { index in
      var random = data.setting.random("bank/counterparty/\(account.index)", index: index)
      let neighbour = neighbours[neighbours.startIndex + (account.index + index * 3) % neighbours.count]
      return Counterparty(
        id: random.uuid(), name: index == 4 ? "寿司屋 \(neighbour.holder)" : neighbour.holder,
        description: index == 2 ? "" : "payee \(index + 1)", currency: account.currency.code, createdBy: data.owner.id,
        bankScheme: "OBP", bankAddress: neighbour.bank.id, accountScheme: "OBP", accountAddress: neighbour.id,
        secondaryScheme: "IBAN", secondaryAddress: neighbour.iban, isBeneficiary: index != 3,
        bespoke: index == 0 ? [("customer no", "77")] : [])
    }
  }
}
