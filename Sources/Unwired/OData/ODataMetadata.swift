import Model

/// What a service says of its data: entity sets, their keys and properties.
public struct ODataMetadata: Sendable, Hashable {
  public struct Property: Sendable, Hashable {
    public let name: String
    /// `Edm.String`…
    public let type: String
    public let isNullable: Bool
  }

  public struct EntityType: Sendable, Hashable {
    public let name: String
    public var keys: [String] = []
    public var properties: [Property] = []
    public var navigations: [String] = []

    public func property(_ name: String) -> Property? { properties.first { $0.name == name } }
  }

  public struct EntitySet: Sendable, Hashable {
    public let name: String
    /// Name of the type, without its namespace.
    public let type: String
  }

  public private(set) var version = ODataVersion.v2
  public private(set) var types: [EntityType] = []
  public private(set) var sets: [EntitySet] = []

  public func type(ofSet set: String) -> EntityType? {
    sets.first { $0.name == set }.flatMap { set in types.first { $0.name == set.type } }
  }

  /// Reads an EDMX document.
  ///
  /// - Throws: `XMLScanner.Failure` when it is no XML.
  init(edmx bytes: [UInt8]) throws(XMLScanner.Failure) {
    var scanner = XMLScanner(bytes)
    var current: EntityType?
    var inKey = false
    while let event = try scanner.next() {
      switch event {
      case .start("Edmx", let attributes, _):
        if attributes["Version"]?.hasPrefix("4") == true { version = .v4 }
      case .start("EntityType", let attributes, let isEmpty):
        current = EntityType(name: attributes["Name"] ?? "")
        if isEmpty, let type = current { types.append(type) }
      case .end("EntityType"):
        if let type = current { types.append(type) }
        current = nil
      case .start("Key", _, let isEmpty): inKey = !isEmpty
      case .end("Key"): inKey = false
      case .start("PropertyRef", let attributes, _):
        if inKey, let name = attributes["Name"] { current?.keys.append(name) }
      case .start("Property", let attributes, _):
        guard let name = attributes["Name"] else { continue }
        let property = Property(
          name: name, type: attributes["Type"] ?? "Edm.String", isNullable: attributes["Nullable"] != "false")
        current?.properties.append(property)
      case .start("NavigationProperty", let attributes, _):
        if let name = attributes["Name"] { current?.navigations.append(name) }
      case .start("EntitySet", let attributes, _):
        guard let name = attributes["Name"], let type = attributes["EntityType"] else { continue }
        sets.append(EntitySet(name: name, type: type.split(separator: ".").last.map(String.init) ?? type))
      case .start, .end, .text: continue
      }
    }
  }
}
