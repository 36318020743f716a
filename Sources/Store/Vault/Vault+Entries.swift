import LockedMemory
import Model

/// What is in a vault, by name.
extension Vault {
  package func string(named name: String) throws(VaultError) -> Secret? {
    guard var text = try value(named: name) else { return nil }
    defer { text.wipe() }
    return Secret(utf8: text)
  }

  /// The bytes in memory that is locked and wiped.
  package func bytes(named name: String) throws(VaultError) -> LockedBytes? {
    guard var bytes = try value(named: name) else { return nil }
    defer { bytes.wipe() }
    return LockedBytes(bytes)
  }

  package func set(_ secret: Secret, named name: String) throws(VaultError) {
    var value = secret.withUTF8 { Array($0) }
    defer { value.wipe() }
    try set(.string, value, named: name)
  }

  package func set(_ bytes: LockedBytes, named name: String) throws(VaultError) {
    var value = bytes.withBytes { Array($0) }
    defer { value.wipe() }
    try set(.bytes, value, named: name)
  }

  /// An item as it is, whatever its kind; nil when there is none. The caller wipes it.
  package func item(named name: String) throws(VaultError) -> (kind: VaultContent.Kind, value: [UInt8])? {
    let key = try currentKey()
    var entries = try entries(in: read(), with: key)
    defer { entries.wipe() }
    return entries.byName.removeValue(forKey: name).map { ($0.kind, $0.value) }
  }

  /// Keeps bytes that lie in ordinary memory.
  package func set(_ bytes: [UInt8], named name: String) throws(VaultError) { try set(.bytes, bytes, named: name) }

  package func remove(named name: String) throws(VaultError) {
    try changing { (file, entries) throws(VaultError) in entries.byName[name] = nil }
  }

  /// Names of what is in an unlocked vault, sorted.
  package func names() throws(VaultError) -> [String] { try contents().map(\.name) }

  /// What is in an unlocked vault, by name, without the values.
  package func contents() throws(VaultError) -> [VaultContent] {
    let key = try currentKey()
    var entries = try entries(in: read(), with: key)
    defer { entries.wipe() }
    return entries.byName.map { VaultContent(name: $0.key, kind: $0.value.kind) }.sorted { $0.name < $1.name }
  }

  private func value(named name: String) throws(VaultError) -> [UInt8]? { try item(named: name)?.value }

  private func set(_ kind: VaultContent.Kind, _ value: [UInt8], named name: String) throws(VaultError) {
    guard !name.isEmpty else { throw .nameEmpty }
    guard name.utf8.count <= VaultError.maxNameBytes else { throw .nameTooLong }
    guard value.count <= VaultError.maxValueBytes else { throw .valueTooLarge }
    let entry = VaultEntries.Entry(kind: kind, value: value)
    try changing { (file, entries) throws(VaultError) in entries.byName[name] = entry }
  }

  func changing(
    _ change: (inout VaultFile, inout VaultEntries) throws(VaultError) -> Void
  ) throws(VaultError) {
    let key = try currentKey()
    try locking { () throws(VaultError) in
      var file = try read()
      var entries = try entries(in: file, with: key)
      defer { entries.wipe() }
      try change(&file, &entries)
      try seal(entries, with: key, into: &file)
      try write(file)
    }
  }
}
