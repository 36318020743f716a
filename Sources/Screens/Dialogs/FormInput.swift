import Model

/// One field of a form being filled in.
struct FormInput: Sendable, Hashable {
  let field: FormField
  var editor: TextField
  /// Index of the chosen choice.
  var choice = 0
  var isOn = false
  /// Whether its problem is shown: once it was left, or the form was sent.
  var isTouched = false

  init(_ field: FormField) {
    self.field = field
    let initial = field.initialSecret?.reveal() ?? field.initial
    editor = TextField(initial, isSecret: field.kind == .secret)
    isOn = initial == "true"
    if case .choice(let choices) = field.kind {
      choice = choices.firstIndex { $0.value == initial } ?? 0
    }
  }

  var value: String {
    switch field.kind {
    case .flag: isOn ? "true" : "false"
    case .choice(let choices): choices.indices.contains(choice) ? choices[choice].value : ""
    default: editor.text
    }
  }

  /// Why this cannot be sent; nil when it can.
  var problem: String? {
    let text = value.filter { $0 != " " }
    if text.isEmpty { return field.isRequired ? "needed" : nil }
    switch field.kind {
    case .integer: return Int(text) == nil ? "a whole number, for example 12" : nil
    case .date:
      return text.count == 10 && Timestamp(rfc3339: text) != nil ? nil : "a date, for example 2026-11-30"
    case .amount(let currency):
      return Money(decimal: text, currency: currency) == nil ? "an amount, for example 12.50" : nil
    default: return nil
    }
  }

  /// Changes by a key; false when the key means nothing here.
  mutating func handle(_ key: Key) -> Bool {
    switch field.kind {
    case .flag:
      guard key == .character(" ") || key == .left || key == .right else { return false }
      isOn.toggle()
    case .choice(let choices):
      guard !choices.isEmpty else { return false }
      switch key {
      case .right, .character(" "): choice = (choice + 1) % choices.count
      case .left: choice = (choice + choices.count - 1) % choices.count
      case .character(let letter):
        guard let found = choices.firstIndex(where: { $0.title.lowercased().hasPrefix(letter.lowercased()) }) else {
          return false
        }
        choice = found
      default: return false
      }
    default: return editor.handle(key)
    }
    return true
  }

  func render(into buffer: inout CellBuffer, column: Int, row: Int, columns: Int, isFocused: Bool) {
    let style = Style(.text, on: isFocused ? .fieldFocused : .field)
    switch field.kind {
    case .flag, .choice:
      let title: String
      if case .choice(let choices) = field.kind, choices.indices.contains(choice) {
        title = "‹ \(choices[choice].title) ›"
      } else {
        title = isOn ? "[x] yes" : "[ ] no"
      }
      buffer.fill(Area(column: column, row: row, columns: columns, rows: 1), style: style)
      buffer.put(title, column: column, row: row, columns: columns, style: style)
      if isFocused { buffer.cursor = (column, row) }
    default:
      editor.render(into: &buffer, column: column, row: row, columns: columns, style: style, isFocused: isFocused)
    }
  }
}
