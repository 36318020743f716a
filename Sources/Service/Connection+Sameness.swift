import Model

extension Connection {
  /// Whether both say the same, wherever in the file they stand.
  func isSame(as other: Connection) -> Bool {
    name == other.name && kind == other.kind && settings.isSame(as: other.settings)
  }
}

extension Settings {
  fileprivate func isSame(as other: Settings) -> Bool {
    directory == other.directory && members.count == other.members.count
      && zip(members, other.members).allSatisfy { $0.key == $1.key && $0.entry.isSame(as: $1.entry) }
  }
}

extension Settings.Entry {
  fileprivate func isSame(as other: Settings.Entry) -> Bool {
    switch (self, other) {
    case (.text(let a, _), .text(let b, _)): a == b
    case (.secret(let a, _), .secret(let b, _)): a == b
    case (.null, .null): true
    case (.table(let a), .table(let b)): a.isSame(as: b)
    case (.list(let a, _), .list(let b, _)): a.count == b.count && zip(a, b).allSatisfy { $0.isSame(as: $1) }
    default: false
    }
  }
}
