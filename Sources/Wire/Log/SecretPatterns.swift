import Crypto
import JSON

/// The byte patterns under which known secrets may appear, searched for all at once.
struct SecretPatterns {
  /// Shorter ones would hit innocent text; they are caught by the name of their field.
  static let minimumLength = 6
  private static let maximumSecrets = 400

  /// Oldest first.
  private var secrets: [(value: String, forms: Set<[UInt8]>)] = []
  private var known: Set<String> = []
  /// By first byte, longest first.
  private var buckets = [[[UInt8]]](repeating: [], count: 256)
  /// One bit for each pair of bytes that something may begin with: nearly all text fails here.
  private var beginnings = SecretPatterns.noBeginnings
  private(set) var longest = 0

  private static let noBeginnings: [UInt64] = {
    var bits = [UInt64](repeating: 0, count: 1024)
    set(0x65, 0x79, in: &bits)  // ey, of a JWT
    set(0x54, 0x49, in: &bits)  // TI, of a ticket
    return bits
  }()

  private static func set(_ first: UInt8, _ second: UInt8, in bits: inout [UInt64]) {
    let number = Int(first) << 8 | Int(second)
    bits[number >> 6] |= 1 << UInt64(number & 63)
  }

  /// Takes a secret in, and forgets the oldest quarter where there are too many.
  mutating func add(_ secret: String) {
    guard secret.utf8.count >= Self.minimumLength, known.insert(secret).inserted else { return }
    let forms = Self.forms(of: secret)
    secrets.append((secret, forms))
    guard secrets.count > Self.maximumSecrets else { return insert(forms) }
    for old in secrets.prefix(Self.maximumSecrets / 4) { known.remove(old.value) }
    secrets.removeFirst(Self.maximumSecrets / 4)
    buckets = [[[UInt8]]](repeating: [], count: 256)
    beginnings = Self.noBeginnings
    longest = 0
    for secret in secrets { insert(secret.forms) }
  }

  private mutating func insert(_ forms: Set<[UInt8]>) {
    for form in forms {
      longest = max(longest, form.count)
      Self.set(form[0], form[1], in: &beginnings)
      let index = Int(form[0])
      let place = buckets[index].firstIndex { $0.count < form.count } ?? buckets[index].count
      buckets[index].insert(form, at: place)
    }
  }

  /// Raw, percent-encoded, JSON-escaped, and base 64 wherever it begins within a longer text.
  static func forms(of secret: String) -> Set<[UInt8]> {
    let raw = Array(secret.utf8)
    let percent = URLForm.escape(secret)
    var json = JSONNode.string(secret).encoded()
    json = Array(json.dropFirst().dropLast())
    var forms: Set<[UInt8]> = [
      raw, Array(percent.utf8), Array(percent.replacing("%20", with: "+").utf8), Array(lowered(percent).utf8), json,
      json.flatMap { $0 == 0x2F ? [0x5C, 0x2F] : [$0] },
    ]
    for offset in 0..<3 {
      let standard = base64(raw, after: offset)
      forms.insert(standard)
      forms.insert(standard.map { $0 == 0x2B ? 0x2D : $0 == 0x2F ? 0x5F : $0 })
    }
    return forms.filter { $0.count >= minimumLength }
  }

  /// The part of the encoding that stays the same whatever stands before and behind.
  private static func base64(_ raw: [UInt8], after offset: Int) -> [UInt8] {
    let encoded = Array(Base64.encode([UInt8](repeating: 0, count: offset) + raw).utf8)
    let first = (offset * 8 + 5) / 6
    let end = (offset + raw.count) * 8 / 6
    return first < end ? Array(encoded[first..<end]) : []
  }

  /// Percent escapes with lower-case digits, as some write them.
  private static func lowered(_ percent: String) -> String {
    var left = 0
    return String(
      percent.map { character in
        if character == "%" {
          left = 2
          return character
        }
        defer { left = max(0, left - 1) }
        return left > 0 ? Character(character.lowercased()) : character
      })
  }

  /// The next secret at or after `start`.
  func firstMatch(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Range<Int>? {
    beginnings.withUnsafeBufferPointer { beginnings in
      var index = start
      while index + 1 < bytes.count {
        let number = Int(bytes[index]) << 8 | Int(bytes[index + 1])
        if beginnings[number >> 6] >> UInt64(number & 63) & 1 == 1 {
          let length = match(bytes, at: index)
          if length > 0 { return index..<index + length }
        }
        index += 1
      }
      return nil
    }
  }

  /// Length of the secret that begins at `index`, 0 for none: a known one, a JWT, or an Alfresco ticket.
  private func match(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int {
    for pattern in buckets[Int(bytes[index])] where index + pattern.count <= bytes.count {
      if (0..<pattern.count).allSatisfy({ bytes[index + $0] == pattern[$0] }) { return pattern.count }
    }
    switch bytes[index] {
    case 0x65: return Self.matchJWT(bytes, at: index)
    case 0x54: return Self.matchTicket(bytes, at: index)
    default: return 0
    }
  }

  /// `eyJ…` with at least one dot and forty characters.
  private static func matchJWT(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int {
    guard index + 40 <= bytes.count, bytes[index + 1] == 0x79, bytes[index + 2] == 0x4A else { return 0 }
    var end = index
    var dots = 0
    while end < bytes.count {
      switch bytes[end] {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: break
      case 0x2E: dots += 1
      default: return dots > 0 && end - index >= 40 ? end - index : 0
      }
      end += 1
    }
    return dots > 0 ? end - index : 0
  }

  private static let ticketMark = Array("TICKET_".utf8)

  private static func matchTicket(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int {
    let start = index + ticketMark.count
    guard start + 8 <= bytes.count, (0..<ticketMark.count).allSatisfy({ bytes[index + $0] == ticketMark[$0] })
    else { return 0 }
    var end = start
    while end < bytes.count, isWord(bytes[end]) { end += 1 }
    return end - start >= 8 ? end - index : 0
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
    default: false
    }
  }
}
