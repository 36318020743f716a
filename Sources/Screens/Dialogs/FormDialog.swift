import Model

/// Fields to fill in: a sign-in, a challenge, an action's form. Enter sends, Esc cancels, Tab moves, Ctrl-U clears.
package struct FormDialog: Overlay {
  package var id = 0
  package var question: Int?
  let title: String
  let message: String
  let submitTitle: String
  let failure: String?
  let attemptsLeft: Int?
  /// What cannot be undone.
  let warning: String?
  private(set) var inputs: [FormInput]
  /// A field, or behind them the buttons.
  private(set) var focus = 0
  private let submit: @Sendable ([String: Secret]) -> [Effect]
  private let cancel: [Effect]

  package init(
    title: String, message: String = "", fields: [FormField], submitTitle: String, failure: String? = nil,
    attemptsLeft: Int? = nil, warning: String? = nil, question: Int? = nil, cancel: [Effect] = [],
    submit: @escaping @Sendable ([String: Secret]) -> [Effect]
  ) {
    self.title = title
    self.message = message
    self.submitTitle = submitTitle
    self.failure = failure
    self.attemptsLeft = attemptsLeft
    self.warning = warning
    self.question = question
    self.cancel = cancel
    self.submit = submit
    inputs = fields.map(FormInput.init)
    // The first field that still needs something, else the first: Enter then sends what is there.
    focus = inputs.firstIndex { $0.problem != nil } ?? 0
    if inputs.isEmpty { focus = warning == nil ? 0 : 1 }
  }

  private var buttons: [String] { [submitTitle, "Cancel"] }
  private var stops: Int { inputs.count + buttons.count }
  private var focusedButton: Int? { focus >= inputs.count ? focus - inputs.count : nil }

  package var takesSecret: Bool { focus < inputs.count && inputs[focus].field.kind == .secret }

  // MARK: Handling

  package mutating func handle(_ event: OverlayEvent, _ world: World) -> [Effect] {
    switch event {
    case .key(let key): return handle(key)
    case .paste(let text):
      if focus < inputs.count { inputs[focus].editor.insert(text) }
      return []
    case .mouse(let mouse): return handle(mouse, world)
    case .appeared, .reply, .deadline: return []
    }
  }

  private mutating func handle(_ key: Key) -> [Effect] {
    switch key {
    case .escape: return [.dismiss] + cancel
    case .enter: return focusedButton == 1 ? [.dismiss] + cancel : send()
    case .tab, .down: move(1)
    case .shiftTab, .up: move(-1)
    default:
      if focus < inputs.count {
        _ = inputs[focus].handle(key)
      } else if key == .left || key == .right {
        focus = inputs.count + (focusedButton == 0 ? 1 : 0)
      } else if case .character(let letter) = key,
        let button = buttons.firstIndex(where: { $0.lowercased().hasPrefix(letter.lowercased()) })
      {
        return button == 1 ? [.dismiss] + cancel : send()
      }
    }
    return []
  }

  private mutating func move(_ step: Int) {
    if focus < inputs.count { inputs[focus].isTouched = true }
    focus = (focus + step + stops) % stops
  }

  private mutating func send() -> [Effect] {
    for index in inputs.indices { inputs[index].isTouched = true }
    if let wrong = inputs.firstIndex(where: { $0.problem != nil }) {
      focus = wrong
      return []
    }
    var values: [String: Secret] = [:]
    for input in inputs { values[input.field.id] = Secret(input.value) }
    return [.dismiss] + submit(values)
  }

  private mutating func handle(_ mouse: Mouse, _ world: World) -> [Effect] {
    guard mouse.kind == .press || mouse.kind == .doublePress else { return [] }
    let layout = layout(Area(world.size))
    let row = mouse.row - layout.inner.row
    if row == layout.inner.rows - 1 {
      guard let button = DialogFrame.button(at: mouse.column, buttons, area: layout.inner) else { return [] }
      return button == 1 ? [.dismiss] + cancel : send()
    }
    if layout.rows.indices.contains(row + layout.top), row < layout.inner.rows - 1,
      case .field(let index) = layout.rows[row + layout.top]
    {
      focus = index
    }
    return []
  }

  // MARK: Drawing

  private enum Row { case line(Line), label(Int), field(Int), blank }

  private struct Layout {
    var rows: [Row]
    /// First row in view.
    var top: Int
    var inner: Area
    /// Columns of labels that stand before their fields; 0 when above.
    var labels: Int
  }

  private func layout(_ area: Area) -> Layout {
    let columns = DialogFrame.innerColumns(area)
    let longest = min(20, inputs.map { TextWidth.columns(of: Visible.line($0.field.title)) }.max() ?? 0)
    let labels = columns - longest - 2 >= 16 ? longest + 2 : 0
    var rows = Wrap.lines(message, columns: columns).filter { !message.isEmpty || !$0.isEmpty }.map {
      Row.line(Line($0))
    }
    if let warning {
      rows += Wrap.lines("! \(warning)", columns: columns).map { Row.line(Line($0, .warning, bold: true)) }
    }
    if !rows.isEmpty { rows.append(.blank) }
    for (index, input) in inputs.enumerated() {
      if labels == 0 { rows.append(.label(index)) }
      rows.append(.field(index))
      for note in notes(input, isFocused: index == focus) {
        let indent = String(repeating: " ", count: labels)
        rows += Wrap.lines(note.text, columns: columns - labels).map {
          Row.line(Line([Span(indent), Span($0, note.style)]))
        }
      }
    }
    if !inputs.isEmpty { rows.append(.blank) }
    let failures = failureLines(columns)
    rows += failures.map { Row.line($0) }
    if !failures.isEmpty { rows.append(.blank) }
    let room = max(1, area.rows - 3)
    if rows.count > room { rows.removeAll { if case .blank = $0 { true } else { false } } }
    let focused = rows.firstIndex { if case .field(focus) = $0 { true } else { false } } ?? rows.count - 1
    let top = max(0, min(rows.count - room, focused - room / 2))
    let shown = min(rows.count, room)
    let box = area.centered(columns: columns + 4, rows: shown + 3)
    let inner = Area(column: box.column + 2, row: box.row + 1, columns: box.columns - 4, rows: box.rows - 2)
    return Layout(rows: rows, top: top, inner: inner, labels: labels)
  }

  private func notes(_ input: FormInput, isFocused: Bool) -> [Span] {
    if input.isTouched, let problem = input.problem { return [Span("✗ \(problem)", .bad)] }
    guard isFocused, let hint = input.field.hint, !hint.isEmpty else { return [] }
    return [Span(hint, .dim)]
  }

  private func failureLines(_ columns: Int) -> [Line] {
    var lines = failure.map { Wrap.lines("✗ \($0)", columns: columns).map { Line($0, .bad) } } ?? []
    if let attemptsLeft {
      lines.append(Line("\(attemptsLeft) \(attemptsLeft == 1 ? "attempt" : "attempts") left", .warning))
    }
    return lines
  }

  package func render(into buffer: inout CellBuffer, area: Area, world: World) {
    let layout = layout(area)
    let inner = DialogFrame.render(
      into: &buffer, area: area, title: title, rows: layout.inner.rows,
      keys: [("⏎", submitTitle.lowercased()), ("Esc", "cancel"), ("Tab", "next"), ("^U", "clear")])
    for (offset, row) in layout.rows[layout.top...].prefix(inner.rows - 1).enumerated() {
      render(row, into: &buffer, inner: inner, row: inner.row + offset, labels: layout.labels)
    }
    DialogFrame.renderButtons(buttons, focused: focusedButton, into: &buffer, area: inner, row: inner.endRow - 1)
  }

  private func render(_ item: Row, into buffer: inout CellBuffer, inner: Area, row: Int, labels: Int) {
    switch item {
    case .blank: break
    case .line(let line): buffer.put(line, column: inner.column, row: row, columns: inner.columns, ground: .dialog)
    case .label(let index):
      buffer.put(
        inputs[index].field.title, column: inner.column, row: row, columns: inner.columns,
        style: Style(.label, on: .dialog))
    case .field(let index):
      if labels > 0 {
        buffer.put(
          inputs[index].field.title, column: inner.column, row: row, columns: labels - 2,
          style: Style(.label, on: .dialog))
      }
      inputs[index].render(
        into: &buffer, column: inner.column + labels, row: row, columns: inner.columns - labels,
        isFocused: index == focus)
    }
  }
}

extension FormDialog {
  static func upload(to location: Location) -> FormDialog {
    FormDialog(
      title: "Upload", message: "To \(location.text)",
      fields: [FormField("path", "File or folder", .file, hint: "a path on this machine")], submitTitle: "Upload"
    ) { values in [.order(.upload(path: values["path"]?.reveal() ?? "", location))] }
  }

  /// A connection typed in by hand; what its kind needs beside this is asked for at sign-in.
}
