import JSON

/// The service document and the schema of the data service, in both versions.
enum ODataSchema {
  static func document(_ version: ODataVersion, _ root: String) -> JSONNode {
    switch version {
    case .v2: ["d": ["EntitySets": .array(SUP101Model.sets.map { .string($0.name) })]]
    case .v4:
      [
        "@odata.context": .string("\(root)$metadata"),
        "value": .array(
          SUP101Model.sets.map { ["name": .string($0.name), "kind": "EntitySet", "url": .string($0.name)] }),
      ]
    }
  }

  static func atomDocument(_ root: String) -> String {
    let sets = SUP101Model.sets.map {
      "<collection href=\"\($0.name)\"><atom:title>\($0.name)</atom:title></collection>"
    }
    return """
      <?xml version="1.0" encoding="utf-8"?>
      <service xml:base="\(root)" xmlns="http://www.w3.org/2007/app" xmlns:atom="http://www.w3.org/2005/Atom">
      <workspace><atom:title>Default</atom:title>\(sets.joined())</workspace></service>
      """
  }

  static func metadata(_ version: ODataVersion, _ namespace: String) -> String {
    let types = SUP101Model.sets.map { type($0, version, namespace) }.joined(separator: "\n")
    let associations = version == .v2 ? associations(namespace) : ""
    let container = container(version, namespace)
    return version == .v2
      ? """
      <?xml version="1.0" encoding="utf-8"?>
      <edmx:Edmx Version="1.0" xmlns:edmx="http://schemas.microsoft.com/ado/2007/06/edmx">
      <edmx:DataServices m:DataServiceVersion="2.0" xmlns:m="\(ODataXML.metadataNamespace)">
      <Schema Namespace="\(namespace)" xmlns="http://schemas.microsoft.com/ado/2008/09/edm">
      \(types)
      \(associations)\(container)
      </Schema></edmx:DataServices></edmx:Edmx>
      """
      : """
      <?xml version="1.0" encoding="utf-8"?>
      <edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx">
      <edmx:DataServices><Schema Namespace="\(namespace)" xmlns="http://docs.oasis-open.org/odata/ns/edm">
      \(types)
      \(container)
      </Schema></edmx:DataServices></edmx:Edmx>
      """
  }

  private static func type(_ set: ODataSet, _ version: ODataVersion, _ namespace: String) -> String {
    let keys = set.keys.map { "<PropertyRef Name=\"\($0)\"/>" }.joined()
    let properties = set.properties.map { property in
      let kind = property.kind == .date && version == .v4 ? "Edm.Date" : property.kind.rawValue
      let length = property.maxLength > 0 ? " MaxLength=\"\(property.maxLength)\"" : ""
      let precision = property.kind == .date && version == .v2 ? " Precision=\"0\"" : ""
      return
        "<Property Name=\"\(property.name)\" Type=\"\(kind)\" Nullable=\"\(property.isNullable)\"\(length)\(precision)/>"
    }
    let navigations = set.navigations.map { navigation in
      guard version == .v4, let target = SUP101Model.set(navigation.target) else {
        let (from, to) = ends(set, navigation)
        return
          "<NavigationProperty Name=\"\(navigation.name)\" Relationship=\"\(namespace).\(association(set, navigation))\" FromRole=\"\(from)\" ToRole=\"\(to)\"/>"
      }
      let kind = navigation.isCollection ? "Collection(\(namespace).\(target.type))" : "\(namespace).\(target.type)"
      return "<NavigationProperty Name=\"\(navigation.name)\" Type=\"\(kind)\"/>"
    }
    let all = (properties + navigations).joined(separator: "\n")
    return "<EntityType Name=\"\(set.type)\"><Key>\(keys)</Key>\n\(all)\n</EntityType>"
  }

  private static func ends(_ set: ODataSet, _ navigation: ODataSet.Navigation) -> (from: String, to: String) {
    (set.type, SUP101Model.set(navigation.target)?.type ?? navigation.target)
  }

  /// Both directions of a relation share one name: that of the one, then that of the many.
  private static func association(_ set: ODataSet, _ navigation: ODataSet.Navigation) -> String {
    let (from, to) = ends(set, navigation)
    return navigation.isCollection ? "\(from)_\(to)s" : "\(to)_\(from)s"
  }

  private static func associations(_ namespace: String) -> String {
    SUP101Model.sets.flatMap { set in
      set.navigations.filter(\.isCollection).map { navigation in
        let (from, to) = ends(set, navigation)
        return """
          <Association Name="\(association(set, navigation))">\
          <End Type="\(namespace).\(from)" Multiplicity="1" Role="\(from)"/>\
          <End Type="\(namespace).\(to)" Multiplicity="*" Role="\(to)"/></Association>

          """
      }
    }.joined()
  }

  private static func container(_ version: ODataVersion, _ namespace: String) -> String {
    let sets = SUP101Model.sets.map { set in
      let bindings =
        version == .v2
        ? ""
        : set.navigations.map { navigation in
          "<NavigationPropertyBinding Path=\"\(navigation.name)\" Target=\"\(navigation.target)\"/>"
        }.joined()
      return "<EntitySet Name=\"\(set.name)\" EntityType=\"\(namespace).\(set.type)\">\(bindings)</EntitySet>"
    }.joined(separator: "\n")
    let ends =
      version == .v4
      ? ""
      : SUP101Model.sets.flatMap { set in
        set.navigations.filter(\.isCollection).map { navigation in
          let name = association(set, navigation)
          let roles = self.ends(set, navigation)
          return """
            <AssociationSet Name="\(name)Set" Association="\(namespace).\(name)">\
            <End Role="\(roles.from)" EntitySet="\(set.name)"/><End Role="\(roles.to)" EntitySet="\(navigation.target)"/>\
            </AssociationSet>

            """
        }
      }.joined()
    let isDefault = version == .v2 ? " m:IsDefaultEntityContainer=\"true\"" : ""
    return "<EntityContainer Name=\"\(namespace)Container\"\(isDefault)>\n\(sets)\n\(ends)</EntityContainer>"
  }
}
