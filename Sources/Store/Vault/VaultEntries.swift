import Crypto

/// What is in a vault: texts and bytes by name.
struct VaultEntries: Sendable, Equatable {
  struct Entry: Sendable, Equatable {
    var kind: VaultContent.Kind
    var value: [UInt8]
  }

  var byName: [String: Entry] = [:]

  init() {}

  /// For each entry in the order of names: length of the name (2), name, kind (1), length of the value (4), value.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    // All of it at once: growing would leave copies behind that nobody wipes.
    bytes.reserveCapacity(byName.reduce(0) { $0 + $1.key.utf8.count + $1.value.value.count + 7 })
    for (name, entry) in byName.sorted(by: { $0.key < $1.key }) {
      bytes += UInt16(name.utf8.count).bytes + Array(name.utf8)
      bytes += [entry.kind.rawValue] + UInt32(entry.value.count).bytes + entry.value
    }
    return bytes
  }

  /// Overwrites the values, where nobody else holds them.
  mutating func wipe() {
    for name in byName.keys { byName[name]?.value.wipe() }
    byName = [:]
  }

  /// Nil when the bytes are not such a list.
  init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    while reader.left > 0 {
      let nameCount = Int(reader.bytes(2).reduce(0) { $0 << 8 | UInt32($1) })
      guard reader.left >= nameCount + 5, let name = String(validating: reader.bytes(nameCount), as: UTF8.self),
        let kind = VaultContent.Kind(rawValue: reader.bytes(1)[0])
      else { return nil }
      let count = Int(reader.uint32())
      guard reader.left >= count else { return nil }
      byName[name] = Entry(kind: kind, value: reader.bytes(count))
    }
  }
}
