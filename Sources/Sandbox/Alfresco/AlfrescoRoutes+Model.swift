import HTTPServer
import JSON

extension AlfrescoRoutes {
  /// Types and aspects of the content model, with what they and their properties are called (model API, since 7.0).
  mutating func addModel() {
    for (path, classes) in [("types", ContentModel.types), ("aspects", ContentModel.aspects)] {
      on("GET", path) { call, _ in try call.list(call.paging.page(classes.map(\.written))) }
      on("GET", "\(path)/{class}") { call, _ in
        guard let found = classes.first(where: { $0.id == call["class"] }) else {
          throw AlfrescoFault.unknownEntity(call["class"])
        }
        return call.entry(found.written)
      }
    }
  }
}

/// Parts of the standard model, and a small model of the bank's own.
enum ContentModel {
  struct Property: Sendable {
    let id: String
    let title: String
    var type = "d:text"
    var isMultiple = false
  }

  struct Class: Sendable {
    let id: String
    let title: String
    var parent: String?
    var properties: [Property] = []
    var isType = false

    var written: JSONNode {
      var entry: JSONNode = ["id": .string(id), "title": .string(title)]
      if let parent { entry["parentId"] = .string(parent) }
      if !properties.isEmpty {
        entry["properties"] = .array(
          properties.map { property in
            [
              "id": .string(property.id), "title": .string(property.title), "dataType": .string(property.type),
              "isMultiValued": .bool(property.isMultiple), "isMandatory": false, "isMandatoryEnforced": false,
              "isProtected": false,
            ]
          })
      }
      entry["isContainer"] = .bool(id == "cm:folder")
      entry["isArchive"] = .bool(isType)
      entry["includedInSupertypeQuery"] = true
      let own = id.hasPrefix("loan:")
      entry["model"] = [
        "id": own ? "loan:loanModel" : "cm:contentmodel", "author": own ? "Meridian Bank" : "Alfresco",
        "description": own ? "Facilities and their terms" : "Alfresco Content Domain Model",
        "namespaceUri": own ? "http://bank.example/model/loan/1.0" : "http://www.alfresco.org/model/content/1.0",
        "namespacePrefix": own ? "loan" : "cm",
      ]
      return entry
    }
  }

  static let types = [
    Class(id: "cm:content", title: "Content", parent: "cm:cmobject", isType: true),
    Class(id: "cm:folder", title: "Folder", parent: "cm:cmobject", isType: true),
    Class(id: "st:site", title: "Site", parent: "cm:folder", isType: true),
  ]

  static let aspects = [
    Class(
      id: "cm:titled", title: "Titled",
      properties: [
        Property(id: "cm:title", title: "Title", type: "d:mltext"),
        Property(id: "cm:description", title: "Description", type: "d:mltext"),
      ]),
    Class(id: "cm:author", title: "Author", properties: [Property(id: "cm:author", title: "Author")]),
    Class(
      id: "cm:generalclassifiable", title: "Classifiable", parent: "cm:classifiable",
      properties: [Property(id: "cm:categories", title: "Categories", type: "d:category", isMultiple: true)]),
    Class(
      id: "loan:facility", title: "Facility",
      properties: [
        Property(id: "loan:number", title: "Facility number"), Property(id: "loan:borrower", title: "Borrower"),
        Property(id: "loan:signed", title: "Signed on", type: "d:date"),
        Property(id: "loan:amount", title: "Amount, in thousands", type: "d:long"),
        Property(id: "loan:covenants", title: "Covenants", isMultiple: true),
      ]),
  ]
}
