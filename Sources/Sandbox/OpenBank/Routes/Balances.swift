import JSON

/// Balances, and whether there is enough; reference obp.md, section 3.6.
extension OBPRoutes {
  mutating func addBalances() {
    let all = "/banks/BANK_ID/balances"
    add(.v310, "GET", all, .user, "getBankAccountsBalances", "Get Balances at Bank") { call throws(OBPError) in
      .ok(try call.oldBalances())
    }
    add(.v400, "GET", all, .user, "getBankAccountsBalances", "Get Balances at Bank") { call throws(OBPError) in
      .ok(try call.balances { _ in true })
    }
    let one = "/banks/BANK_ID/accounts/ACCOUNT_ID"
    add(.v400, "GET", one + "/balances", .user, "getBankAccountBalances", "Get Balances") { call throws(OBPError) in
      .ok(call.balances(of: try call.myAccount().account))
    }
    let through = "/banks/BANK_ID/views/VIEW_ID/balances"
    add(.v510, "GET", through, .user, "getBalancesThroughView", "Get Balances by View") { call throws(OBPError) in
      .ok(try call.balances { $0.id == call["VIEW_ID"] })
    }
    add(.v510, "GET", one + "/views/VIEW_ID/balances", .user, "getBankAccountBalances", "Get Balances by View") {
      call throws(OBPError) in
      let viewed = try call.theViewedAccount()
      guard viewed.view.grants("can_see_bank_account_balance") else {
        throw OBPError(403, "OBP-20022: The current view does not have the permission can_see_bank_account_balance.")
      }
      return .ok(call.balances(of: viewed.account))
    }
    add(.v310, "GET", one + "/VIEW_ID/funds-available", .user, "checkFundsAvailable", "Check Available Funds") {
      call throws(OBPError) in try call.fundsAvailable()
    }
  }
}

extension OBPCall {
  func balanceText(_ account: BankAccount) -> String { account.currency.text(bank.book(of: account).balance) }

  /// Balances of the asker's accounts at the bank that show them through a view of the kind asked for.
  fileprivate func balances(through isMeant: (BankView) -> Bool) throws(OBPError) -> JSONNode {
    let accounts = bank.accounts(of: try signedIn(), at: try theBank()).filter { pair in
      pair.views.contains { isMeant($0) && $0.grants("can_see_bank_account_balance") }
    }
    return ["accounts": .list(accounts) { balances(of: $0.account) }]
  }

  fileprivate func balances(of account: BankAccount) -> JSONNode {
    let amount = balanceText(account)
    return [
      "bank_id": .string(account.bank.id), "account_id": .string(account.id), "account_routings": account.routings,
      "label": .string(bank.label(of: account)),
      "balances": [
        ["type": "OpeningBooked", "currency": .string(account.currency.code), "amount": .string(amount)]
      ],
    ]
  }

  fileprivate func oldBalances() throws(OBPError) -> JSONNode {
    let bank = try theBank()
    let accounts = self.bank.accounts(of: try signedIn(), at: bank).filter { pair in
      pair.views.contains { $0.grants("can_see_bank_account_balance") }
    }.map(\.account)
    let own = BankCurrency.named(bank.currencies[0]) ?? BankCurrency.all[0]
    let total = accounts.reduce(0) { sum, account in
      sum + own.minor(euroCents: account.currency.euroCents(minor: self.bank.book(of: account).balance))
    }
    return [
      "accounts": .list(accounts) { account in
        [
          "id": .string(account.id), "label": .string(self.bank.label(of: account)),
          "bank_id": .string(account.bank.id), "account_routings": account.routings,
          "balance": .money(account.currency.code, balanceText(account)),
        ]
      },
      "overall_balance": .money(own.code, own.text(total)), "overall_balance_date": .string(now.iso),
    ]
  }

  fileprivate func fundsAvailable() throws(OBPError) -> OBPReply {
    let account = try theViewedAccount().account
    guard let amount = account.currency.minor(request.query("amount") ?? "") else {
      throw OBPError(400, "OBP-10002: Invalid Number. Could not convert value to a number.")
    }
    guard request.query("currency") == account.currency.code else {
      throw OBPError(400, "OBP-10003: Invalid Currency Value. It should be three letters ISO Currency Code.")
    }
    return .ok([
      "answer": bank.book(of: account).balance >= amount ? "yes" : "no", "date": .string(now.iso),
      "available_funds_request_id": .string(state.makeID()),
    ])
  }
}
