import JSON

/// Writes rows in the JSON of OData V2 or V4.
struct ODataWriter: Sendable {
  let version: ODataVersion
  /// Address of the service, with a slash at its end.
  let root: String
  let namespace: String
  let data: SUP101Data

  func uri(_ row: ODataRow, _ set: ODataSet) -> String { uri(row.key, set) }
  func uri(_ key: RowKey, _ set: ODataSet) -> String { "\(root)\(set.name)(\(key.text(set)))" }

  func value(_ value: ODataValue) -> JSONNode {
    switch value {
    case .null: .null
    case .int(let number): .int(number)
    case .string(let text): .string(text)
    case .bool(let flag): .bool(flag)
    case .decimal(let number): .string("\(number)")
    case .date(let time): .string(version == .v2 ? "/Date(\(time.milliseconds))/" : time.isoDate)
    }
  }

  /// One row, with what `$select` and `$expand` ask for.
  func entity(_ row: ODataRow, _ set: ODataSet, _ query: ODataQuery?) -> JSONNode {
    var node: JSONNode
    switch version {
    case .v2:
      node = [
        "__metadata": [
          "uri": .string(uri(row, set)), "etag": .string(row.etag), "type": .string("\(namespace).\(set.type)"),
        ]
      ]
    case .v4: node = ["@odata.etag": .string(row.etag)]
    }
    let wanted = query?.select.flatMap { $0.contains("*") ? nil : Set($0) }
    for (property, value) in zip(set.properties, row.values) where wanted?.contains(property.name) ?? true {
      node[property.name] = self.value(value)
    }
    for navigation in set.navigations {
      let isExpanded = query?.expand.contains(navigation.name) ?? false
      if isExpanded {
        node[navigation.name] = expanded(navigation, of: row, set)
      } else if version == .v2, wanted?.contains(navigation.name) ?? true {
        node[navigation.name] = ["__deferred": ["uri": .string("\(uri(row, set))/\(navigation.name)")]]
      }
    }
    return node
  }

  private func expanded(_ navigation: ODataSet.Navigation, of row: ODataRow, _ set: ODataSet) -> JSONNode {
    let (target, rows) = related(navigation, of: row, set)
    let nodes = rows.map { entity($0, target, nil) }
    guard navigation.isCollection else { return nodes.first ?? .null }
    return version == .v2 ? ["results": .array(nodes)] : .array(nodes)
  }

  /// The rows at the other end of a navigation.
  func related(
    _ navigation: ODataSet.Navigation, of row: ODataRow, _ set: ODataSet
  ) -> (set: ODataSet, rows: [ODataRow]) {
    guard let target = SUP101Model.set(navigation.target), let local = set.index(of: navigation.local),
      case .int(let number) = row.values[local]
    else { return (set, []) }
    return (target, data.rows(target, where: navigation.foreign, equals: number))
  }

  /// A page with its count and links.
  func feed(
    _ page: ODataPage, _ set: ODataSet, _ query: ODataQuery, next: String?, delta: String?, isDelta: Bool,
    listsDeleted: Bool
  ) -> JSONNode {
    let rows = page.rows.map { entity($0, set, query) }
    switch version {
    case .v2:
      var inner: JSONNode = ["results": .array(rows)]
      if let count = page.count { inner["__count"] = .string(String(count)) }
      if isDelta, listsDeleted, !page.deleted.isEmpty {
        inner["__deleted"] = .array(
          page.deleted.map { ["uri": .string(uri($0.key, set)), "when": .string("/Date(\($0.time.milliseconds))/")] })
      }
      if let next { inner["__next"] = .string(next) }
      if let delta { inner["__delta"] = .string(delta) }
      return ["d": inner]
    case .v4:
      let gone: [JSONNode] = page.deleted.map { deleted in
        [
          "@odata.context": .string("\(root)$metadata#\(set.name)/$deletedEntity"),
          "id": .string("\(set.name)(\(deleted.key.text(set)))"), "reason": "deleted",
        ]
      }
      let context = "\(root)$metadata#\(set.name)\(isDelta ? "/$delta" : "")"
      var node: JSONNode = ["@odata.context": .string(context)]
      if let count = page.count { node["@odata.count"] = .int(count) }
      node["value"] = .array(rows + gone)
      if let next { node["@odata.nextLink"] = .string(next) }
      if let delta { node["@odata.deltaLink"] = .string(delta) }
      return node
    }
  }

  func single(_ row: ODataRow, _ set: ODataSet, _ query: ODataQuery?) -> JSONNode {
    let entity = entity(row, set, query)
    guard version == .v4, case .object(let members) = entity else { return ["d": entity] }
    let context = JSONNode.Member(key: "@odata.context", value: .string("\(root)$metadata#\(set.name)/$entity"))
    return .object([context] + members)
  }
}

/// Writes rows and the schema as XML.
struct ODataXML: Sendable {
  static let metadataNamespace = "http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"
  static let dataNamespace = "http://schemas.microsoft.com/ado/2007/08/dataservices"
  static let atomNamespaces =
    "xmlns=\"http://www.w3.org/2005/Atom\" xmlns:m=\"\(metadataNamespace)\" xmlns:d=\"\(dataNamespace)\""

  /// Text for an element; XML cannot carry C0 characters, so they are lost.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\t", "\n", "\r": result.unicodeScalars.append(scalar)
      case _ where scalar.value < 32: break
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  static func property(_ name: String, _ value: ODataValue) -> String {
    switch value {
    case .null: "<d:\(name) m:null=\"true\"/>"
    case .int(let number): "<d:\(name) m:type=\"Edm.Int32\">\(number)</d:\(name)>"
    case .string(let text): "<d:\(name)>\(escaped(text))</d:\(name)>"
    case .bool(let flag): "<d:\(name) m:type=\"Edm.Boolean\">\(flag)</d:\(name)>"
    case .decimal(let number): "<d:\(name) m:type=\"Edm.Decimal\">\(number)</d:\(name)>"
    case .date(let time): "<d:\(name) m:type=\"Edm.DateTime\">\(time.iso.dropLast())</d:\(name)>"
    }
  }

  /// One `entry`; the outermost carries the namespaces.
  static func entry(
    id: String, title: String, edit: String, etag: String?, term: String, properties: String, updated: SandboxTime,
    isOutermost: Bool
  ) -> String {
    let tag = etag.map { " m:etag=\"\(escaped($0))\"" } ?? ""
    return """
      <entry\(isOutermost ? " \(atomNamespaces)" : "")\(tag)>
       <id>\(escaped(id))</id>
       <title type="text"/><updated>\(updated.iso)</updated><author><name/></author>
       <link rel="edit" title="\(title)" href="\(escaped(edit))"/>
       <category term="\(term)" scheme="\(dataNamespace)/scheme"/>
       <content type="application/xml"><m:properties>\(properties)</m:properties></content>
      </entry>
      """
  }

  static func entry(
    _ row: ODataRow, _ set: ODataSet, _ writer: ODataWriter, _ query: ODataQuery?, at now: SandboxTime,
    isOutermost: Bool
  ) -> String {
    let wanted = query?.select.flatMap { $0.contains("*") ? nil : Set($0) }
    let properties = zip(set.properties, row.values).filter { wanted?.contains($0.0.name) ?? true }
      .map { property($0.0.name, $0.1) }.joined()
    return entry(
      id: writer.uri(row, set), title: set.type, edit: "\(set.name)(\(row.key.text(set)))", etag: row.etag,
      term: "\(writer.namespace).\(set.type)", properties: properties, updated: now, isOutermost: isOutermost)
  }

  static func feed(
    _ page: ODataPage, _ set: ODataSet, _ writer: ODataWriter, _ query: ODataQuery, next: String?, delta: String?,
    at now: SandboxTime
  ) -> String {
    let entries = page.rows.map { entry($0, set, writer, query, at: now, isOutermost: false) }
    let gone = page.deleted.map { key, time in
      "<at:deleted-entry ref=\"\(escaped(writer.uri(key, set)))\" when=\"\(time.iso)\"/>"
    }
    var parts = [
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>",
      "<feed \(atomNamespaces) xmlns:at=\"http://purl.org/atompub/tombstones/1.0\" xml:base=\"\(escaped(writer.root))\">",
      "<id>\(escaped(writer.root))\(set.name)</id><title type=\"text\">\(set.name)</title><updated>\(now.iso)</updated>",
    ]
    if let count = page.count { parts.append("<m:count>\(count)</m:count>") }
    parts += entries + gone
    if let next { parts.append("<link rel=\"next\" href=\"\(escaped(next))\"/>") }
    if let delta { parts.append("<link rel=\"delta\" href=\"\(escaped(delta))\"/>") }
    return (parts + ["</feed>"]).joined(separator: "\n")
  }
}
