import Model

/// What can be done with a thing and with the place it is in, with reasons for what cannot. Loads what it needs to know.
package struct ActionMenu: Overlay {
  package var id = 0
  private let target: Location
  /// All it is about; the first stands for them when it is asked what can be done.
  private var targets: [Location]
  private var container: (location: Location, actions: [Action])?
  private var menu: MenuDialog
  private var isLoading: Bool
  private var failure: ServiceError?

  package init(target: Location, item: Item?, container: (location: Location, actions: [Action])?) {
    self.target = target
    targets = [target]
    self.container = container
    isLoading = item == nil && container?.location != target
    menu = MenuDialog(title: "Actions", entries: [])
    rebuild(item?.actions ?? [])
  }

  /// What can be done with each of several things.
  package init(targets: [Location]) {
    self.init(target: targets[0], item: nil, container: nil)
    self.targets = targets
    menu = MenuDialog(title: "Actions for \(Format.count(targets.count)) things", entries: [])
    rebuild([])
  }

  package func deadline(_ world: World) -> Timestamp? { isLoading ? Spinner.next(world.now) : nil }

  package mutating func handle(_ event: OverlayEvent, _ world: World) -> [Effect] {
    switch event {
    case .appeared:
      return isLoading ? [.ask(RequestID(owner: id, serial: 1), .item(target, isRefresh: false))] : []
    case .reply(_, .item(let item, let isFinal)):
      isLoading = !isFinal
      rebuild(item.actions)
      return []
    case .reply(_, .failure(let error)):
      isLoading = false
      failure = error
      rebuild([])
      return []
    default: return menu.handle(event, world)
    }
  }

  private mutating func rebuild(_ actions: [Action]) {
    var entries = actions.map { ActionMenu.entry($0, at: target) }
    if targets.count > 1 {
      // A name of its own fits one thing only.
      let fitting = actions.filter { action in !action.fields.contains { $0.id == "name" && $0.isRequired } }
      entries = fitting.map { ActionMenu.entry($0, at: targets) }
    }
    if let container, container.location != target {
      entries += container.actions.map { ActionMenu.entry($0, at: container.location) }
    } else if let container {
      entries += container.actions.filter { action in !actions.contains { $0.id == action.id } }.map {
        ActionMenu.entry($0, at: container.location)
      }
    }
    if entries.isEmpty {
      menu.message =
        isLoading ? "" : failure.map { "Could not ask what can be done: \($0.reason)." } ?? "Nothing can be done here."
    } else {
      menu.message = ""
    }
    menu.setEntries(entries)
  }

  private static func entry(_ action: Action, at location: Location) -> MenuDialog.Entry {
    MenuDialog.Entry(action.title, detail: action.disabled ?? "", isEnabled: action.disabled == nil) {
      [begin(action, at: location)]
    }
  }

  private static func entry(_ action: Action, at targets: [Location]) -> MenuDialog.Entry {
    MenuDialog.Entry(action.title, detail: action.disabled ?? "", isEnabled: action.disabled == nil) {
      let many = Format.count(targets.count, "thing")
      let perform: @Sendable ([String: Secret]) -> [Effect] = { values in
        [.errand(.performAll(action: action.id, targets, fields: values), at: targets[0], doing: action.title)]
      }
      guard action.fields.isEmpty else {
        return [
          .present(
            FormDialog(
              title: action.title, message: many, fields: action.fields, submitTitle: action.title, submit: perform))
        ]
      }
      guard action.warning != nil else { return perform([:]) }
      return [
        .present(
          ConfirmDialog(
            title: action.title, message: "\(action.title): \(many)?", accept: action.title, isDestructive: true,
            accepted: perform([:])))
      ]
    }
  }

  /// Starts an action: its form, its warning, or the action itself.
  static func begin(_ action: Action, at location: Location) -> Effect {
    let perform: @Sendable ([String: Secret]) -> [Effect] = { values in
      [.errand(.perform(action: action.id, location, fields: values), at: location, doing: action.title)]
    }
    if !action.fields.isEmpty {
      return .present(
        FormDialog(
          title: action.title, message: location.text, fields: action.fields, submitTitle: action.title,
          warning: action.warning, submit: perform))
    }
    if let warning = action.warning {
      return .present(
        ConfirmDialog(
          title: action.title, message: "\(warning)?\n\n\(location.text)", accept: action.title, isDestructive: true,
          accepted: perform([:])))
    }
    return .errand(.perform(action: action.id, location, fields: [:]), at: location, doing: action.title)
  }

  package func render(into buffer: inout CellBuffer, area: Area, world: World) {
    guard isLoading, menu.entries.isEmpty else { return menu.render(into: &buffer, area: area, world: world) }
    let inner = DialogFrame.render(
      into: &buffer, area: area, title: "Actions", rows: 1, wanted: 44, keys: [("Esc", "close")])
    buffer.put(
      Line([Span("\(Spinner.frame(world.now)) ", .accent), Span("Asking what can be done…", .dim)]),
      column: inner.column, row: inner.row, columns: inner.columns, ground: .dialog)
  }
}
