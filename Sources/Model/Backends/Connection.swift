/// A configured connection: its name, its kind, and the settings its back end reads.
public struct Connection: Sendable {
  public let name: String
  public let kind: BackendKind
  public let settings: Settings

  public init(name: String, kind: BackendKind, settings: Settings) {
    self.name = name
    self.kind = kind
    self.settings = settings
  }

  /// Root of everything behind this connection.
  public var root: Location { Location(connection: name) }
  public var isReadOnly: Bool { (try? settings.flag("readOnly")) ?? false }
}

/// A table of settings as configuration gives it, each knowing where it stands so that a wrong one can be pointed at.
public struct Settings: Sendable {
  /// Where a setting was written: `config.yaml:12:5`; empty when made in code.
  public struct Origin: Sendable, Hashable, CustomStringConvertible {
    public let text: String
    public init(_ text: String = "") { self.text = text }
    public var description: String { text }
  }

  public indirect enum Entry: Sendable {
    case text(String, Origin)
    case list([Entry], Origin)
    case table(Settings)
    /// `{ env: NAME }`, `{ vault: NAME }`, `{ file: PATH }`, `{ command: […] }`.
    case secret(SecretSource, Origin)
    case null(Origin)
  }

  public let members: [(key: String, entry: Entry)]
  public let origin: Origin
  /// Directory that relative paths start from.
  public let directory: String

  public init(_ members: [(key: String, entry: Entry)], origin: Origin = Origin(), directory: String = "") {
    self.members = members
    self.origin = origin
    self.directory = directory
  }

  /// The entry under a dotted path such as `auth.user`; nil when absent or null.
  public subscript(_ path: String) -> Entry? {
    var table = self
    let names = path.split(separator: ".").map(String.init)
    for (index, name) in names.enumerated() {
      guard let entry = table.members.last(where: { $0.key == name })?.entry else { return nil }
      if case .null = entry { return nil }
      if index == names.count - 1 { return entry }
      guard case .table(let inner) = entry else { return nil }
      table = inner
    }
    return nil
  }
}

extension Settings {
  /// - Throws: `.configuration` naming file, line and column when it is there and is not a text.
  public func text(_ path: String) throws(ServiceError) -> String? {
    switch self[path] {
    case nil: return nil
    case .text(let text, _): return text
    case let entry?: throw wrong(path, entry, "a text")
    }
  }

  /// - Throws: `.configuration` when it is absent, too.
  public func requiredText(_ path: String) throws(ServiceError) -> String {
    guard let text = try text(path), !text.isEmpty else { throw missing(path) }
    return text
  }

  public func flag(_ path: String) throws(ServiceError) -> Bool? {
    switch self[path] {
    case nil: return nil
    case .text("true", _): return true
    case .text("false", _): return false
    case let entry?: throw wrong(path, entry, "true or false")
    }
  }

  public func integer(_ path: String) throws(ServiceError) -> Int? {
    guard let entry = self[path] else { return nil }
    guard case .text(let text, _) = entry, let number = Int(text) else { throw wrong(path, entry, "a whole number") }
    return number
  }

  public func list(_ path: String) throws(ServiceError) -> [Entry]? {
    switch self[path] {
    case nil: return nil
    case .list(let entries, _): return entries
    case let entry?: throw wrong(path, entry, "a list")
    }
  }

  public func texts(_ path: String) throws(ServiceError) -> [String]? {
    guard let entries = try list(path) else { return nil }
    var texts: [String] = []
    for entry in entries {
      guard case .text(let text, _) = entry else { throw wrong(path, entry, "a list of texts") }
      texts.append(text)
    }
    return texts
  }

  public func table(_ path: String) throws(ServiceError) -> Settings? {
    switch self[path] {
    case nil: return nil
    case .table(let table): return table
    case let entry?: throw wrong(path, entry, "a table of settings")
    }
  }

  /// A secret, or a plain text read as one.
  public func secret(_ path: String) throws(ServiceError) -> SecretSource? {
    switch self[path] {
    case nil: return nil
    case .secret(let source, _): return source
    case .text(let text, _): return .literal(Secret(text))
    case let entry?: throw wrong(path, entry, "a text, or one of env, vault, file or command")
    }
  }

  public func wrong(_ path: String, _ entry: Entry, _ expected: String) -> ServiceError {
    ServiceError(
      .configuration, "read the setting “\(path)”", detail: "\(entry.origin.located)“\(path)” must be \(expected)")
  }

  public func missing(_ path: String) -> ServiceError {
    ServiceError(.configuration, "read the setting “\(path)”", detail: "\(origin.located)“\(path)” is missing")
  }
}

extension Settings.Entry {
  public var origin: Settings.Origin {
    switch self {
    case .text(_, let origin), .list(_, let origin), .secret(_, let origin), .null(let origin): origin
    case .table(let table): table.origin
    }
  }
}

extension Settings.Origin {
  fileprivate var located: String { text.isEmpty ? "" : "\(text): " }
}
