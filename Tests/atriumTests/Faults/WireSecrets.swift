import FoundationEssentials
import Glibc
import Synchronization
import TestKit

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

  func read(_ message: [UInt8]) {
    let text = String(decoding: message, as: UTF8.self)
    for line in text.split(separator: "\r\n").prefix(60) {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      let value = parts[1].drop { $0 == " " }
      switch parts[0].lowercased() {
      case "authorization": authorization(String(value))
      case "directlogin": direct(String(value))
      case "cookie", "set-cookie":
        add(String(value.split(separator: ";")[0].split(separator: "=").dropFirst().joined()))
      default: break
      }
    }
    for name in Self.names {
      for start in text.ranges(of: "\"\(name)\":").map(\.upperBound) {
        let rest = text[start...].drop { $0 == " " }
        if rest.first == "\"" { add(String(rest.dropFirst().prefix { $0 != "\"" })) }
      }
      for mark in ["&\(name)=", "?\(name)=", "\n\(name)="] {
        for start in text.ranges(of: mark).map(\.upperBound) {
          let value = String(text[start...].prefix { !"& \r\n\"".contains($0) })
          add(value.removingPercentEncoding ?? value)
        }
      }
    }
    for start in text.ranges(of: "TICKET_").map(\.lowerBound) {
      add(String(text[start...].prefix { $0.isLetter || $0.isNumber || $0 == "_" }))
    }
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

  /// Secrets that stand in some bytes: as they are, percent-encoded, JSON-escaped, or in base 64 wherever they begin.
  func leaks(in bytes: [UInt8]) -> [String] {
    let haystack = bytes.map { CChar(bitPattern: $0 == 0 ? 1 : $0) } + [0]
    return all.filter { secret in Self.forms(of: secret).contains { form in strstr(haystack, form) != nil } }
  }

  private static func forms(of secret: String) -> Set<String> {
    var forms: Set<String> = [secret, secret.replacing("/", with: "\\/")]
    if let percent = secret.addingPercentEncoding() { forms.insert(percent) }
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
  fileprivate func addingPercentEncoding() -> String? {
    utf8.map { byte in
      let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      return isPlain || "-._~".utf8.contains(byte)
        ? String(Unicode.Scalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }

  fileprivate var removingPercentEncoding: String? {
    guard contains("%") else { return self }
    var bytes: [UInt8] = []
    var rest = Array(utf8)[...]
    while let byte = rest.popFirst() {
      if byte == 0x25, rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
