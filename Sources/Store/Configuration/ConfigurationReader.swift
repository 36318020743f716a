import Model
import YAML

/// Turns the nodes of `config.yaml` into values: checks the type of every known key and remembers the unknown ones.
struct ConfigurationReader {
  let path: String
  private let directory: String
  private(set) var warnings: [Configuration.Warning] = []

  init(path: String) {
    self.path = path
    directory = FilePath.directory(of: path)
  }

  mutating func read(_ bytes: [UInt8]) throws(ServiceError) -> Configuration {
    let root: YAMLNode
    do {
      root = try YAMLNode.parse(bytes)
    } catch {
      throw broken(error.message, at: error.position)
    }
    var configuration = Configuration(path: path)
    if root.isNull { return configuration }
    guard let entries = root.entries else { throw broken("the file must be a mapping of settings", at: root.position) }
    for (key, value) in entries {
      switch key.scalar?.text ?? "" {
      case "theme": configuration.theme = try text(value, "theme")
      case "vault": configuration.vault = try vault(value)
      case "keeper": configuration.keeper = try keeper(value)
      case "lock_after": configuration.lockAfter = try minutes(value, "lock_after")
      case "pictures": configuration.pictures = try pictures(value)
      case "keys": configuration.keys = try keys(value)
      case "connections": configuration.connections = try connections(value)
      case let name:
        warn(
          unknown: name, key.position,
          among: ["theme", "vault", "keeper", "lock_after", "pictures", "keys", "connections"], in: "")
      }
    }
    configuration.warnings = warnings
    return configuration
  }

  /// A name that may also name a file.
  private mutating func vault(_ node: YAMLNode) throws(ServiceError) -> String? {
    guard let name = try text(node, "vault") else { return nil }
    guard Location.isConnectionName(name) else {
      throw wrong("vault", node, "a name of letters, digits, -, _ and .")
    }
    return name
  }

  private func minutes(_ node: YAMLNode, _ name: String) throws(ServiceError) -> Int? {
    if node.isNull { return nil }
    guard let minutes = (node.scalar?.text).flatMap({ Int($0) }), (1...1440).contains(minutes) else {
      throw wrong(name, node, "minutes, a whole number from 1 to 1440")
    }
    return minutes
  }

  private func keeper(_ node: YAMLNode) throws(ServiceError) -> Configuration.Keeper {
    guard let name = try text(node, "keeper") else { return .vault }
    guard let keeper = Configuration.Keeper(rawValue: name) else {
      throw broken(unknownChoice("keeper", name, Configuration.Keeper.allCases.map(\.rawValue)), at: node.position)
    }
    return keeper
  }

  private func pictures(_ node: YAMLNode) throws(ServiceError) -> Configuration.Pictures? {
    guard let name = try text(node, "pictures") else { return nil }
    guard let pictures = Configuration.Pictures(rawValue: name) else {
      throw broken(unknownChoice("pictures", name, Configuration.Pictures.allCases.map(\.rawValue)), at: node.position)
    }
    return pictures
  }

  private mutating func keys(_ node: YAMLNode) throws(ServiceError) -> [(key: String, action: String)] {
    if node.isNull { return [] }
    guard let entries = node.entries else { throw wrong("keys", node, "a mapping from key to action") }
    var keys: [(key: String, action: String)] = []
    for (key, value) in entries {
      let name = key.scalar?.text ?? ""
      guard let action = try text(value, "keys.\(name)") else { continue }
      keys.append((name, action))
    }
    return keys
  }

  private mutating func connections(_ node: YAMLNode) throws(ServiceError) -> [Connection] {
    if node.isNull { return [] }
    guard let elements = node.elements else { throw wrong("connections", node, "a list of connections") }
    var connections: [Connection] = []
    for element in elements {
      let connection = try connection(element)
      if connections.contains(where: { $0.name == connection.name }) {
        throw broken(
          "a second connection named “\(connection.name)”", at: element["name"]?.position ?? element.position)
      }
      connections.append(connection)
    }
    return connections
  }

  private mutating func connection(_ node: YAMLNode) throws(ServiceError) -> Connection {
    guard node.entries != nil else { throw wrong("connections", node, "a list of mappings, each with name and kind") }
    guard let nameNode = node["name"], let name = try text(nameNode, "name") else {
      throw broken("this connection has no name", at: node.position)
    }
    guard Location.isConnectionName(name) else {
      throw broken(
        "“\(name)” cannot name a connection: use letters, digits, -, _ and .", at: nameNode.position)
    }
    guard let kindNode = node["kind"], let kindName = try text(kindNode, "kind") else {
      throw broken("the connection “\(name)” has no kind", at: node.position)
    }
    guard let kind = BackendKind(rawValue: kindName) else {
      throw broken(unknownChoice("kind", kindName, BackendKind.allCases.map(\.rawValue)), at: kindNode.position)
    }
    let settings = try table(node, SettingsSchema.connection(kind), name: "")
    return Connection(name: name, kind: kind, settings: settings)
  }
}

// Entries by shape.
extension ConfigurationReader {
  private mutating func table(_ node: YAMLNode, _ schema: SettingsSchema, name: String) throws(ServiceError) -> Settings
  {
    guard let entries = node.entries else { throw wrong(name, node, "a mapping of settings") }
    var members: [(key: String, entry: Settings.Entry)] = []
    for (key, value) in entries {
      let member = key.scalar?.text ?? ""
      let full = name.isEmpty ? member : "\(name).\(member)"
      guard let shape = schema.shape(of: member) else {
        warn(unknown: member, key.position, among: schema.keys.map(\.name), in: name)
        continue
      }
      members.append((member, try entry(value, shape, name: full)))
    }
    return Settings(members, origin: origin(node.position), directory: directory)
  }

  private mutating func entry(
    _ node: YAMLNode, _ shape: SettingsSchema.Shape, name: String
  ) throws(ServiceError) -> Settings.Entry {
    let place = origin(node.position)
    if node.isNull { return .null(place) }
    switch shape {
    case .text, .flag, .integer, .positive, .url, .color, .choice:
      return .text(try scalar(node, shape, name: name), place)
    case .secret:
      return try secret(node, name: name)
    case .texts:
      guard let elements = node.elements else { throw wrong(name, node, "a list of texts") }
      var texts: [Settings.Entry] = []
      for element in elements {
        texts.append(.text(try required(element, name, "a list of texts"), origin(element.position)))
      }
      return .list(texts, place)
    case .table(let schema):
      return .table(try table(node, schema, name: name))
    case .tables(let schema):
      guard let elements = node.elements else { throw wrong(name, node, "a list of mappings") }
      var tables: [Settings.Entry] = []
      for element in elements { tables.append(.table(try table(element, schema, name: name))) }
      return .list(tables, place)
    case .secrets:
      guard let entries = node.entries else { throw wrong(name, node, "a mapping from name to value") }
      var members: [(key: String, entry: Settings.Entry)] = []
      for (key, value) in entries {
        let member = key.scalar?.text ?? ""
        members.append((member, try secret(value, name: "\(name).\(member)")))
      }
      return .table(Settings(members, origin: place, directory: directory))
    case .free:
      return try free(node, name: name)
    }
  }

  private func scalar(
    _ node: YAMLNode, _ shape: SettingsSchema.Shape, name: String
  ) throws(ServiceError) -> String {
    switch shape {
    case .flag:
      guard let flag = node.bool else { throw wrong(name, node, "true or false") }
      return flag ? "true" : "false"
    case .integer:
      return String(try number(node, atLeast: 0, name))
    case .positive:
      return String(try number(node, atLeast: 1, name))
    case .url:
      let text = try required(node, name, "an http or https address")
      guard text.hasPrefix("http://") || text.hasPrefix("https://") else {
        throw wrong(name, node, "an address that begins with https:// or http://")
      }
      return text
    case .color:
      let text = try required(node, name, "a colour such as \"#cc3333\"")
      guard Color(text) != nil else { throw wrong(name, node, "a colour such as \"#cc3333\" (in quotes) or red") }
      return text
    case .choice(let choices):
      let text = try required(node, name, "one of \(choices.joined(separator: ", "))")
      guard choices.contains(text) else { throw broken(unknownChoice(name, text, choices), at: node.position) }
      return text
    default:
      return try required(node, name, "a text")
    }
  }

  private func number(_ node: YAMLNode, atLeast least: Int, _ name: String) throws(ServiceError) -> Int {
    guard let number = node.int else { throw wrong(name, node, "a whole number") }
    guard number >= least else {
      let bound = least == 1 ? "above 0" : "from \(least) on"
      throw broken("“\(name)” must be a whole number \(bound), and is \(number)", at: node.position)
    }
    return number
  }

  private func secret(_ node: YAMLNode, name: String) throws(ServiceError) -> Settings.Entry {
    let place = origin(node.position)
    if node.isNull { return .null(place) }
    if let text = node.text { return .text(text, place) }
    guard let source = try secretSource(node, name: name) else {
      throw wrong(name, node, "a text, or one of { env: NAME }, { vault: NAME }, { file: PATH }, { command: [...] }")
    }
    return .secret(source, place)
  }

  /// What a mapping with the one key `env`, `vault`, `file` or `command` names; nil for any other node.
  private func secretSource(_ node: YAMLNode, name: String) throws(ServiceError) -> SecretSource? {
    guard let entries = node.entries, entries.count == 1, let (key, value) = entries.first else { return nil }
    switch key.scalar?.text {
    case "env": return .environment(try required(value, "\(name).env", "the name of a variable"))
    case "vault": return .vault(try required(value, "\(name).vault", "the name of an entry"))
    case "file": return .file(FilePath.joined(directory, try required(value, "\(name).file", "a path")))
    case "command":
      guard let elements = value.elements, !elements.isEmpty else {
        throw wrong("\(name).command", value, "a list: the command and its arguments")
      }
      var words: [String] = []
      for element in elements { words.append(try required(element, "\(name).command", "a list of texts")) }
      return .command(words)
    default: return nil
    }
  }

  private mutating func free(_ node: YAMLNode, name: String) throws(ServiceError) -> Settings.Entry {
    let place = origin(node.position)
    switch node.content {
    case .scalar(let text, _):
      return node.isNull ? .null(place) : .text(node.bool.map { $0 ? "true" : "false" } ?? text, place)
    case .sequence(let elements):
      var entries: [Settings.Entry] = []
      for element in elements { entries.append(try free(element, name: name)) }
      return .list(entries, place)
    case .mapping(let pairs):
      if let source = try? secretSource(node, name: name) { return .secret(source, place) }
      var members: [(key: String, entry: Settings.Entry)] = []
      for (key, value) in pairs {
        let member = key.scalar?.text ?? ""
        members.append((member, try free(value, name: "\(name).\(member)")))
      }
      return .table(Settings(members, origin: place, directory: directory))
    }
  }
}

// What is wrong, and where.
extension ConfigurationReader {
  private func origin(_ position: YAMLPosition) -> Settings.Origin {
    Settings.Origin("\(path):\(position.line):\(position.column)")
  }

  private func text(_ node: YAMLNode, _ name: String) throws(ServiceError) -> String? {
    node.isNull ? nil : try required(node, name, "a text")
  }

  private func required(_ node: YAMLNode, _ name: String, _ expected: String) throws(ServiceError) -> String {
    guard let text = node.text else { throw wrong(name, node, expected) }
    return text
  }

  private func wrong(_ name: String, _ node: YAMLNode, _ expected: String) -> ServiceError {
    broken("“\(name)” must be \(expected), and is \(node.kind.noun)", at: node.position)
  }

  private func broken(_ message: String, at position: YAMLPosition) -> ServiceError {
    ServiceError(
      .configuration, "read the configuration", detail: "\(origin(position)): \(message)",
      remedy: "Correct line \(position.line) of the file; nothing in it was changed.")
  }

  private func unknownChoice(_ name: String, _ text: String, _ choices: [String]) -> String {
    let hint = Spelling.nearest(to: text, among: choices).map { "; did you mean “\($0)”?" } ?? ""
    return "“\(name)” must be one of \(choices.joined(separator: ", ")), and is “\(text)”\(hint)"
  }

  private mutating func warn(unknown key: String, _ position: YAMLPosition, among known: [String], in table: String) {
    let place = table.isEmpty ? "" : " under “\(table)”"
    let hint = Spelling.nearest(to: key, among: known).map { "; did you mean “\($0)”?" } ?? ""
    warnings.append(Configuration.Warning("unknown key “\(key)”\(place)\(hint)", at: origin(position)))
  }
}
