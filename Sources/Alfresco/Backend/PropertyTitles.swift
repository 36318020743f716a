/// Which aspect of the standard content model a property belongs to, and what both are called.
enum PropertyTitles {
  private static let aspects: [(aspect: String, title: String, properties: [String: String])] = [
    ("cm:titled", "Title", ["cm:title": "Title", "cm:description": "Description"]),
    ("cm:author", "Author", ["cm:author": "Author"]),
    ("cm:ownable", "Owner", ["cm:owner": "Owner"]),
    (
      "cm:versionable", "Versions",
      [
        "cm:versionLabel": "Version", "cm:versionType": "Version type", "cm:autoVersion": "New version on update",
        "cm:initialVersion": "First version on creation", "cm:autoVersionOnUpdateProps": "New version on edit",
      ]
    ),
    (
      "cm:lockable", "Lock",
      [
        "cm:lockOwner": "Locked by", "cm:lockType": "Lock type", "cm:lockLifetime": "Lock lifetime",
        "cm:expiryDate": "Locked until", "cm:lockIsDeep": "Locks contents",
      ]
    ),
    (
      "cm:workingcopy", "Working copy",
      ["cm:workingCopyOwner": "Working copy of", "cm:workingCopyLabel": "Working copy label"]
    ),
    (
      "qshare:shared", "Shared link",
      ["qshare:sharedId": "Link id", "qshare:sharedBy": "Shared by", "qshare:expiryDate": "Shared until"]
    ),
    ("cm:taggable", "Tags", ["cm:taggable": "Tag ids"]),
    ("cm:generalclassifiable", "Categories", ["cm:categories": "Category ids"]),
    (
      "cm:dublincore", "Dublin Core",
      [
        "cm:publisher": "Publisher", "cm:contributor": "Contributor", "cm:type": "Type", "cm:identifier": "Identifier",
        "cm:dcsource": "Source", "cm:coverage": "Coverage", "cm:rights": "Rights", "cm:subject": "Subject",
      ]
    ),
    ("cm:effectivity", "Effectivity", ["cm:from": "From", "cm:to": "To"]),
    ("cm:summarizable", "Summary", ["cm:summary": "Summary"]),
  ]

  private static let byProperty: [String: (aspect: String, title: String)] = {
    var table: [String: (aspect: String, title: String)] = [:]
    for entry in aspects {
      for (property, title) in entry.properties { table[property] = (entry.aspect, title) }
    }
    return table
  }()

  private static let aspectTitles = Dictionary(uniqueKeysWithValues: aspects.map { ($0.aspect, $0.title) })

  static func knows(_ property: String) -> Bool { byProperty[property] != nil }

  /// The aspect of a property; for one of another model, its prefix.
  static func aspect(of property: String) -> String {
    byProperty[property]?.aspect ?? String(property.prefix { $0 != ":" })
  }

  static func title(of property: String) -> String { byProperty[property]?.title ?? property }

  static func title(ofAspect aspect: String) -> String { aspectTitles[aspect] ?? "Properties (\(aspect))" }
}
