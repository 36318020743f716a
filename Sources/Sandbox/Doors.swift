extension Hall {
  /// The five servers, in the order in which the configuration names them.
  static func makeDoors(_ setting: DoorSetting) -> [any Door] {
    let docs = AlfrescoDoor(setting)
    // The bank trusts the repository's identity service, so one browser sign-in opens both.
    let identity = BankIdentity(discovery: "/auth/realms/alfresco/.well-known/openid-configuration") { token, now in
      docs.server.issuer.user(ofAccessToken: token, at: now)
    }
    return [
      OpenBankDoor(setting, identity: identity), docs, OMCDoor(setting), MobileFirstDoor(setting),
      UnwiredDoor(setting),
    ]
  }
}
