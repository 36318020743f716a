import Alfresco
import JSON
import Model
import Store
import Terminal
import Wire
import YAML

/// Something that reads bytes of others: it may refuse them, but never trap, hang, or break what it promises.
struct FuzzTarget: Sendable {
  let name: String
  let run: @Sendable ([UInt8]) -> Void

  init(_ name: String, _ run: @escaping @Sendable ([UInt8]) -> Void) {
    self.name = name
    self.run = run
  }

  static let all: [FuzzTarget] = [
    json, yaml, configuration, plist, headers, challenge, oauth, afts, keys, vault, csv, odata, location, text,
  ]

  static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// Ends the run: a promise was broken.
func demand(_ isKept: Bool, _ promise: String) {
  if !isKept { preconditionFailure(promise) }
}

extension FuzzTarget {
  /// What can be read can be written, and reads the same again.
  static let json = FuzzTarget("json") { bytes in
    guard let document = try? JSONDocument(bytes) else { return }
    let written = document.root.encoded(escapingTerminalControls: true)
    guard let again = try? JSONDocument(written) else { return demand(false, "what was written cannot be read") }
    demand(again.root.node() == document.root.node(), "the value changed on its way")
    touch(document.root, depth: 0)
  }

  private static func touch(_ value: JSONValue, depth: Int) {
    _ = (value.string, value.int, value.double, value.bool, value.numberText, value.text)
    for member in value.members { touch(member.value, depth: depth + 1) }
    for element in value.elements { touch(element, depth: depth + 1) }
  }

  static let yaml = FuzzTarget("yaml") { bytes in
    guard let node = try? YAMLNode.parse(bytes) else { return }
    demand(node.range.upperBound <= bytes.count, "a node lies outside the text")
  }

  /// A configuration that can be read can be edited, and then read again.
  static let configuration = FuzzTarget("configuration") { bytes in
    guard let configuration = try? Configuration(parsing: bytes, path: "config.yaml") else { return }
    for connection in configuration.connections { _ = (connection.isReadOnly, connection.root) }
    guard let first = configuration.connections.first,
      let editor = try? ConfigurationEditor(bytes, path: "config.yaml"),
      let edited = try? editor.setting("readOnly", of: first.name, to: .text("true"))
    else { return }
    let after = try? Configuration(parsing: edited, path: "config.yaml")
    demand(after?.connection(named: first.name)?.isReadOnly == true, "an edit broke the configuration")
  }

  /// A name that comes in a header is one name.
  static let headers = FuzzTarget("headers") { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    _ = HTTPDate.parse(text)
    var headers = HTTPHeaders()
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
      if parts.count == 2 { headers.append(parts[0], parts[1]) }
    }
    for status in [200, 206, 401, 416] {
      let response = HTTPResponse(status: status, headers: headers, url: anywhere)
      let head = response.contentHead
      demand(!head.name.contains("/"), "a content's name has a slash")
      demand(response.contentRange.map { $0.offset >= 0 } ?? true, "a range begins before its beginning")
      demand(!FileName.safe(head.name).contains("/"), "a file's name has a slash")
    }
  }

  /// Keys that are cut anywhere are the same keys.
  static let keys = FuzzTarget("keys") { bytes in
    var whole = InputParser()
    let expected = whole.read(bytes) + whole.flush()
    var cut = InputParser()
    var events: [TerminalEvent] = []
    for byte in bytes { events += cut.read([byte]) }
    events += cut.flush()
    demand(events == expected, "keys depend on how their bytes arrive")
  }

  static let location = FuzzTarget("location") { bytes in
    guard let location = try? Location(parsing: String(decoding: bytes, as: UTF8.self)) else { return }
    guard let again = try? Location(parsing: location.text) else {
      return demand(false, "a printed location is refused")
    }
    demand(again == location, "a printed location leads elsewhere")
  }

  /// Whatever a server says is drawn harmlessly, and in its columns.
  static let text = FuzzTarget("text") { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    let line = Visible.line(text)
    demand(!line.unicodeScalars.contains(where: Visible.isActedOn), "a control reached a cell")
    demand(TextWidth.columns(of: line.fitted(columns: 17)) <= 17, "a text is wider than its room")
    var buffer = CellBuffer(size: Size(columns: 30, rows: 1))
    demand(buffer.put(text, column: 3, row: 0, columns: 17) <= 20, "a text left its room")
    demand(!Visible.printed(text).unicodeScalars.contains(where: Visible.isActedOn), "a control reached a line")
    demand(!FileName.safe(text).contains("/"), "a file's name has a slash")
    _ = (Timestamp(rfc3339: text)?.rfc3339, Money(decimal: text, currency: "EUR")?.decimalText)
    _ = ASCIIForm.text(text)
  }
}
