import Model

/// Yes or no. What loses something is never the default.
package struct ConfirmDialog: Overlay {
  package var id = 0
  package var question: Int?
  private let title: String
  private let message: String
  private let accept: String
  private let isDestructive: Bool
  private let accepted: [Effect]
  private let cancelled: [Effect]
  /// 0 accepts, 1 cancels.
  private var focus: Int

  package init(
    title: String, message: String, accept: String, isDestructive: Bool, question: Int? = nil, accepted: [Effect],
    cancelled: [Effect] = []
  ) {
    self.title = title
    self.message = message
    self.accept = accept
    self.isDestructive = isDestructive
    self.question = question
    self.accepted = accepted
    self.cancelled = cancelled
    focus = isDestructive ? 1 : 0
  }

  private var buttons: [String] { [accept, "Cancel"] }

  package mutating func handle(_ event: OverlayEvent, _ world: World) -> [Effect] {
    switch event {
    case .key(let key): return handle(key)
    case .mouse(let mouse):
      let inner = inner(Area(world.size))
      guard mouse.kind == .press, mouse.row == inner.endRow - 1,
        let button = DialogFrame.button(at: mouse.column, buttons, area: inner)
      else { return [] }
      return press(button)
    case .appeared, .paste, .reply, .deadline: return []
    }
  }

  private mutating func handle(_ key: Key) -> [Effect] {
    switch key {
    case .escape: return press(1)
    case .enter: return press(focus)
    case .tab, .shiftTab, .left, .right, .up, .down: focus = 1 - focus
    case .character("h"), .character("l"): focus = 1 - focus
    case .character("n"): return press(1)
    case .character("y") where !isDestructive: return press(0)
    case .character(let letter):
      guard let button = buttons.firstIndex(where: { $0.lowercased().hasPrefix(letter.lowercased()) }) else {
        return []
      }
      return press(button)
    default: break
    }
    return []
  }

  private func press(_ button: Int) -> [Effect] { [.dismiss] + (button == 0 ? accepted : cancelled) }

  private func lines(_ columns: Int) -> [String] { Wrap.lines(message, columns: columns) }

  private func inner(_ area: Area) -> Area {
    let columns = DialogFrame.innerColumns(area, wanted: 54)
    let rows = min(area.rows - 2, lines(columns).count + 2)
    let box = area.centered(columns: columns + 4, rows: rows + 2)
    return Area(column: box.column + 2, row: box.row + 1, columns: box.columns - 4, rows: box.rows - 2)
  }

  package func render(into buffer: inout CellBuffer, area: Area, world: World) {
    let inner = inner(area)
    _ = DialogFrame.render(
      into: &buffer, area: area, title: title, rows: inner.rows, wanted: 54,
      keys: [("⏎", buttons[focus].lowercased()), ("Tab", "other"), ("Esc", "cancel")])
    for (offset, line) in lines(inner.columns).prefix(max(0, inner.rows - 1)).enumerated() {
      buffer.put(line, column: inner.column, row: inner.row + offset, style: Style(.text, on: .dialog))
    }
    DialogFrame.renderButtons(buttons, focused: focus, into: &buffer, area: inner, row: inner.endRow - 1)
  }
}

extension ConfirmDialog {
  /// Names what goes; three by name, the rest by number.
  static func delete(_ locations: [Location], names: [String], from place: Location) -> ConfirmDialog {
    var named = names.prefix(3).map { "“\($0)”" }.joined(separator: ", ")
    if names.count > 3 { named += " and \(Format.count(names.count - 3)) more" }
    let count = names.count == 1 ? "" : " \(Format.count(names.count)) things"
    return ConfirmDialog(
      title: "Delete\(count)?", message: "Delete \(named)?\n\nIn \(place.text)", accept: "Delete", isDestructive: true,
      accepted: [.errand(.delete(locations), at: place, doing: "delete \(named)")])
  }

  static func quit(jobs: Int) -> ConfirmDialog {
    ConfirmDialog(
      title: "Quit?", message: "\(Format.count(jobs, "transfer")) would be stopped.", accept: "Quit",
      isDestructive: true, accepted: [.quit])
  }
}
