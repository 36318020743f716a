import FoundationEssentials
import Glibc
import JSON
import Synchronization
import TestKit
import Wire

/// What went over the wire as it was, and the secrets in it.
final class WireSecrets: Sendable {
  private let found = Mutex<Set<String>>([])

  var all: Set<String> { found.withLock { $0 } }

  func add(_ secret: String) {
    guard secret.utf8.count >= 8 else { return }
    found.withLock { _ = $0.insert(secret) }
  }

  /// Names under which secrets stand in forms, queries and JSON.
  private static let names = [
    "password", "passwd", "code", "code_verifier", "refresh_token", "access_token", "id_token", "client_secret",
    "client_assertion", "assertion", "device_code", "oauth_verifier", "oauth_token_secret", "token", "ticket", "pin",
    "alf_ticket", "subject_token",
  ]

  /// Takes the secrets of a request or an answer in.
  func read(_ message: [UInt8]) {
    guard let end = message.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
    var mediaType = ""
    for (index, line) in String(decoding: message[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
      .enumerated()
    {
      if index == 0, let query = line.split(separator: "?", maxSplits: 1).last { form(query.split(separator: " ")[0]) }
      let parts = line.split(separator: ":", maxSplits: 1)
      guard index > 0, parts.count == 2 else { continue }
      let value = parts[1].drop { $0 == " " }
      switch parts[0].lowercased() {
      case "authorization": authorization(String(value))
      case "directlogin": direct(String(value))
      case "oracle-mobile-social-access-token": add(String(value))
      case "location": form(value.split(separator: "?", maxSplits: 1).last ?? "")
      case "content-type": mediaType = value.lowercased()
      case "cookie", "set-cookie":
        add(String(value.split(separator: ";")[0].split(separator: "=").dropFirst().joined()))
      default: break
      }
    }
    let body = Array(message[end.upperBound...])
    if mediaType.contains("json"), let root = try? JSONDocument(body).root {
      json(root)
    } else if mediaType.contains("form") || mediaType.contains("text/plain"), body.count < 10_000 {
      form(Substring(String(decoding: body, as: UTF8.self)))
    }
  }

  private func form(_ text: Substring) {
    for field in URLForm.decode(text) where Self.names.contains(field.name) { add(field.value) }
  }

  private func json(_ value: JSONValue) {
    for member in value.members {
      if let text = member.value.string, Self.names.contains(member.key) || text.hasPrefix("TICKET_") { add(text) }
      json(member.value)
    }
    for element in value.elements { json(element) }
  }

  private func authorization(_ value: String) {
    let words = value.split(separator: " ", maxSplits: 1).map(String.init)
    guard words.count == 2, words[0] != "OAuth" else { return }
    if words[0] == "DirectLogin" { return direct(words[1]) }
    add(words[1])
    guard words[0] == "Basic", let data = Data(base64Encoded: words[1]) else { return }
    add(String(decoding: data, as: UTF8.self).split(separator: ":", maxSplits: 1).last.map(String.init) ?? "")
  }

  private func direct(_ value: String) {
    for field in value.split(separator: ",") {
      let pair = field.split(separator: "=", maxSplits: 1).map { $0.filter { !" \"".contains($0) } }
      if pair.count == 2, ["password", "token"].contains(pair[0]) { add(pair[1]) }
    }
  }
}

/// Finds secrets in bytes, in any of the forms in which they may have come there.
struct LeakDetector {
  private let needles: [(secret: String, forms: Set<String>)]

  init(_ secrets: Set<String>) {
    needles = secrets.map { secret in (secret, Self.forms(of: secret)) }
  }

  /// Secrets that stand in some bytes: as they are, percent-encoded, JSON-escaped, or in base 64 wherever they begin.
  func leaks(in bytes: [UInt8]) -> [String] {
    let haystack = bytes.map { CChar(bitPattern: $0 == 0 ? 1 : $0) } + [0]
    return needles.filter { needle in needle.forms.contains { strstr(haystack, $0) != nil } }.map(\.secret)
  }

  private static func forms(of secret: String) -> Set<String> {
    var forms: Set<String> = [secret, secret.replacing("/", with: "\\/")]
    for isUpper in [true, false] { forms.insert(secret.percentEncoded(uppercase: isUpper)) }
    for offset in 0..<3 {
      let encoded = Data(Array(repeating: 0, count: offset) + Array(secret.utf8)).base64EncodedString()
      let inner = encoded.dropFirst((offset * 8 + 5) / 6).prefix(
        (offset + secret.utf8.count) * 8 / 6 - (offset * 8 + 5) / 6)
      forms.formUnion([String(inner), inner.map { $0 == "+" ? "-" : $0 == "/" ? "_" : String($0) }.joined()])
    }
    return forms
  }
}

extension String {
  fileprivate func percentEncoded(uppercase: Bool) -> String {
    utf8.map { byte in
      let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      return isPlain || "-._~".utf8.contains(byte)
        ? String(Unicode.Scalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: uppercase)
    }.joined()
  }
}
