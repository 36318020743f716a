import Model

/// What `config.yaml` says.
package struct Configuration: Sendable {
  /// Something that does no harm but is probably not meant: an unknown key.
  package struct Warning: Sendable, Hashable, CustomStringConvertible {
    package let origin: Settings.Origin
    package let message: String
    package init(_ message: String, at origin: Settings.Origin) {
      self.message = message
      self.origin = origin
    }
    package var description: String { origin.text.isEmpty ? message : "\(origin): \(message)" }
  }

  /// The file it was read from; nil when there is none.
  package var path: String?
  /// A theme's name or file; nil leaves the choice to the program.
  package var theme: String?
  /// Which vault to use; nil for the one named `default`.
  package var vault: String?
  /// Where secrets are kept beyond the process.
  package var keeper = Keeper.vault

  package enum Keeper: String, Sendable, CaseIterable {
    case vault
    /// The desktop's own, through `secret-tool`.
    case secretService = "secret-service"
  }

  /// Minutes without a key after which the browser is locked; nil for never.
  package var lockAfter: Int?

  /// What pictures are made of; nil takes the terminal's own graphics where the environment tells of them.
  package var pictures: Pictures?

  package enum Pictures: String, Sendable, CaseIterable {
    /// Asks the terminal.
    case auto
    case blocks, sixel, kitty
  }

  /// Action names by key, overriding the key map.
  package var keys: [(key: String, action: String)]
  package var connections: [Connection]
  package var warnings: [Warning]

  package init(
    path: String? = nil, theme: String? = nil, keys: [(key: String, action: String)] = [],
    connections: [Connection] = [], warnings: [Warning] = []
  ) {
    self.path = path
    self.theme = theme
    self.keys = keys
    self.connections = connections
    self.warnings = warnings
  }

  package func connection(named name: String) -> Connection? { connections.first { $0.name == name } }

  /// The connection of a name given by a person.
  ///
  /// - Throws: `.notFound` naming those there are.
  package func requiredConnection(named name: String) throws(ServiceError) -> Connection {
    if let connection = connection(named: name) { return connection }
    let names = connections.map(\.name)
    let remedy =
      names.isEmpty
      ? "There are none yet: run atrium connections add, or atrium demo."
      : Spelling.nearest(to: name, among: names).map { "Did you mean \($0)? " }.map {
        $0 + "Connections: \(names.joined(separator: ", "))."
      } ?? "Connections: \(names.joined(separator: ", "))."
    throw ServiceError(
      .notFound, "find the connection \(name)", detail: "no connection has this name", remedy: remedy)
  }
}

extension Configuration {
  /// Reads a file. A file that is not there is an empty configuration, unless it `mustExist`.
  ///
  /// - Throws: `.configuration` with file, line and column.
  package static func load(_ path: String, mustExist: Bool) throws(ServiceError) -> Configuration {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try Files.read(path)
    } catch {
      if error.isMissing, !mustExist { return Configuration(path: path) }
      throw ServiceError(
        .configuration, "read the configuration", detail: "\(path): \(error.reason)",
        remedy: error.isMissing || Files.isDirectory(path)
          ? "Name the file itself with --config." : "Check who may read the file.", cause: error)
    }
    return try Configuration(parsing: bytes, path: path)
  }

  /// - Parameter path: Names the file in messages and is where relative paths start.
  package init(parsing bytes: [UInt8], path: String) throws(ServiceError) {
    var reader = ConfigurationReader(path: path)
    self = try reader.read(bytes)
  }
}
