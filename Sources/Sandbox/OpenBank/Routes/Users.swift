import JSON

/// Whoever asks, and what roles that person holds; reference obp.md, section 3.13.
extension OBPRoutes {
  mutating func addUsers() {
    for version in [OBPVersion.v200, .v300, .v400] {
      add(version, "GET", "/users/current", .user, "getCurrentUser", "Get User (Current)") { call throws(OBPError) in
        .ok(call.json(try call.signedIn(), version))
      }
    }
    add(.v400, "GET", "/users/current/user_id", .user, "getCurrentUserId", "Get User Id (Current)") {
      call throws(OBPError) in .ok(["user_id": .string(try call.signedIn().id)])
    }
    add(.v300, "GET", "/my/entitlements", .user, "getEntitlementsForCurrentUser", "Get My Entitlements") {
      call throws(OBPError) in
      .ok(["list": .list(call.bank.entitlements(of: try call.signedIn()), OBPCall.entitlement)])
    }
    add(.v210, "GET", "/roles", .user, "getRoles", "Get Roles") { _ in
      .ok(["roles": .list(OBPCall.roles) { ["role": .string($0.name), "requires_bank_id": .bool($0.needsBank)] }])
    }
    for path in ["/my/entitlement-requests", "/entitlement-requests"] {
      add(.v300, "GET", path, .user, "getEntitlementRequests", "Get Entitlement Requests") { call throws(OBPError) in
        let user = try call.signedIn()
        let list = call.state.read { $0.entitlementRequests[user.id] ?? [] }
        return .ok(["entitlement_requests": .list(list) { call.request($0, of: user) }])
      }
    }
    add(.v300, "POST", "/entitlement-requests", .user, "addEntitlementRequest", "Create Entitlement Request") {
      call throws(OBPError) in
      let user = try call.signedIn()
      let asked = try call.askedEntitlement()
      call.state.write { $0.entitlementRequests[user.id, default: []].append(asked) }
      return .created(call.request(asked, of: user))
    }
    addOthers()
    addEntitlements()
    addConsumers()
  }

  private mutating func addOthers() {
    let roles = OBPRoute.Access.roles(["CanGetAnyUser"])
    add(.v400, "GET", "/users", roles, "getUsers", "Get all Users") { call in
      let offset = max(0, Int(call.request.query("offset") ?? "") ?? 0)
      let limit = max(1, Int(call.request.query("limit") ?? "") ?? 50)
      let users = Array(call.data.users.dropFirst(offset).prefix(limit))
      return .ok(["users": .list(users) { call.json($0, .v400) }])
    }
    add(.v400, "GET", "/users/user_id/USER_ID", roles, "getUserByUserId", "Get User by User Id") {
      call throws(OBPError) in .ok(call.json(try call.theUser(), .v400))
    }
  }

  private mutating func addEntitlements() {
    let roles = OBPRoute.Access.roles(["CanCreateEntitlementAtAnyBank"])
    add(.v200, "GET", "/users/USER_ID/entitlements", roles, isOld: false, "getEntitlements", "Get Entitlements") {
      call throws(OBPError) in .ok(["list": .list(call.bank.entitlements(of: try call.theUser()), OBPCall.entitlement)])
    }
    add(.v200, "POST", "/users/USER_ID/entitlements", roles, isOld: false, "addEntitlement", "Add Entitlement") {
      call throws(OBPError) in
      let user = try call.theUser()
      let made = try call.askedEntitlement()
      let held = call.bank.entitlements(of: user)
      call.state.write { $0.entitlements[user.id] = held + [made] }
      return .created(OBPCall.entitlement(made))
    }
    add(
      .v200, "DELETE", "/users/USER_ID/entitlement/ENTITLEMENT_ID", roles, isOld: false, "deleteEntitlement", "Delete"
    ) {
      call throws(OBPError) in
      let user = try call.theUser()
      let held = call.bank.entitlements(of: user)
      call.state.write { $0.entitlements[user.id] = held.filter { $0.id != call["ENTITLEMENT_ID"] } }
      return .deleted
    }
  }

  private mutating func addConsumers() {
    add(.v310, "GET", "/management/users/current/consumers", .user, "getConsumersForCurrentUser", "Get My Consumers") {
      call throws(OBPError) in
      let user = try call.signedIn()
      return .ok([
        "consumers": .list(call.data.consumers) { consumer in
          [
            "consumer_id": .string(consumer.id), "app_name": .string(consumer.name), "app_type": "Web",
            "description": "An app of the sandbox", "developer_email": .string(user.email),
            "redirect_url": .string(consumer.redirectURL),
            "created_by_user": [
              "user_id": .string(user.id), "email": .string(user.email), "provider_id": .string(user.username),
              "provider": .string(call.hostname), "username": .string(user.username),
            ],
            "enabled": .bool(consumer.isEnabled), "created": .string(DoorSetting.present.adding(days: -500).iso),
          ]
        }
      ])
    }
    add(.v400, "GET", "/my/user/attributes", .user, "getMyUserAttributes", "Get My User Attributes") { _ in
      .ok(["user_attributes": []])
    }
  }
}

extension BankService {
  /// The owner may see customers and cards of the first bank, and give away roles.
  func entitlements(of user: BankUser) -> [BankState.Entitlement] {
    if let known = state.read({ $0.entitlements[user.id] }) { return known }
    guard user == data.owner else { return [] }
    let held = [
      ("CanGetCustomer", Bank.all[0].id), ("CanGetCardsForBank", Bank.all[0].id), ("CanCreateEntitlementAtAnyBank", ""),
      ("CanGetAnyUser", ""), ("CanGetSystemView", ""), ("CanUseAccountFirehoseAtAnyBank", ""),
    ]
    return held.enumerated().map { index, pair in
      var random = data.setting.random("bank/entitlement", index: index)
      return BankState.Entitlement(id: random.uuid(), role: pair.0, bank: pair.1)
    }
  }
}

extension OBPCall {
  fileprivate static let roles = [
    (name: "CanCreateBranch", needsBank: true), (name: "CanGetCustomer", needsBank: true),
    (name: "CanGetCustomersAtOneBank", needsBank: true), (name: "CanGetCardsForBank", needsBank: true),
    (name: "CanCreateEntitlementAtAnyBank", needsBank: false), (name: "CanReadResourceDoc", needsBank: false),
    (name: "CanGetAnyUser", needsBank: false), (name: "CanGetSystemView", needsBank: false),
    (name: "CanUseAccountFirehoseAtAnyBank", needsBank: false),
  ]

  fileprivate static func entitlement(_ held: BankState.Entitlement) -> JSONNode {
    ["entitlement_id": .string(held.id), "role_name": .string(held.role), "bank_id": .string(held.bank)]
  }

  fileprivate func theUser() throws(OBPError) -> BankUser {
    guard let user = data.user(id: self["USER_ID"]) else {
      throw OBPError(404, "OBP-20057: User not found by userId. Current UserId is \(self["USER_ID"])")
    }
    return user
  }

  fileprivate func askedEntitlement() throws(OBPError) -> BankState.Entitlement {
    let body = try object("CreateEntitlementJSON")
    let role = try text("role_name", of: body, "CreateEntitlementJSON")
    let bank = body["bank_id"].string ?? ""
    guard let known = Self.roles.first(where: { $0.name == role }) else {
      throw OBPError(400, "OBP-10007: Incorrect Role name: \(role)")
    }
    guard known.needsBank == !bank.isEmpty else {
      throw OBPError(400, "OBP-30205: This entitlement is a \(known.needsBank ? "Bank" : "System") Role.")
    }
    return BankState.Entitlement(id: state.makeID(), role: role, bank: bank)
  }

  fileprivate func request(_ asked: BankState.Entitlement, of user: BankUser) -> JSONNode {
    [
      "entitlement_request_id": .string(asked.id), "user": json(user, .v200), "role_name": .string(asked.role),
      "bank_id": .string(asked.bank), "created": .string(now.iso),
    ]
  }

  fileprivate func json(_ user: BankUser, _ shape: OBPVersion) -> JSONNode {
    var node: JSONNode = [
      "user_id": .string(user.id), "email": .string(user.email), "provider_id": .string(user.username),
      "provider": .string(hostname), "username": .string(user.username),
      "entitlements": ["list": .list(bank.entitlements(of: user), Self.entitlement)],
    ]
    if shape >= .v300 {
      let held = bank.accounts(of: user).flatMap { pair in pair.views.map { (pair.account, $0) } }
      node["views"] = [
        "list": .list(held) { account, view in
          [
            "bank_id": .string(account.bank.id), "account_id": .string(account.id), "view_id": .string(view.id),
          ]
        }
      ]
    }
    if shape >= .v400 {
      node["agreements"] = []
      node["is_deleted"] = false
      node["last_marketing_agreement_signed_date"] = .null
      node["is_locked"] = .bool(user.isLocked)
    }
    return node
  }
}
