import JSON

/// Views and who holds them; reference obp.md, section 3.5.
extension OBPRoutes {
  mutating func addViews() {
    let views = "/banks/BANK_ID/accounts/ACCOUNT_ID/views"
    for version in [OBPVersion.v121, .v220, .v300, .v500] {
      add(version, "GET", views, .user, "getViewsForBankAccount", "Get Views for Account") { call throws(OBPError) in
        let account = try call.accountForViews()
        return .ok(["views": .list(call.bank.views(of: call.user, on: account)) { $0.json(version) }])
      }
      add(version, "POST", views, .user, "createViewForBankAccount", "Create View") { call throws(OBPError) in
        .created(try call.createView().json(version))
      }
      add(version, "PUT", views + "/VIEW_ID", .user, "updateViewForBankAccount", "Update View") {
        call throws(OBPError) in
        .ok(try call.updateView().json(version))
      }
    }
    add(.v121, "DELETE", views + "/VIEW_ID", .user, "deleteViewForBankAccount", "Delete View") {
      call throws(OBPError) in
      try call.deleteView()
    }
    addPermissions()
  }

  private mutating func addPermissions() {
    let permissions = "/banks/BANK_ID/accounts/ACCOUNT_ID/permissions"
    add(.v121, "GET", permissions, .user, "getPermissionsForBankAccount", "Get access") { call throws(OBPError) in
      let account = try call.accountForViews()
      let holders = call.data.users.compactMap { user -> JSONNode? in
        let views = call.bank.views(of: user, on: account).filter { !$0.isPublic }
        return views.isEmpty
          ? nil : ["user": call.person(user), "views": .list(views) { $0.json(call.version) }]
      }
      return .ok(["permissions": .array(holders)])
    }
    let one = permissions + "/PROVIDER/USERNAME/views"
    add(.v121, "GET", one, .user, "getPermissionForUserForBankAccount", "Get access of one User") {
      call throws(OBPError) in
      let account = try call.accountForViews()
      let user = try call.namedUser()
      return .ok(["views": .list(call.bank.views(of: user, on: account)) { $0.json(call.version) }])
    }
    add(.v121, "POST", one + "/VIEW_ID", .user, "addPermissionForUserForBankAccount", "Grant access") {
      call throws(OBPError) in
      let (account, view, user) = (try call.accountForViews(), try call.existingView(), try call.namedUser())
      call.state.write { _ = $0.grants[account.key, default: [:]][user.id, default: []].insert(view.id) }
      return .created(view.json(call.version))
    }
    add(.v121, "DELETE", one + "/VIEW_ID", .user, "removePermissionForUserForBankAccount", "Revoke access") {
      call throws(OBPError) in
      let (account, view, user) = (try call.accountForViews(), try call.existingView(), try call.namedUser())
      call.state.write { _ = $0.grants[account.key]?[user.id]?.remove(view.id) }
      return .deleted
    }
  }
}

extension OBPCall {
  /// The account, if the asker holds a view that may see its views; holders of lesser views get 400.
  fileprivate func accountForViews() throws(OBPError) -> BankAccount {
    let account = try theAccount()
    let views = bank.views(of: try signedIn(), on: account)
    guard views.contains(where: { $0.grants("can_see_available_views_for_bank_account") }) else {
      throw OBPError(400, "OBP-20022: The current view does not have the permission can_see_available_views.")
    }
    return account
  }

  fileprivate func existingView() throws(OBPError) -> BankView {
    let account = try theAccount()
    guard let view = bank.allViews(on: account).first(where: { $0.id == self["VIEW_ID"] }) else {
      throw OBPError(isOld ? 400 : 404, "OBP-30005: View not found for Account. Current ViewId is \(self["VIEW_ID"])")
    }
    return view
  }

  fileprivate func namedUser() throws(OBPError) -> BankUser {
    guard let user = data.user(named: self["USERNAME"]) else {
      throw OBPError(isOld ? 400 : 404, "OBP-20027: User not found by provider and username.")
    }
    return user
  }

  private func changed(_ view: BankView, by body: JSONValue) -> BankView {
    var view = view
    view.description = body["description"].string ?? view.description
    view.isPublic = body["is_public"].bool ?? view.isPublic
    view.alias = body["which_alias_to_use"].string.flatMap(BankView.Alias.init) ?? view.alias
    view.hidesMetadataIfAliasUsed = body["hide_metadata_if_alias_used"].bool ?? view.hidesMetadataIfAliasUsed
    view.metadataView = body["metadata_view"].string ?? view.metadataView
    if body["allowed_actions"].kind == .array {
      let known = Set(BankView.allPermissions)
      view.granted = Set(body["allowed_actions"].elements.compactMap(\.string)).intersection(known)
    }
    return view
  }

  fileprivate func createView() throws(OBPError) -> BankView {
    let account = try accountForViews()
    let body = try object("CreateViewJson")
    let name = try text("name", of: body, "CreateViewJson")
    guard name.hasPrefix("_") else {
      throw OBPError(400, "OBP-20020: View name must start with `_`. Current view name is \(name)")
    }
    let view = changed(
      BankView(
        id: name.lowercased().filter { $0 != " " }, shortName: name, description: "", isPublic: false, alias: .none,
        hidesMetadataIfAliasUsed: false, metadataView: "owner", granted: []), by: body)
    guard !view.isPublic || profile.allowsPublicViews else { throw .publicViewsOff }
    guard !bank.allViews(on: account).contains(where: { $0.id == view.id }) else {
      throw OBPError(400, "OBP-30252: Custom view already exists.")
    }
    state.write { $0.customViews[account.key, default: []].append(view) }
    return view
  }

  fileprivate func updateView() throws(OBPError) -> BankView {
    let account = try accountForViews()
    let view = changed(try existingView(), by: try object("UpdateViewJSON"))
    guard !view.isSystem else { throw OBPError(400, "OBP-20021: System views can not be modified.") }
    let isKnown = state.write { contents -> Bool in
      guard let place = contents.customViews[account.key]?.firstIndex(where: { $0.id == view.id }) else { return false }
      contents.customViews[account.key]?[place] = view
      return true
    }
    guard isKnown else { throw OBPError(400, "OBP-20021: This view can not be modified.") }
    return view
  }

  fileprivate func deleteView() throws(OBPError) -> OBPReply {
    let account = try accountForViews()
    let view = try existingView()
    guard !view.isSystem else { throw OBPError(400, "OBP-20020: System views can not be deleted.") }
    state.write { $0.customViews[account.key]?.removeAll { $0.id == view.id } }
    return .deleted
  }
}
