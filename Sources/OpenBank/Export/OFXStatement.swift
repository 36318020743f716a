import Model

/// A statement in OFX 2.2: XML that finance programs import.
///
/// - SeeAlso: OFX 2.2, sections 11.4 (statement download), 3.2.8 (dates) and 2.3.2.1 (escapes). Elements have a fixed order
///   and a greatest length each.
struct OFXStatement: Sendable {
  private let statement: StatementLines
  private let made: Timestamp

  init(_ statement: StatementLines, made: Timestamp) {
    self.statement = statement
    self.made = made
  }

  var bytes: [UInt8] {
    var text = """
      <?xml version="1.0" encoding="UTF-8" standalone="no"?>
      <?OFX OFXHEADER="200" VERSION="220" SECURITY="NONE" OLDFILEUID="NONE" NEWFILEUID="NONE"?>
      <OFX>
      <SIGNONMSGSRSV1><SONRS>\(OFXStatement.done)<DTSERVER>\(OFXStatement.date(made))</DTSERVER>\
      <LANGUAGE>ENG</LANGUAGE></SONRS></SIGNONMSGSRSV1>
      <BANKMSGSRSV1><STMTTRNRS><TRNUID>0</TRNUID>\(OFXStatement.done)<STMTRS>
      <CURDEF>\(OFXStatement.escaped(statement.currency.isEmpty ? "XXX" : statement.currency))</CURDEF>
      <BANKACCTFROM><BANKID>\(bankID)</BANKID><ACCTID>\(accountID)</ACCTID><ACCTTYPE>CHECKING</ACCTTYPE></BANKACCTFROM>
      <BANKTRANLIST><DTSTART>\(OFXStatement.date(first))</DTSTART><DTEND>\(OFXStatement.date(last))</DTEND>

      """
    for line in statement.lines { text += OFXStatement.entry(line) }
    text += "</BANKTRANLIST>\n"
    if let newest = statement.lines.filter({ $0.balance != nil }).max(by: { $0.booked < $1.booked }),
      let balance = newestBalance(at: newest.booked)
    {
      text += "<LEDGERBAL><BALAMT>\(balance.decimalText)</BALAMT>"
      text += "<DTASOF>\(OFXStatement.date(newest.booked))</DTASOF></LEDGERBAL>\n"
    }
    text += "</STMTRS></STMTTRNRS></BANKMSGSRSV1>\n</OFX>\n"
    return Array(text.utf8)
  }

  private static let done = "<STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>"

  private var first: Timestamp { statement.lines.map(\.booked).min() ?? made }
  private var last: Timestamp { statement.lines.map(\.booked).max() ?? made }

  /// Of several at one moment, the one that is listed nearest to the newest end.
  private func newestBalance(at moment: Timestamp) -> Money? {
    let isAscending = (statement.lines.first?.booked ?? moment) < (statement.lines.last?.booked ?? moment)
    let lines = isAscending ? statement.lines.reversed() : statement.lines
    return lines.first { $0.booked == moment && $0.balance != nil }?.balance
  }

  private var bankID: String { OFXStatement.field(statement.bank, 9) }

  /// 22 characters at most: of a longer id the end, without its dashes, which tells accounts apart.
  private var accountID: String {
    let id = statement.account
    return OFXStatement.field(id.count > 22 ? String(id.filter { $0 != "-" }.suffix(22)) : id, 22)
  }

  private static func entry(_ line: StatementLines.Line) -> String {
    let name = line.counterparty.isEmpty ? line.description : line.counterparty
    // A name that does not fit goes whole into the memo, too.
    let memo = [line.description, name.count > 32 ? name : ""].filter { !$0.isEmpty }.joined(separator: " / ")
    var text = "<STMTTRN><TRNTYPE>\(line.amount.isNegative ? "DEBIT" : "CREDIT")</TRNTYPE>"
    text += "<DTPOSTED>\(date(line.booked))</DTPOSTED><TRNAMT>\(line.amount.decimalText)</TRNAMT>"
    text += "<FITID>\(field(line.id, 255))</FITID>"
    if !name.isEmpty { text += "<NAME>\(field(name, 32))</NAME>" }
    if !memo.isEmpty { text += "<MEMO>\(field(memo, 255))</MEMO>" }
    return text + "</STMTTRN>\n"
  }

  /// `20261130091500.000[0:GMT]`
  static func date(_ time: Timestamp) -> String {
    let civil = time.civil
    let digits: (Int, Int) -> String = { number, places in
      let text = String(number)
      return String(repeating: "0", count: max(0, places - text.utf8.count)) + text
    }
    let day = digits(civil.year, 4) + digits(civil.month, 2) + digits(civil.day, 2)
    let clock = digits(civil.hour, 2) + digits(civil.minute, 2) + digits(civil.second, 2)
    return "\(day)\(clock).\(digits(civil.millisecond, 3))[0:GMT]"
  }

  private static func field(_ text: String, _ most: Int) -> String { escaped(String(text.prefix(most))) }

  /// XML 1.0 has no place for most control characters, escaped or not.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\t", "\n", "\r": result += " "
      default:
        let isPossible = scalar.value >= 0x20 && scalar.value != 0xFFFE && scalar.value != 0xFFFF
        result.unicodeScalars.append(isPossible ? scalar : "\u{FFFD}")
      }
    }
    return result
  }
}
