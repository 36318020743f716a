extension Hall {
  /// The five servers, in the order in which the configuration names them.
  static func makeDoors(_ setting: DoorSetting) -> [any Door] {
    [
      OpenBankDoor(setting), AlfrescoDoor(setting), OMCDoor(setting), MobileFirstDoor(setting), UnwiredDoor(setting),
    ]
  }
}
