/// The `Content-Disposition` header, RFC 6266.
enum ContentDisposition {
  /// The file name it gives, without any folders; nil when it gives none that can be used.
  static func fileName(_ header: String?) -> String? {
    guard let header else { return nil }
    let parameters = parse(header)
    let extended = parameters["filename*"].flatMap(decodeExtended)
    guard let name = extended ?? parameters["filename"] else { return nil }
    let last = name.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? ""
    return last.isEmpty || last == "." || last == ".." ? nil : last
  }

  private static func parse(_ header: String) -> [String: String] {
    var parameters: [String: String] = [:]
    for part in splitOutsideQuotes(header) {
      guard let equals = part.firstIndex(of: "=") else { continue }
      let name = part[..<equals].filter { $0 != " " }.lowercased()
      var value = String(part[part.index(after: equals)...].drop { $0 == " " })
      while value.last == " " { value.removeLast() }
      if value.count >= 2, value.first == "\"", value.last == "\"" { value = unquote(value) }
      if parameters[name] == nil { parameters[name] = value }
    }
    return parameters
  }

  private static func splitOutsideQuotes(_ header: String) -> [String] {
    var parts = [""]
    var quoted = false
    var escaped = false
    for character in header {
      if character == ";", !quoted {
        parts.append("")
        continue
      }
      if character == "\"", !escaped { quoted.toggle() }
      escaped = character == "\\" && quoted && !escaped
      parts[parts.count - 1].append(character)
    }
    return parts
  }

  private static func unquote(_ text: String) -> String {
    var plain = ""
    var escaped = false
    for character in text.dropFirst().dropLast() {
      if character == "\\", !escaped {
        escaped = true
      } else {
        plain.append(character)
        escaped = false
      }
    }
    return plain
  }

  /// `UTF-8''na%C3%AFve.txt`, RFC 8187.
  private static func decodeExtended(_ value: String) -> String? {
    let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].lowercased() == "utf-8" else { return nil }
    return URLForm.unescape(parts[2])
  }
}
