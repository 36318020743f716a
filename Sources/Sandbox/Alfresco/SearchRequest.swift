import JSON

/// The body of a search, read and checked as the server does (reference 2.1.1).
struct SearchRequest: Sendable {
  enum Language: String, Sendable { case afts, cmis, lucene }
  struct Sort: Sendable, Equatable {
    let field: String?
    let isAscending: Bool
  }
  struct FacetField: Sendable {
    let field: String
    let label: String
    let prefix: String
    let limit: Int
    let minimum: Int
    let isByIndex: Bool
  }
  struct FacetQuery: Sendable {
    let query: String
    let label: String
    let group: String?
  }

  let body: JSONValue
  let language: Language
  let query: String
  let userQuery: String?
  let paging: Paging
  let include: Set<String>
  let fields: Set<String>
  let sorts: [Sort]
  let filters: [String]
  let isAndDefault: Bool
  let namespace: String
  let defaultField: String
  let templates: [String: [String]]
  let facetFields: [FacetField]
  let facetQueries: [FacetQuery]
  let highlight: SearchHighlight?
  let isSpellChecked: Bool
  let isVersion2: Bool

  private static let includable: Set = [
    "allowableOperations", "aspectNames", "isLink", "isFavorite", "isLocked", "path", "permissions", "properties",
    "association",
  ]

  init(_ body: JSONValue) throws(AlfrescoFault) {
    self.body = body
    let word = body["query"]["language"].string ?? "afts"
    guard let language = Language(rawValue: word.lowercased()) else {
      throw .invalidArgument("Unknown query language: \(word)")
    }
    guard let query = body["query"]["query"].string, !query.isEmpty else {
      throw .invalidArgument("query is mandatory")
    }
    self.language = language
    self.query = query
    userQuery = body["query"]["userQuery"].string
    paging = try Self.paging(body["paging"])
    include = Set(body["include"].elements.compactMap(\.string))
    for word in include where !Self.includable.contains(word) {
      throw .invalidArgument("include: \(word)")
    }
    fields = Set(body["fields"].elements.compactMap(\.string))
    sorts = try Self.sorts(body["sort"])
    filters = body["filterQueries"].elements.flatMap { each in
      [each["query"].string].compactMap(\.self) + each["queries"].elements.compactMap(\.string)
    }
    if language == .cmis, !sorts.isEmpty || !filters.isEmpty {
      throw .invalidArgument("sort and filterQueries cannot be used with cmis")
    }
    let defaults = body["defaults"]
    isAndDefault = defaults["defaultFTSOperator"].string?.uppercased() == "AND"
    namespace = defaults["namespace"].string ?? "cm"
    defaultField = defaults["defaultFieldName"].string ?? "TEXT"
    templates = Self.templates(body["templates"])
    facetFields = try Self.facetFields(body["facetFields"]["facets"])
    facetQueries = try Self.facetQueries(body["facetQueries"])
    highlight = body["highlight"].kind == .object ? try SearchHighlight(body["highlight"]) : nil
    let spelling = body["spellcheck"]
    isSpellChecked = spelling.kind == .object
    if isSpellChecked, spelling["query"].string == nil, userQuery == nil {
      throw .invalidArgument("Spellcheck term was null or empty")
    }
    isVersion2 = body["facetFormat"].string == "V2"
    try Self.checkRest(body)
  }

  private static func paging(_ value: JSONValue) throws(AlfrescoFault) -> Paging {
    guard value.kind == .object else { return Paging() }
    // A paging object that names no maxItems means 0, which is refused.
    return try Paging(
      skipCount: value["skipCount"].text ?? "0", maxItems: value["maxItems"].text ?? "0")
  }

  private static func sorts(_ value: JSONValue) throws(AlfrescoFault) -> [Sort] {
    var sorts: [Sort] = []
    for each in value.elements {
      let isAscending = each["ascending"].bool ?? false
      switch each["type"].string?.uppercased() {
      case "FIELD":
        guard let field = each["field"].string else { throw .invalidArgument("sort field is mandatory") }
        sorts.append(Sort(field: field, isAscending: isAscending))
      case "SCORE": sorts.append(Sort(field: nil, isAscending: isAscending))
      case "DOCUMENT": sorts.append(Sort(field: "id", isAscending: isAscending))
      case nil: throw .failed("java.lang.NullPointerException")
      default: throw .invalidArgument("Unknown sort type")
      }
    }
    return sorts
  }

  private static func templates(_ value: JSONValue) -> [String: [String]] {
    var templates: [String: [String]] = [:]
    for each in value.elements {
      guard let name = each["name"].string, let template = each["template"].string else { continue }
      let inner = template.drop { $0 == "%" || $0 == "(" }.prefix { $0 != ")" }
      templates[name] = inner.split { $0 == " " || $0 == "," }.map(String.init)
    }
    return templates
  }

  private static func facetFields(_ value: JSONValue) throws(AlfrescoFault) -> [FacetField] {
    var facets: [FacetField] = []
    for each in value.elements {
      guard let field = each["field"].string else { throw .invalidArgument("facet field is mandatory") }
      facets.append(
        FacetField(
          field: field, label: each["label"].string ?? field, prefix: each["prefix"].string ?? "",
          limit: each["limit"].int ?? 100, minimum: each["mincount"].int ?? 1,
          isByIndex: each["sort"].string == "INDEX"))
    }
    return facets
  }

  private static func facetQueries(_ value: JSONValue) throws(AlfrescoFault) -> [FacetQuery] {
    var facets: [FacetQuery] = []
    for each in value.elements {
      guard let query = each["query"].string, !query.hasPrefix("{!afts") else {
        throw .invalidArgument("Facet queries must not start with {!afts")
      }
      facets.append(FacetQuery(query: query, label: each["label"].string ?? query, group: each["group"].string))
    }
    return facets
  }

  private static func checkRest(_ body: JSONValue) throws(AlfrescoFault) {
    let scope = body["scope"]["locations"].elements.compactMap(\.string)
    guard scope.allSatisfy({ $0 == "nodes" }) else { throw .unavailable("Only the location nodes can be searched") }
    if let zone = body["localization"]["timezone"].string, !zone.contains("/"), zone != "UTC", zone != "GMT" {
      throw .invalidArgument("Invalid timezone \(zone)")
    }
  }
}

/// How hits are shown with the found words marked.
struct SearchHighlight: Sendable {
  struct Field: Sendable {
    let name: String
    let prefix: String
    let postfix: String
    let fragmentSize: Int
    let snippetCount: Int
  }
  let fields: [Field]

  init(_ value: JSONValue) throws(AlfrescoFault) {
    let prefix = value["prefix"].string ?? "<em>"
    let postfix = value["postfix"].string ?? "</em>"
    var fields: [Field] = []
    for each in value["fields"].elements {
      guard let name = each["field"].string else { throw .invalidArgument("highlight field is mandatory") }
      fields.append(
        Field(
          name: name, prefix: each["prefix"].string ?? prefix, postfix: each["postfix"].string ?? postfix,
          fragmentSize: each["fragmentSize"].int ?? value["fragmentSize"].int ?? 100,
          snippetCount: each["snippetCount"].int ?? value["snippetCount"].int ?? 1))
    }
    self.fields = fields
  }
}
