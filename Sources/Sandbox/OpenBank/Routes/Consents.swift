import JSON

/// Consents: listed, made, confirmed and revoked; reference obp.md, section 3.14.
extension OBPRoutes {
  mutating func addConsents() {
    let mine = "/banks/BANK_ID/my/consents"
    for version in [OBPVersion.v310, .v400] {
      add(version, "GET", mine, .user, "getConsents", "Get Consents") { call throws(OBPError) in
        let (user, bank) = (try call.signedIn(), try call.theBank())
        let held = call.state.read { $0.consents.filter { $0.user == user.id && $0.bank == bank.id } }
        return .ok(["consents": .list(held) { call.json($0, version) }])
      }
    }
    add(.v400, "GET", "/banks/BANK_ID/my/consent-infos", .user, "getConsentInfos", "Get Consents Info") {
      call throws(OBPError) in
      let (user, bank) = (try call.signedIn(), try call.theBank())
      let held = call.state.read { $0.consents.filter { $0.user == user.id && $0.bank == bank.id } }
      return .ok([
        "consents": .list(held) {
          [
            "consent_id": .string($0.id), "status": .string($0.status), "api_standard": "OBP",
            "api_version": "v4.0.0",
          ]
        }
      ])
    }
    add(.v310, "POST", mine + "/METHOD", .user, "createConsent", "Create Consent") { call throws(OBPError) in
      let method = call["METHOD"]
      guard ["EMAIL", "SMS", "IMPLICIT"].contains(method) else {
        throw OBPError(400, "OBP-35009: Only SMS, EMAIL and IMPLICIT are supported as SCA methods.")
      }
      _ = try call.object("PostConsentBodyCommonJson")
      var random = call.state.makeRandom("consent")
      let consent = BankState.Consent(
        id: random.uuid(), bank: try call.theBank().id, method: method, user: try call.signedIn().id,
        status: method == "IMPLICIT" ? "ACCEPTED" : "INITIATED",
        token: "eyJhbGciOiJIUzI1NiJ9.\(random.hex(40)).\(random.hex(43))")
      call.state.write { $0.consents.append(consent) }
      return .created(call.json(consent, .v310))
    }
    add(
      .v310, "POST", "/banks/BANK_ID/consents/CONSENT_ID/challenge", .user, "answerConsentChallenge", "Answer Challenge"
    ) {
      call throws(OBPError) in
      let answer = try call.text("answer", of: try call.object("PostConsentChallengeJsonV310"), "PostConsentChallenge")
      guard answer == "123" else { throw OBPError(400, "OBP-35006: Consent challenge answer is wrong.") }
      return .created(call.json(try call.change { $0.status = "ACCEPTED" }, .v310))
    }
    // A GET that changes something: clients must never fetch it ahead or repeat it.
    add(.v310, "GET", mine + "/CONSENT_ID/revoke", .user, "revokeConsent", "Revoke Consent") { call throws(OBPError) in
      .ok(call.json(try call.change { $0.status = "REVOKED" }, .v310))
    }
  }
}

extension OBPCall {
  fileprivate func change(_ body: (inout BankState.Consent) -> Void) throws(OBPError) -> BankState.Consent {
    let (id, user) = (self["CONSENT_ID"], try signedIn())
    let changed = state.write { contents -> BankState.Consent? in
      guard let place = contents.consents.firstIndex(where: { $0.id == id && $0.user == user.id }) else { return nil }
      body(&contents.consents[place])
      return contents.consents[place]
    }
    guard let changed else { throw OBPError(400, "OBP-35001: Consent not found by CONSENT_ID. Current id is \(id)") }
    return changed
  }

  fileprivate func json(_ consent: BankState.Consent, _ shape: OBPVersion) -> JSONNode {
    var node: JSONNode = [
      "consent_id": .string(consent.id), "jwt": .string(consent.token), "status": .string(consent.status),
    ]
    if shape >= .v400 {
      node["api_standard"] = "OBP"
      node["api_version"] = "v4.0.0"
    }
    return node
  }
}
