import Model

/// The data vault: how it stands, what can be done with it, and what is kept in it by name; never a value.
struct VaultScreen: Screen {
  enum Phase: Sendable {
    case loading
    case loaded(VaultInfo)
    case failed(ServiceError)
  }

  /// What a row does.
  enum Row: Sendable, Hashable {
    case create, createWithoutPIN, unlock, lock, changePIN, destroy
    case entry(VaultInfo.Entry)
  }

  var id = 0
  private(set) var phase = Phase.loading
  private(set) var list = EntryList()
  private var serial = 0
  private var waiting: Int?

  var place: Place { [.items, .vault] }
  var crumb: Crumb { .title("Vault") }

  func deadline(_ world: World) -> Timestamp? { waiting == nil ? nil : Spinner.next(world.now) }

  var info: VaultInfo? {
    guard case .loaded(let info) = phase else { return nil }
    return info
  }

  // MARK: Handling

  mutating func handle(_ event: ScreenEvent, _ world: World) -> [Effect] {
    switch event {
    case .appeared: return ask(.look)
    case .command(let command, let times): return perform(command, times: times, world)
    case .mouse(let mouse): return handle(mouse, world)
    case .reply(let serial, let reply): return take(reply, serial: serial)
    case .key, .paste, .arranged, .deadline, .resized: return []
    }
  }

  private mutating func ask(_ order: VaultOrder) -> [Effect] {
    serial += 1
    waiting = serial
    return [.ask(RequestID(owner: id, serial: serial), .vault(order))]
  }

  private mutating func take(_ reply: Reply, serial: Int) -> [Effect] {
    // Orders go out from dialogs under numbers of their own; every answer says how the vault stands now.
    if serial == waiting { waiting = nil }
    switch reply {
    case .vault(let info):
      let before = self.info
      phase = .loaded(info)
      return words(before, info).map { [.say(Message(.good, $0))] } ?? []
    case .failure(let error):
      guard info != nil else {
        phase = .failed(error)
        return []
      }
      // A wrong PIN has cost a try: look again.
      return [.say(Message(.bad, error.message))] + ask(.look)
    default: return []
    }
  }

  private func words(_ before: VaultInfo?, _ after: VaultInfo) -> String? {
    guard let before, before.state != after.state else { return nil }
    switch (before.state, after.state) {
    case (.absent, .unlocked): return "Created the vault “\(after.name)”: what is kept from now on lasts"
    case (_, .unlocked): return "The vault “\(after.name)” is open"
    case (_, .locked): return "The vault “\(after.name)” is locked, for every process"
    case (_, .absent): return "The vault “\(before.name)” and everything in it is gone"
    default: return nil
    }
  }

  private mutating func perform(_ command: Command, times: Int, _ world: World) -> [Effect] {
    let entries = entries(world)
    if list.handle(command, times: times, entries: entries, page: page(world)) { return [] }
    switch command {
    case .open: return selected(world).map { open($0) } ?? []
    case .delete:
      guard case .entry(let entry)? = selected(world) else { return [] }
      return [.present(forget(entry))]
    case .copy:
      guard case .entry(let entry)? = selected(world) else { return [] }
      return [.present(CopyMenu.dialog([CopyMenu.Entry("Name of the entry", entry.name)]))]
    case .refresh, .reload: return ask(.look)
    case .back, .vault: return [.close]
    default: return []
    }
  }

  private mutating func handle(_ mouse: Mouse, _ world: World) -> [Effect] {
    let entries = entries(world)
    switch mouse.kind {
    case .wheelUp, .wheelDown:
      let command: Command = mouse.kind == .wheelUp ? .up : .down
      _ = list.handle(command, times: 3, entries: entries, page: page(world))
    case .press, .doublePress:
      let row = mouse.row - headRows(world)
      guard let hit = list.index(atRow: row, entries: entries) else { return [] }
      list.select(hit, entries: entries, page: page(world))
      if mouse.kind == .doublePress { return selected(world).map { open($0) } ?? [] }
    case .release: break
    }
    return []
  }

  private mutating func open(_ row: Row) -> [Effect] {
    guard let info else { return [] }
    switch row {
    case .create: return [.present(form(.create(info), order: next()))]
    case .createWithoutPIN: return [.present(withoutPIN())]
    case .unlock: return info.hasNoPIN ? ask(.unlock(Secret(""))) : [.present(form(.unlock(info), order: next()))]
    case .lock: return ask(.lock)
    case .changePIN: return [.present(form(.changePIN(info), order: next()))]
    case .destroy: return [.present(destroy(info))]
    case .entry(let entry): return [.say(Message(.info, "“\(entry.name)” is kept; its value is shown nowhere"))]
    }
  }

  /// A number for an order that a dialog will give.
  private mutating func next() -> RequestID {
    serial += 1
    return RequestID(owner: id, serial: serial)
  }

  private func form(_ form: VaultForm, order: RequestID) -> FormDialog { form.dialog(order) }

  private mutating func withoutPIN() -> ConfirmDialog {
    ConfirmDialog(
      title: "A vault without a PIN?",
      message: "Whoever may read its file can open it: it then protects no more than the file's permissions do.",
      accept: "Create", isDestructive: true, accepted: [.ask(next(), .vault(.create(nil)))])
  }

  private mutating func forget(_ entry: VaultInfo.Entry) -> ConfirmDialog {
    ConfirmDialog(
      title: "Forget this?", message: "Remove “\(entry.name)” from the vault for good?", accept: "Remove",
      isDestructive: true, accepted: [.ask(next(), .vault(.forget(entry.name)))])
  }

  private mutating func destroy(_ info: VaultInfo) -> ConfirmDialog {
    ConfirmDialog(
      title: "Destroy the vault?",
      message: "Destroy the vault “\(info.name)”, everything in it, and with its keys all offline data and edits?",
      accept: "Destroy", isDestructive: true, accepted: [.ask(next(), .vault(.destroy))])
  }

  // MARK: What works just now

  func hints(_ world: World) -> [Command] { [.open, .delete, .copy, .refresh, .help, .back] }

  func reason(against command: Command, _ world: World) -> String? {
    switch command {
    case .open: return rows.isEmpty ? "there is nothing to do here" : nil
    case .delete, .copy:
      if case .entry? = selected(world) { return nil }
      return "choose something that is kept"
    case .actions: return "what can be done stands here: ⏎ does it"
    case .filter, .nextMatch, .previousMatch, .view, .inspect, .openOutside, .nextPane, .previousPane, .search, .signIn,
      .signOut, .bookmark:
      return "this is the vault"
    default: return nil
    }
  }

  func status(_ world: World) -> Line {
    if waiting != nil { return Line([Span(Spinner.frame(world.now), .accent, on: .footer)]) }
    guard let entries = info?.entries else { return Line() }
    return Line([Span(Format.count(entries.count, "entry", plural: "entries"), .text, on: .footer)])
  }
}
