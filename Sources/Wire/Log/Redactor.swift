public import Model
import Synchronization

/// Takes secrets out of what is about to be kept: by the names they stand under, and by their values once known.
///
/// A value found under a sensitive name becomes known too, so that a server echoing a token in an error message, or a
/// client repeating it in a path, gives nothing away.
public final class Redactor: Sendable {
  private let patterns = Mutex(SecretPatterns())

  public init() {}

  /// Makes a value known; it is found raw, percent-encoded, JSON-escaped and in base 64. Shorter ones than six bytes
  /// are only found under their names.
  public func register(_ secret: Secret) { learn(secret.reveal()) }

  private func learn(_ value: String) { patterns.withLock { $0.add(value) } }

  private func learn(_ values: [[UInt8]]) {
    guard !values.isEmpty else { return }
    patterns.withLock { patterns in
      for value in values where value.count >= 8 { patterns.add(String(decoding: value, as: UTF8.self)) }
    }
  }

  // MARK: Headers

  package func headers(_ headers: HTTPHeaders) -> HTTPHeaders {
    for field in headers.fields where SensitiveNames.isHeader(field.name) { learnHeader(field) }
    return HTTPHeaders(headers.fields.map { HTTPHeaders.Field($0.name, value(of: $0)) })
  }

  private func learnHeader(_ field: HTTPHeaders.Field) {
    guard !field.name.lowercased().hasSuffix("cookie") else {
      for part in field.value.split(separator: ";") {
        let value = part.split(separator: "=", maxSplits: 1).last.map(String.init) ?? ""
        if value.utf8.count >= 16 { learn(value) }
      }
      return
    }
    let words = field.value.split(separator: " ", maxSplits: 1)
    if words.count == 2, words[0].lowercased() == "bearer" || words[0].lowercased() == "basic" {
      learn(String(words[1]))
    }
  }

  /// Keeps the scheme, the names of cookies, and everything else that is no secret.
  private func value(of field: HTTPHeaders.Field) -> String {
    switch field.name.lowercased() {
    case "authorization", "proxy-authorization":
      let scheme = field.value.prefix { $0 != " " }
      return field.value.contains(" ") ? "\(scheme) \(SensitiveNames.mark)" : SensitiveNames.mark
    case "cookie":
      return field.value.split(separator: ";").map { Self.cookie($0) }.joined(separator: "; ")
    case "set-cookie":
      let parts = field.value.split(separator: ";", omittingEmptySubsequences: false)
      let attributes = parts.dropFirst().map { ";\($0)" }.joined()
      return Self.cookie(parts.first ?? "") + attributes
    case "location", "content-location", "referer", "link":
      return url(field.value)
    default:
      return SensitiveNames.isHeader(field.name) ? SensitiveNames.mark : text(field.value)
    }
  }

  private static func cookie(_ pair: Substring) -> String {
    let name = pair.prefix { $0 != "=" }.filter { $0 != " " }
    return "\(name)=\(SensitiveNames.mark)"
  }

  // MARK: Addresses and bodies

  package func url(_ url: String) -> String {
    guard let mark = url.firstIndex(of: "?") else { return text(url) }
    let query = url[url.index(after: mark)...]
    let end = query.firstIndex(of: "#") ?? query.endIndex
    return text("\(url[..<mark])?\(form(query[..<end]))\(query[end...])")
  }

  package func text(_ text: String) -> String {
    var text = text
    return text.withUTF8 { String(decoding: scan(UnsafeRawBufferPointer($0)), as: UTF8.self) }
  }

  /// A body, or the beginning of one: JSON and forms by their names, anything by known values.
  ///
  /// - Parameter isCut: Its end is missing; what could be the front half of a secret goes as well.
  package func body(_ bytes: ArraySlice<UInt8>, isCut: Bool = false) -> [UInt8] {
    guard !bytes.isEmpty else { return [] }
    let named = bytes.withUnsafeBytes { raw -> [UInt8] in
      switch raw.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        let (output, found) = JSONRedaction.redact(raw)
        learn(found)
        return output
      default:
        return Self.looksLikeForm(raw) ? Array(form(String(decoding: raw, as: UTF8.self)).utf8) : Array(raw)
      }
    }
    let kept = isCut ? named.dropLast(min(named.count, patterns.withLock { $0.longest })) : named[...]
    return kept.withUnsafeBytes { scan($0) }
  }

  private static func looksLikeForm(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let start = bytes.prefix(512)
    return start.contains(UInt8(ascii: "=")) && !start.contains { $0 <= 0x20 || $0 == UInt8(ascii: "<") || $0 >= 0x7F }
  }

  private func form(_ text: some StringProtocol) -> String {
    text.split(separator: "&", omittingEmptySubsequences: false).map { field in
      guard let equals = field.firstIndex(of: "=") else { return String(field) }
      let name = field[..<equals]
      guard SensitiveNames.isFormField(URLForm.unescape(name, plus: true).utf8) else { return String(field) }
      let value = URLForm.unescape(field[field.index(after: equals)...], plus: true)
      learn([Array(value.utf8)])
      return "\(name)=\(value.isEmpty ? "" : SensitiveNames.mark)"
    }.joined(separator: "&")
  }

  /// Replaces what is known by value.
  private func scan(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    let patterns = patterns.withLock { $0 }
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    var start = 0
    while let secret = patterns.firstMatch(bytes, from: start) {
      output.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start..<secret.lowerBound]))
      output.append(contentsOf: SensitiveNames.mark.utf8)
      start = secret.upperBound
    }
    output.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start...]))
    return output
  }
}
