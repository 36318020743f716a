import Model

/// A statement in QIF, which older finance programs import: lines of a letter and a value, a `^` after each transaction.
///
/// The form knows neither currencies nor ids; the id stands where a cheque's number would.
enum QIFStatement {
  static func bytes(_ statement: StatementLines) -> [UInt8] {
    var text = "!Type:Bank\n"
    for line in statement.lines {
      text += "D\(date(line.booked))\nT\(line.amount.decimalText)\nN\(oneLine(line.id))\n"
      if !line.counterparty.isEmpty { text += "P\(oneLine(line.counterparty))\n" }
      if !line.description.isEmpty { text += "M\(oneLine(line.description))\n" }
      text += "^\n"
    }
    return Array(text.utf8)
  }

  /// Month, day, year: what every program reads, with four digits, so that no century has to be guessed.
  private static func date(_ time: Timestamp) -> String {
    let parts = time.dateText.split(separator: "-")
    return parts.count == 3 ? "\(parts[1])/\(parts[2])/\(parts[0])" : time.dateText
  }

  private static func oneLine(_ text: String) -> String {
    String(text.map { $0.isNewline || ($0.unicodeScalars.first?.value ?? 0) < 0x20 ? " " : $0 })
  }
}
