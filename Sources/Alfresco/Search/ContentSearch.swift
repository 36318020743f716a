import JSON
import Model

/// A search of the repository's content.
///
/// - SeeAlso: `POST /alfresco/api/-default-/public/search/versions/1/search`
public struct ContentSearch: Sendable, Hashable {
  public enum Language: String, Sendable, CaseIterable { case afts, cmis, lucene }

  public var query: String
  public var language: Language
  /// What the person typed, when `query` was made from it; used for spelling and highlighting.
  public var typed: String?
  public var page: PageRequest
  /// Further conditions, each a query; not with CMIS.
  public var filters: [String]
  public var order: [Order]
  /// Counts by type, person, site, time and size.
  public var wantsFacets: Bool
  /// IANA name; a “day” in a query is a day there.
  public var timeZone: String

  public struct Order: Sendable, Hashable {
    /// An orderable property, or nil for the score.
    public let field: String?
    public let isAscending: Bool
    public init(_ field: String?, isAscending: Bool) {
      self.field = field
      self.isAscending = isAscending
    }
  }

  public init(_ query: String, language: Language = .afts, page: PageRequest = PageRequest()) {
    self.query = query
    self.language = language
    self.page = page
    filters = []
    order = []
    wantsFacets = true
    timeZone = "UTC"
  }

  /// A safe search for words as they were typed.
  ///
  /// - Throws: `.usage` when there is no letter or digit to look for.
  public init(typed: String, page: PageRequest = PageRequest()) throws(ServiceError) {
    let words = TypedWords(typed)
    guard !words.isEmpty else {
      throw ServiceError(
        .usage, "search for “\(typed)”", detail: "there is no letter or digit in it", remedy: "Type letters or digits.")
    }
    self.init(words.afts(), page: page)
    self.typed = typed
    filters = Self.visibleOnly
  }

  /// Keeps what nobody looks for out of a search: thumbnails, ratings, sites themselves, forum posts.
  static let visibleOnly = [
    "TYPE:'cm:folder' OR TYPE:'cm:content'",
    "-TYPE:'cm:thumbnail' AND -TYPE:'cm:failedThumbnail' AND -TYPE:'cm:rating'",
    "-TYPE:'st:site' AND -ASPECT:'st:siteContainer' AND -ASPECT:'sys:hidden'",
    "-TYPE:'fm:topic' AND -TYPE:'fm:post'",
  ]

  /// Stand around found words; no text holds these characters.
  static let marks = (start: "\u{2}", end: "\u{3}")

  /// The body of the request.
  func body() -> JSONNode {
    var query: JSONNode = ["language": .string(language.rawValue), "query": .string(self.query)]
    if let typed { query["userQuery"] = .string(typed) }
    var body: JSONNode = [
      "query": query,
      "paging": ["maxItems": .integer(Int64(page.limit)), "skipCount": .integer(Int64(page.skip))],
      "include": ["path"],
      "highlight": highlight,
      "localization": ["timezone": .string(timeZone)],
    ]
    if let typed { body["spellcheck"] = ["query": .string(typed)] }
    // With CMIS the server refuses filters and sorting outside the query.
    guard language != .cmis else { return body }
    body["templates"] = [
      ["name": "keywords", "template": "%(cm:name cm:title cm:description TEXT TAG)"]
    ]
    body["defaults"] = ["defaultFTSOperator": "AND", "defaultFieldName": "keywords", "namespace": "cm"]
    if !filters.isEmpty { body["filterQueries"] = .array(filters.map { ["query": .string($0)] }) }
    if !order.isEmpty { body["sort"] = .array(order.map(Self.sort)) }
    if wantsFacets { addFacets(to: &body) }
    return body
  }

  private var highlight: JSONNode {
    [
      "prefix": .string(Self.marks.start), "postfix": .string(Self.marks.end),
      "fields": [
        ["field": "cm:name"], ["field": "cm:title"], ["field": "cm:description"],
        ["field": "cm:content", "snippetCount": 1, "fragmentSize": 150],
      ],
    ]
  }

  private static func sort(_ order: Order) -> JSONNode {
    [
      "type": order.field == nil ? "SCORE" : "FIELD", "field": .string(order.field ?? "score"),
      "ascending": .bool(order.isAscending),
    ]
  }

  private func addFacets(to body: inout JSONNode) {
    let fields = SearchFacet.allCases.compactMap { facet in
      facet.field.map { (field: String) -> JSONNode in
        ["field": .string(field), "label": .string(facet.rawValue), "mincount": 1, "limit": 50]
      }
    }
    let queries = SearchFacet.allCases.flatMap { facet in
      facet.buckets.map { (bucket: SearchFacet.Bucket) -> JSONNode in
        ["query": .string(bucket.query), "label": .string(facet.label(bucket))]
      }
    }
    body["facetFields"] = ["facets": .array(fields)]
    body["facetQueries"] = .array(queries)
    body["facetFormat"] = "V2"
  }
}
