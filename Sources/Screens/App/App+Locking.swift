import Model

/// The lock of the screen: asked for, or after a while without a key.
extension App {
  mutating func lockScreen() -> [Effect] {
    lastID += 1
    idleCheck = nil
    lock = ScreenLock(id: lastID)
    return tellLock(.appeared)
  }

  mutating func tellLock(_ event: OverlayEvent) -> [Effect] {
    guard var lock else { return [] }
    let effects = lock.handle(event)
    self.lock = lock.isOpen ? nil : lock
    if lock.isOpen { noteInput() }
    return effects
  }

  /// Somebody is there. The time of the next look stays: a timer a key would cost more than it tells.
  mutating func noteInput() {
    lastInput = world.now
    if idleCheck == nil, lock == nil { idleCheck = idleEnd }
  }

  /// Whether nobody was there for long enough; else it is looked again when that could be.
  var isIdle: Bool {
    mutating get {
      guard let end = idleEnd else { return false }
      if end <= world.now { return true }
      idleCheck = end
      return false
    }
  }

  private var idleEnd: Timestamp? {
    world.lockAfter.map { Timestamp(milliseconds: lastInput.milliseconds + $0) }
  }
}
