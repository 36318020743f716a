import JSON
import Wire

/// One call of the server as its resource docs describe it (reference, section 2.3).
public struct Endpoint: Sendable {
  let json: JSONValue
  init(_ json: JSONValue) { self.json = json }

  /// `OBPv4.0.0-getBanks`: the version that made it, and the function behind it.
  public var id: String { json["operation_id"].string ?? "" }
  public var method: String { json["request_verb"].string?.uppercased() ?? "GET" }
  public var summary: String? { json["summary"].string }
  public var function: String? { json["implemented_by"]["function"].string }
  /// The version whose shape it answers in.
  public var version: String? { json["implemented_by"]["version"].string }
  public var tags: [String] { json["tags"].elements.compactMap(\.string) }
  public var errors: [String] { json["error_response_bodies"].elements.compactMap(\.string) }
  public var isFeatured: Bool { json["is_featured"].bool ?? false }

  public struct Role: Sendable, Hashable {
    public let name: String
    /// Held at one bank, not everywhere.
    public let needsBank: Bool
  }

  public var roles: [Role] {
    json["roles"].elements.compactMap { role in
      role["role"].string.map { Role(name: $0, needsBank: role["requires_bank_id"].bool ?? false) }
    }
  }

  /// Below the version, placeholders in capitals: `/banks/BANK_ID`.
  public var path: String {
    let full = json["specified_url"].string ?? json["request_url"].string ?? ""
    let names = full.split(separator: "/", omittingEmptySubsequences: true)
    // The two names before are the word that all versions stand behind, and the version.
    guard names.count > 1, APIVersion(String(names[1])) != nil else { return full }
    return "/" + names.dropFirst(2).joined(separator: "/")
  }

  /// The names in the path that stand for something else, each once, in order.
  public var placeholders: [String] {
    var seen: [String] = []
    for name in path.split(separator: "/").map(String.init)
    where Endpoint.isPlaceholder(name) && !seen.contains(name) { seen.append(name) }
    return seen
  }

  /// Markdown where the server has it, else its HTML without the tags.
  public var description: String? {
    if let markdown = json["description_markdown"].string, !markdown.isEmpty { return markdown }
    return json["description"].string.map(Markup.text)
  }

  /// The example of a body to send, laid out for reading; nil where there is none to send.
  public var exampleBody: String? { Endpoint.example(json["example_request_body"]) }
  public var exampleAnswer: String? { Endpoint.example(json["success_response_body"]) }

  /// Whether sending it may change something; the revoking of a consent is a GET that does (reference, trap 12).
  public var isWriting: Bool { !["GET", "HEAD"].contains(method) || path.hasSuffix("/revoke") }

  /// Capitals, digits and underscores: what the docs write for an id.
  static func isPlaceholder(_ name: String) -> Bool {
    name.utf8.count > 1
      && name.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
  }

  private static func example(_ value: JSONValue) -> String? {
    guard value.kind == .object || value.kind == .array, value.count > 0 else { return nil }
    return String(decoding: value.encoded(pretty: true), as: UTF8.self)
  }
}

extension Endpoint {
  /// The path with every placeholder filled in.
  ///
  /// - Returns: nil where a value is missing or empty.
  public func path(with values: [String: String]) -> String? {
    var parts: [String] = []
    for name in path.split(separator: "/").map(String.init) {
      guard Endpoint.isPlaceholder(name) else {
        parts.append(name)
        continue
      }
      guard let value = values[name], !value.isEmpty else { return nil }
      parts.append(URLForm.escape(value))
    }
    return "/" + parts.joined(separator: "/")
  }

  /// Whether every word stands somewhere in what the docs say of it, in any case.
  public func matches(_ words: [String]) -> Bool {
    let text = ([id, method, path, summary ?? ""] + tags + roles.map(\.name)).joined(separator: " ").lowercased()
    return words.allSatisfy { text.contains($0.lowercased()) }
  }
}
