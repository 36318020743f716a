import Model

/// A blank screen that gives way to the PIN of the vault. Each try counts as at any other door of the vault.
struct ScreenLock: Sendable {
  enum Stage: Sendable, Hashable {
    /// How the vault stands is not known yet.
    case looking
    case waiting
    case checking
    /// There is no PIN to ask for, and why: any key shows the screen again.
    case unguarded(String)
  }

  let id: Int
  private(set) var stage = Stage.looking
  private(set) var isOpen = false
  private var field = TextField(isSecret: true)
  private var vault = ""
  private var problem: String?
  private var triesLeft: Int?
  private var serial = 0

  init(id: Int) { self.id = id }

  mutating func handle(_ event: OverlayEvent) -> [Effect] {
    switch event {
    case .appeared: return ask(.look)
    case .key(let key): return press(key)
    case .paste(let text):
      if stage == .waiting { field.insert(text) }
    case .reply(let serial, let reply) where serial == self.serial: return take(reply)
    case .mouse, .reply, .deadline: break
    }
    return []
  }

  private mutating func press(_ key: Key) -> [Effect] {
    switch stage {
    case .unguarded: isOpen = true
    case .waiting:
      if key == .enter, !field.isEmpty {
        let pin = Secret(field.text)
        field = TextField(isSecret: true)
        stage = .checking
        return ask(.unlock(pin))
      }
      if key == .escape { field = TextField(isSecret: true) } else { _ = field.handle(key) }
    case .looking, .checking: break
    }
    return []
  }

  private mutating func take(_ reply: Reply) -> [Effect] {
    switch (stage, reply) {
    case (.checking, .vault): isOpen = true
    case (.checking, .failure(let error)):
      problem = error.message
      stage = .waiting
      return ask(.look)
    case (.looking, .vault(let info)):
      vault = info.name
      triesLeft = info.triesLeft
      stage = guarding(info)
    case (.looking, .failure(let error)): stage = .unguarded(error.reason)
    case (_, .vault(let info)):
      // Too many wrong tries have deleted the vault: what was open behind it is not shown to whoever tried.
      guard info.state == .locked || info.state == .unlocked else { return [.quit] }
      triesLeft = info.triesLeft
    default: break
    }
    return []
  }

  private func guarding(_ info: VaultInfo) -> Stage {
    switch info.state {
    case .locked, .unlocked: info.hasNoPIN ? .unguarded("the vault “\(info.name)” has no PIN") : .waiting
    case .absent: .unguarded("there is no vault yet; :vault creates one")
    case .damaged(let reason): .unguarded("the vault cannot be used: \(reason)")
    case .elsewhere(let keeper): .unguarded("\(keeper) keeps the secrets, and it has no PIN to ask for")
    }
  }

  private mutating func ask(_ order: VaultOrder) -> [Effect] {
    serial += 1
    return [.ask(RequestID(owner: id, serial: serial), .vault(order))]
  }

  // MARK: Drawing

  func render(into buffer: inout CellBuffer, area: Area) {
    buffer.fill(area, style: Style(.text))
    let columns = max(1, min(60, area.columns - 4))
    let lines = lines(columns)
    let box = area.centered(columns: columns, rows: lines.count + 2)
    for (offset, line) in lines.enumerated() where offset < box.rows {
      buffer.put(line, column: box.column, row: box.row + offset, columns: columns)
    }
    guard stage == .waiting, box.rows > 0 else { return }
    let row = min(box.endRow - 1, box.row + lines.count + 1)
    let at = buffer.put("PIN  ", column: box.column, row: row, style: Style(.label))
    field.render(
      into: &buffer, column: at, row: row, columns: max(1, min(24, box.endColumn - at)),
      style: Style(.text, on: .fieldFocused),
      isFocused: true)
  }

  private func lines(_ columns: Int) -> [Line] {
    var lines = [Line("Atrium is locked", .title), Line()]
    switch stage {
    case .looking: break
    case .checking: lines.append(Line("Trying the PIN…", .dim))
    case .unguarded(let reason):
      lines += Wrap.lines("Any key shows the screen again: \(reason).", columns: columns).map { Line($0, .dim) }
    case .waiting:
      let text = "⏎ unlocks with the PIN of the vault “\(vault)”; Ctrl-C twice quits."
      lines += Wrap.lines(text, columns: columns).map { Line($0, .dim) }
      if let problem {
        lines += [Line()] + Wrap.lines(problem, columns: columns).map { Line($0, .bad) }
      } else if let triesLeft, triesLeft <= 3 {
        lines += [Line(), Line("\(Format.count(triesLeft, "try", plural: "tries")) left", .warning)]
      }
    }
    return lines
  }
}
