import JSON
import Model

/// A feed or an entry in Atom, the form that every server of this line speaks. Its values become what the JSON of version
/// 2 would have; characters that XML cannot carry have been lost on the way.
///
/// - SeeAlso: reference/unwired.md sections 3.3, 3.5 and 3.7; tombstones are RFC 6721.
struct AtomDocument: Sendable {
  private(set) var entries: [Entity] = []
  /// Addresses of rows that are gone.
  private(set) var deleted: [String] = []
  private(set) var next: String?
  private(set) var delta: String?

  /// What is known of the entry that is being read.
  private struct Entry {
    var properties: [JSONNode.Member] = []
    var relations: [(name: String, address: String?)] = []
    var address: String?
    var tag: String?
    var inProperties = false
    var isInId = false
    /// The property whose text is being read.
    var name: String?
    var type: String?
    var text = ""
  }

  /// - Throws: `XMLScanner.Failure` when it is no XML.
  init(_ bytes: [UInt8]) throws(XMLScanner.Failure) {
    var scanner = XMLScanner(bytes)
    var entry: Entry?
    while let event = try scanner.next() {
      switch event {
      case .start("entry", let attributes, _):
        entry = Entry()
        entry?.tag = attributes["etag"]
      case .start("deleted-entry", let attributes, _): deleted += [attributes["ref"]].compactMap { $0 }
      case .start("link", let attributes, _) where entry == nil:
        if attributes["rel"] == "next" { next = attributes["href"] }
        if attributes["rel"] == "delta" { delta = attributes["href"] }
      case .end("entry"):
        if let entry { entries.append(Entity(entry.properties, entry.tag, entry.address, entry.relations)) }
        entry = nil
      case .start, .end, .text: Self.take(event, into: &entry)
      }
    }
  }

  private static func take(_ event: XMLScanner.Event, into entry: inout Entry?) {
    switch event {
    // A row may well have a property of that name.
    case .start("id", _, let isEmpty) where entry?.inProperties == false: entry?.isInId = !isEmpty
    case .end("id") where entry?.inProperties == false: entry?.isInId = false
    case .start("properties", _, let isEmpty): entry?.inProperties = !isEmpty
    case .end("properties"): entry?.inProperties = false
    case .start("link", let attributes, _) where entry?.inProperties == false:
      // A relation's kind ends with its name.
      guard let rel = attributes["rel"], rel.contains("/related/"), let name = rel.split(separator: "/").last else {
        return
      }
      entry?.relations.append((String(name), attributes["href"]))
    case .start(let name, let attributes, let isEmpty) where entry?.inProperties == true:
      let isNull = attributes["null"] == "true"
      if isNull || isEmpty {
        let value = isNull ? JSONNode.null : Self.value("", attributes["type"])
        entry?.properties.append(JSONNode.Member(key: name, value: value))
      } else {
        entry?.name = name
        entry?.type = attributes["type"]
        entry?.text = ""
      }
    case .end(let name) where entry?.name == name:
      let value = Self.value(entry?.text ?? "", entry?.type)
      entry?.properties.append(JSONNode.Member(key: name, value: value))
      entry?.name = nil
    case .text(let text):
      if entry?.isInId == true {
        let address = (entry?.address ?? "") + text
        entry?.address = address
      }
      if entry?.name != nil { entry?.text += text }
    default: break
    }
  }

  private static func value(_ text: String, _ type: String?) -> JSONNode {
    switch type {
    case "Edm.Byte"?, "Edm.SByte"?, "Edm.Int16"?, "Edm.Int32"?: return Int64(text).map { .integer($0) } ?? .string(text)
    case "Edm.Boolean"?: return .bool(text == "true" || text == "1")
    case "Edm.DateTime"?:
      // Moments have no zone here, and mean UTC.
      guard let moment = Timestamp(rfc3339: text.hasSuffix("Z") ? text : text + "Z") else { return .string(text) }
      return .string("/Date(\(moment.milliseconds))/")
    default: return .string(text)
    }
  }
}
