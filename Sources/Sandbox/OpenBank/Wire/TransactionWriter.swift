import JSON

/// Writes transactions as one viewer of one version sees them; reference obp.md, section 3.7.
///
/// Straight into the answer's bytes: pages of 500 are asked for a lot.
struct TransactionWriter: Sendable {
  enum Shape: Sendable {
    /// v1.2.1 and v2.0.0, in full.
    case old
    /// `/my/…` of v2.0.0.
    case oldCore
    /// v3.0.0 and later, in full.
    case full
    /// `/my/…` of v3.0.0 and later.
    case core
    /// v6.0.0: ids under their own names.
    case renamed
  }

  let shape: Shape
  let account: BankAccount
  let bank: BankService
  let hostname: String
  let view: BankView
  let sight: Sight

  init(_ shape: Shape, _ viewed: ViewedAccount, bank: BankService, hostname: String) {
    self.shape = shape
    account = viewed.account
    view = viewed.view
    self.bank = bank
    self.hostname = hostname
    sight = Sight(viewed.view)
  }

  /// What the view shows, asked once.
  struct Sight: Sendable {
    let amount, balance, currency, description, finish, start, type, metadata, otherAccount, thisAccount: Bool
    let iban, number, owners, otherIBAN, otherNumber, otherBank, otherMetadata: Bool

    init(_ view: BankView) {
      amount = view.grants("can_see_transaction_amount")
      balance = view.grants("can_see_transaction_balance")
      currency = view.grants("can_see_transaction_currency")
      description = view.grants("can_see_transaction_description")
      finish = view.grants("can_see_transaction_finish_date")
      start = view.grants("can_see_transaction_start_date")
      type = view.grants("can_see_transaction_type")
      metadata = view.grants("can_see_transaction_metadata")
      otherAccount = view.grants("can_see_transaction_other_bank_account")
      thisAccount = view.grants("can_see_transaction_this_bank_account")
      iban = view.grants("can_see_bank_account_iban")
      number = view.grants("can_see_bank_account_number")
      owners = view.grants("can_see_bank_account_owners")
      otherIBAN = view.grants("can_see_other_account_iban")
      otherNumber = view.grants("can_see_other_account_number")
      otherBank = view.grants("can_see_other_account_bank_name")
      otherMetadata = view.grants("can_see_other_account_metadata")
    }
  }

  func write(_ transaction: BankTransaction, to json: inout JSONWriter) {
    json.beginObject()
    json.text(shape == .renamed ? "transaction_id" : "id", transaction.id)
    json.key(shape == .oldCore ? "account" : "this_account")
    writeThisAccount(&json)
    json.key(shape == .oldCore ? "counterparty" : "other_account")
    write(transaction.party, to: &json)
    json.key("details")
    writeDetails(transaction, &json)
    if shape != .core && shape != .oldCore {
      json.key("metadata")
      writeNotes(bank.notes(on: transaction, of: account), &json)
    }
    if shape != .old && shape != .oldCore {
      json.key("transaction_attributes")
      writeAttributes(transaction, &json)
    }
    json.endObject()
  }

  private var isOldFamily: Bool { shape == .old || shape == .oldCore }

  private func writeThisAccount(_ json: inout JSONWriter) {
    guard sight.thisAccount else { return json.null() }
    json.beginObject()
    if shape == .renamed {
      json.text("bank_id", account.bank.id)
      json.text("account_id", account.id)
    } else {
      json.text("id", account.id)
    }
    if !isOldFamily {
      json.routing("bank_routing", "OBP", account.bank.id)
      json.key("account_routings")
      json.beginArray()
      if sight.iban { json.routing("IBAN", account.iban) }
      json.endArray()
    }
    json.key("holders")
    if sight.owners {
      json.beginArray()
      json.beginObject()
      json.text("name", account.holder)
      json.bool("is_alias", false)
      json.endObject()
      json.endArray()
    } else {
      json.null()
    }
    if isOldFamily {
      json.text("number", sight.number ? account.number : nil)
      json.text("kind", account.type)
      json.text("IBAN", sight.iban ? account.iban : nil)
      json.text("swift_bic", nil)
      json.bank(identifier: account.bank.shortName, name: account.bank.fullName)
    }
    json.endObject()
  }

  /// The other side alone, as the lists of other accounts show it.
  func write(_ party: OtherParty, to json: inout JSONWriter) {
    guard sight.otherAccount else { return json.null() }
    let notes = bank.partyNotes(on: party, of: account)
    let alias =
      switch view.alias {
      case .none: nil as String?
      case .private: notes.privateAlias
      case .public: notes.publicAlias ?? "ALIAS_\(party.id.prefix(4).uppercased())"
      }
    json.beginObject()
    if shape == .renamed {
      json.text("bank_id", party.bankID)
      json.text("account_id", party.id)
    } else {
      json.text("id", party.id)
    }
    json.key("holder")
    json.beginObject()
    json.text("name", alias ?? party.holder)
    if shape != .oldCore { json.bool("is_alias", alias != nil) }
    json.endObject()
    isOldFamily ? writeOldSide(party, &json) : writeNewSide(party, &json)
    if shape == .old || shape == .full || shape == .renamed {
      json.key("metadata")
      let isHidden = !sight.otherMetadata || (alias != nil && view.hidesMetadataIfAliasUsed)
      if isHidden { json.null() } else { write(notes, to: &json) }
    }
    json.endObject()
  }

  private func writeOldSide(_ party: OtherParty, _ json: inout JSONWriter) {
    json.text("number", sight.otherNumber ? party.number : nil)
    json.text("kind", party.kind)
    json.text("IBAN", sight.otherIBAN ? party.iban : nil)
    json.text("swift_bic", nil)
    json.bank(identifier: nil, name: sight.otherBank ? party.bankName : nil)
  }

  private func writeNewSide(_ party: OtherParty, _ json: inout JSONWriter) {
    json.routing("bank_routing", party.bankID == nil ? nil : "OBP", party.bankID)
    json.key("account_routings")
    json.beginArray()
    if sight.otherIBAN, let iban = party.iban { json.routing("IBAN", iban) }
    json.endArray()
  }

  private func writeDetails(_ transaction: BankTransaction, _ json: inout JSONWriter) {
    let currency = sight.currency ? account.currency.code : nil
    json.beginObject()
    json.text("type", sight.type ? transaction.type : nil)
    json.text("description", sight.description ? transaction.description : nil)
    json.text("posted", sight.start ? transaction.posted.iso : nil)
    json.text("completed", sight.finish ? transaction.completed.iso : nil)
    json.money("new_balance", currency, sight.balance ? account.currency.text(transaction.balance) : nil)
    json.money("value", currency, sight.amount ? account.currency.text(transaction.amount) : nil)
    json.endObject()
  }

  private func writeAttributes(_ transaction: BankTransaction, _ json: inout JSONWriter) {
    json.beginArray()
    if transaction.type == "SALARY" {
      json.beginObject()
      json.text("transaction_attribute_id", transaction.id)
      json.text("name", "EMPLOYER_REFERENCE")
      json.text("type", "STRING")
      json.text("value", transaction.party.number)
      json.endObject()
    }
    json.endArray()
  }
}
