import JSON
import Model
import Service

/// An item for people and for programs.
enum ItemPrinter {
  /// `{"location":…,"fields":{…},"actions":[…]}` on one line.
  static func json(_ item: Item, isForTerminal: Bool) -> [UInt8] {
    var writer = JSONWriter(escapingTerminalControls: isForTerminal)
    writer.beginObject()
    writer.key("location")
    writer.string(item.location.text)
    writer.key("fields")
    writer.beginObject()
    for field in item.fields {
      writer.key(field.id)
      writer.value(field.value)
    }
    writer.endObject()
    writer.key("actions")
    writer.beginArray()
    for action in item.actions { add(action, to: &writer) }
    writer.endArray()
    writer.endObject()
    writer.endLine()
    return writer.take()
  }

  private static func add(_ action: Action, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("id")
    writer.string(action.id)
    writer.key("title")
    writer.string(action.title)
    writer.key("fields")
    writer.beginArray()
    for field in action.fields { add(field, to: &writer) }
    writer.endArray()
    if let reason = action.disabled {
      writer.key("disabled")
      writer.string(reason)
    }
    writer.endObject()
  }

  private static func add(_ field: FormField, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("id")
    writer.string(field.id)
    writer.key("title")
    writer.string(field.title)
    writer.key("type")
    writer.string(field.kind.word)
    writer.key("required")
    writer.bool(field.isRequired)
    if case .choice(let choices) = field.kind {
      writer.key("choices")
      writer.beginArray()
      for choice in choices { writer.string(choice.value) }
      writer.endArray()
    }
    writer.endObject()
  }

  static func csv(_ item: Item, isForTerminal: Bool) throws(ServiceError) -> [UInt8] {
    let columns = item.fields.map { Column($0.id, $0.title, $0.kind) }
    let row = Row(item.location, item.fields.map(\.value))
    let listing = Listing(item.location, title: item.title, columns: columns, rows: [row])
    var encoder = try RowEncoder(.csv, listing, isForTerminal: isForTerminal)
    encoder.add(listing.rows)
    return encoder.take()
  }

  /// Sections of fields, then where one can go from here and what can be done.
  static func text(_ item: Item, isStyled: Bool) -> String {
    let bold = { (text: String) in isStyled ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
    var text = bold(Visible.printed(item.title)) + "\n" + item.location.text + "\n"
    let titles = item.fields.map(\.title) + item.related.map(\.title) + item.actions.map(\.id)
    let width = min(28, titles.map { TextWidth.columns(of: Visible.printed($0)) }.max() ?? 0)
    for section in item.sections where !section.fields.isEmpty {
      text += "\n" + bold(Visible.printed(section.title)) + "\n"
      for field in section.fields {
        text +=
          "  \(Visible.printed(field.title).padded(columns: width))  \(value(field.value, indentation: width + 4))\n"
      }
    }
    if !item.related.isEmpty {
      text += "\n" + bold("Related") + "\n"
      for link in item.related { text += "  \(Visible.printed(link.title).padded(columns: width))  \(link.location)\n" }
    }
    if !item.actions.isEmpty {
      text += "\n" + bold("Actions") + "\n"
      for action in item.actions {
        let fields = action.fields.map { $0.isRequired ? "\($0.id)=…" : "[\($0.id)=…]" }.joined(separator: " ")
        let reason = action.disabled.map { " (not now: \(Visible.printed($0)))" } ?? ""
        text += "  \(action.id.padded(columns: width))  \(Visible.printed(action.title))\(reason)"
        text += fields.isEmpty ? "\n" : "  \(fields)\n"
      }
    }
    return text
  }

  private static func value(_ value: Value, indentation: Int) -> String {
    if value.isNull { return "–" }
    let text = if case .money(let money) = value { money.description } else { value.exactText }
    let margin = "\n" + String(repeating: " ", count: indentation)
    return Visible.printedLines(text).joined(separator: margin)
  }
}

extension FormField.Kind {
  /// As scripts read it.
  var word: String {
    switch self {
    case .text: "text"
    case .multiline: "multiline"
    case .integer: "integer"
    case .date: "date"
    case .flag: "flag"
    case .file: "file"
    case .secret: "secret"
    case .amount: "amount"
    case .choice: "choice"
    }
  }
}
