import Crypto
import FoundationEssentials
import Model
import Service

@testable import Alfresco
@testable import MobileFirst
@testable import OMCE
@testable import Store
@testable import Unwired
@testable import Wire

/// Where answers of fuzzed servers come from.
let anywhere = URL(filePath: "/a")

extension FuzzTarget {
  static let plist = FuzzTarget("plist") { bytes in
    guard let (tree, warnings) = try? ProfileFile.read(bytes, named: "OMC.plist") else { return }
    _ = try? MobileProfile(tree, wanted: nil, warnings: warnings, named: "OMC.plist")
  }

  static let challenge = FuzzTarget("challenge") { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    for status in [401, 403, 409] {
      var headers = HTTPHeaders()
      headers.append("WWW-Authenticate", text)
      headers.append("MFP-Conflict", text)
      if case .scopeNeeded(let scope) = ResourceAnswer(status: status, headers: headers) {
        demand(scope?.isEmpty != true, "a scope without a name")
      }
    }
  }

  /// Tokens, refusals, device codes and signed identities as any server may send them.
  static let oauth = FuzzTarget("oauth") { bytes in
    let now = Timestamp(seconds: 1_796_030_100)
    for status in [200, 400, 401] {
      let response = HTTPResponse(
        status: status, headers: ["Content-Type": "application/json"], body: bytes, url: anywhere)
      if let tokens = try? OAuthTokens(response, now: now) {
        _ = (tokens.isStale(at: now), tokens.expires?.rfc3339, tokens.refreshExpires?.rfc3339)
      }
      _ = OAuthError(response).description
    }
    let text = String(decoding: bytes, as: UTF8.self)
    _ = try? IDToken(Secret(text), keys: bytes, issuer: "i", clientID: "c", nonce: nil, now: now)
    _ = try? AuthorizationAnswer(URLForm.decode(text), state: "s", issuer: "i")
    _ = Redactor().body(bytes[...], isCut: true)
  }

  /// A query made of typed words has its quotation marks in pairs, whatever was typed.
  static let afts = FuzzTarget("afts") { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    let words = TypedWords(text)
    for query in [words.afts(), words.afts(plain: true)] {
      var isInside = false
      var isEscaped = false
      for scalar in query.unicodeScalars {
        demand(scalar.value >= 0x20, "a control is in the query")
        if isEscaped {
          isEscaped = false
        } else if scalar == "\\" {
          isEscaped = true
        } else if scalar == "\"" {
          isInside.toggle()
        }
      }
      demand(!isInside && !isEscaped, "the typed words leave their quotes")
    }
    _ = PlainText.withoutMarkup(text)
    demand(PlainText.withoutMarkup(PlainText.asMarkup("<\(text.count)>")) == "<\(text.count)>", "markup changes words")
    let snippet = MarkedSnippet(text)
    demand(snippet.matches.allSatisfy { !$0.isEmpty }, "a match holds nothing")
  }

  /// A file that is taken for a vault is written as the same bytes.
  static let vault = FuzzTarget("vault") { bytes in
    // With its digest put right, so that what lies behind it is reached.
    let forged = Array(bytes.dropLast(32)) + Hash.sha256.digest(Array(bytes.dropLast(32)))
    for candidate in [bytes, forged] {
      guard let file = try? VaultFile(candidate, path: "vault") else { continue }
      demand(file.bytes == candidate, "a vault changes when it is written")
    }
    var reader = ByteReader(bytes, from: 0)
    _ = (reader.uint32(), reader.uint64(), reader.bytes(7), reader.left)
  }

  /// Cells that hold anything come back from the CSV as they were.
  static let csv = FuzzTarget("csv") { bytes in
    let cells = String(decoding: bytes, as: UTF8.self).split(separator: "\u{1}", omittingEmptySubsequences: false)
      .map(String.init)
    let place = Location(connection: "bank", path: ["x"])
    let columns = cells.indices.map { Column("c\($0)", "C") }
    let row = Row(place, cells.map { .text($0) })
    let listing = Listing(place, title: "", columns: columns, rows: [row])
    guard var encoder = try? RowEncoder(.csv, listing, columns: columns.map(\.id)) else { return }
    encoder.add([row])
    let read = CSVReader.records(encoder.take())
    demand(read.count == 2 && read[1] == cells.map { Array($0.utf8) }, "a cell changed on its way through CSV")
  }

  static let odata = FuzzTarget("odata") { bytes in
    var scanner = XMLScanner(bytes)
    var events = 0
    while events <= bytes.count, (try? scanner.next()) ?? nil != nil { events += 1 }
    demand(events <= bytes.count, "a text has more events than bytes")
    _ = try? ODataMetadata(edmx: bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    _ = (ODataLiteral.moment(text)?.rfc3339, ODataLiteral.plain(text))
    demand(!ODataLiteral.text(text).dropFirst().dropLast().replacing("''", with: "").contains("'"), "a quote got out")
  }
}

/// Reads RFC 4180, for what was written.
enum CSVReader {
  static func records(_ bytes: [UInt8]) -> [[[UInt8]]] {
    var records: [[[UInt8]]] = []
    var record: [[UInt8]] = []
    var field: [UInt8] = []
    var isQuoted = false
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if isQuoted {
        guard byte == UInt8(ascii: "\"") else {
          field.append(byte)
          continue
        }
        if index < bytes.count, bytes[index] == byte {
          field.append(byte)
          index += 1
        } else {
          isQuoted = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\"") where field.isEmpty: isQuoted = true
      case UInt8(ascii: ","):
        record.append(field)
        field = []
      case 13 where index < bytes.count && bytes[index] == 10:
        index += 1
        records.append(record + [field])
        record = []
        field = []
      default: field.append(byte)
      }
    }
    return records
  }
}
