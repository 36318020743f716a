import JSON

/// The other sides of an account's transactions, and what people note about them; reference obp.md, section 3.9.
extension OBPRoutes {
  private static let base = "/banks/BANK_ID/accounts/ACCOUNT_ID/VIEW_ID/other_accounts"

  mutating func addOtherAccounts() {
    for (version, shape) in [(OBPVersion.v121, TransactionWriter.Shape.old), (.v300, .full)] {
      add(version, "GET", Self.base, .open, "getOtherAccountsForBankAccount", "Get Other Accounts") {
        call throws(OBPError) in
        let viewed = try call.theViewedAccount()
        let parties = call.bank.parties(of: viewed.account)
        let writer = TransactionWriter(shape, viewed, bank: call.bank, hostname: call.hostname)
        let body = OBPReply.Body.written { json in
          json.beginObject()
          json.key("other_accounts")
          json.beginArray()
          for party in parties { writer.write(party, to: &json) }
          json.endArray()
          json.endObject()
        }
        return OBPReply(body: body)
      }
      add(
        version, "GET", Self.base + "/OTHER_ACCOUNT_ID", .open, "getOtherAccountByIdForBankAccount", "Get Other Account"
      ) {
        call throws(OBPError) in
        let viewed = try call.theViewedAccount()
        let party = try call.theParty(viewed)
        let writer = TransactionWriter(shape, viewed, bank: call.bank, hostname: call.hostname)
        return OBPReply(body: .written { writer.write(party, to: &$0) })
      }
    }
    let metadata = Self.base + "/OTHER_ACCOUNT_ID/metadata"
    add(.v121, "GET", metadata, .open, isOld: false, "getOtherAccountMetadata", "Get Other Account Metadata") {
      call throws(OBPError) in
      let viewed = try call.theViewedAccount()
      let notes = call.bank.partyNotes(on: try call.theParty(viewed), of: viewed.account)
      let writer = TransactionWriter(.old, viewed, bank: call.bank, hostname: call.hostname)
      return OBPReply(body: .written { writer.write(notes, to: &$0) })
    }
    addAlias("public_alias", "public alias", \.publicAlias)
    addAlias("private_alias", "private alias", \.privateAlias)
    addText("metadata/more_info", "more_info", "more info", \.moreInfo)
    addText("metadata/url", "URL", "url", \.url)
    addText("metadata/image_url", "image_URL", "image url", \.imageURL)
    addText("metadata/open_corporates_url", "open_corporates_URL", "open corporate url", \.openCorporatesURL)
    addPlace("corporate_location", "corporate location", \.corporateLocation)
    addPlace("physical_location", "physical location", \.physicalLocation)
  }

  private typealias TextPath = WritableKeyPath<PartyNotes, String?> & Sendable

  private mutating func addAlias(_ path: String, _ words: String, _ field: TextPath) {
    add(.v121, "GET", "\(Self.base)/OTHER_ACCOUNT_ID/\(path)", .user, isOld: false, "get \(words)", "Get \(words)") {
      call throws(OBPError) in
      let viewed = try call.theViewedAccount()
      try viewed.require("can_see_\(path)")
      let notes = call.bank.partyNotes(on: try call.theParty(viewed), of: viewed.account)
      return .ok(["alias": .text(notes[keyPath: field])])
    }
    addText(path, "alias", words, field)
  }

  private mutating func addText(_ path: String, _ key: String, _ words: String, _ field: TextPath) {
    change(path, words) { call throws(OBPError) in
      let text = try call.text(key, of: try call.object("Json"), "Json")
      return { $0[keyPath: field] = text }
    } remove: {
      $0[keyPath: field] = nil
    }
  }

  private mutating func addPlace(
    _ key: String, _ words: String, _ field: WritableKeyPath<PartyNotes, BankPlace?> & Sendable
  ) {
    change("metadata/\(key)", words) { call throws(OBPError) in
      let place = try call.placeFromBody(key)
      return { $0[keyPath: field] = place }
    } remove: {
      $0[keyPath: field] = nil
    }
  }

  private typealias Change = @Sendable (inout PartyNotes) -> Void

  private mutating func change(
    _ path: String, _ words: String, set: @escaping @Sendable (OBPCall) throws(OBPError) -> Change,
    remove: @escaping Change
  ) {
    let path = "\(Self.base)/OTHER_ACCOUNT_ID/\(path)"
    let permission = "can_add_" + words.replacing(" corporate", with: " corporates").replacing(" ", with: "_")
    for (method, verb) in [("POST", "added"), ("PUT", "updated"), ("DELETE", "deleted")] {
      add(.v121, method, path, .user, isOld: false, "\(words) \(verb)", "\(method) \(words)") { call throws(OBPError) in
        let viewed = try call.theViewedAccount()
        try viewed.require(permission)
        let party = try call.theParty(viewed)
        let change = method == "DELETE" ? remove : try set(call)
        call.bank.change(party, of: viewed.account, change)
        let done: JSONNode = ["success": .string("\(words) \(verb)")]
        return method == "DELETE" ? .deleted : method == "POST" ? .created(done) : .ok(done)
      }
    }
  }
}

extension OBPCall {
  fileprivate func theParty(_ viewed: ViewedAccount) throws(OBPError) -> OtherParty {
    let id = self["OTHER_ACCOUNT_ID"]
    guard let party = bank.parties(of: viewed.account).first(where: { $0.id == id }) else {
      throw OBPError(400, "OBP-30004: Counterparty not found. The BANK_ID / ACCOUNT_ID specified does not exist. \(id)")
    }
    return party
  }
}
