/// One row: where it leads and a value for each column, in the columns' order.
public struct Row: Sendable, Hashable {
  /// What opening the row shows.
  public enum Opening: Sendable, Hashable { case listing, item, nothing }

  public let location: Location
  public let values: [Value]
  public let opening: Opening
  /// Whether there are bytes behind it that `get` fetches.
  public let hasContent: Bool

  public init(_ location: Location, _ values: [Value], opening: Opening = .item, hasContent: Bool = false) {
    self.location = location
    self.values = values
    self.opening = opening
    self.hasContent = hasContent
  }
}

/// Where the rows come from and how old they are.
public enum Freshness: Sendable, Hashable {
  case live
  /// Kept from an earlier answer, received at this moment.
  case cached(Timestamp)
  /// From the offline store, synchronised at this moment.
  case offline(Timestamp?)
}

/// How many rows there are behind all pages.
public enum Total: Sendable, Hashable {
  case exact(Int)
  case atLeast(Int)
  case unknown
}

/// A page of a container: typed columns, rows, and the way to the next page.
public struct Listing: Sendable {
  public var location: Location
  public var title: String
  public var columns: [Column]
  public var rows: [Row]
  /// Opaque to all but the back end; nil when this is the last page.
  public var next: String?
  public var total: Total
  public var freshness: Freshness
  /// Column the server sorted by, as asked; nil when rows come in the server's own order.
  public var sortedBy: Sort?
  /// Column ids whose `where` the server applied itself.
  public var filteredBy: Set<String>
  /// What a person should know: "the index is catching up", "this server is too old for …".
  public var notices: [String]
  public var facets: [Facet]
  public var suggestions: [String]
  /// Where the server found what was looked for: in characters of a row's `snippet`, by the row's location.
  public var matches: [Location: [Range<Int>]] = [:]
  public var actions: [Action]
  public var raw: RawAnswer?

  public init(
    _ location: Location, title: String, columns: [Column], rows: [Row], next: String? = nil, total: Total = .unknown,
    sortedBy: Sort? = nil, filteredBy: Set<String> = [], notices: [String] = [], facets: [Facet] = [],
    suggestions: [String] = [], actions: [Action] = [], raw: RawAnswer? = nil, freshness: Freshness = .live
  ) {
    self.location = location
    self.title = title
    self.columns = columns
    self.rows = rows
    self.next = next
    self.total = total
    self.freshness = freshness
    self.sortedBy = sortedBy
    self.filteredBy = filteredBy
    self.notices = notices
    self.facets = facets
    self.suggestions = suggestions
    self.actions = actions
    self.raw = raw
  }

  public func columnIndex(_ id: String) -> Int? { columns.firstIndex { $0.id == id } }

  public func value(_ id: String, in row: Row) -> Value {
    columnIndex(id).map { row.values[$0] } ?? .null
  }
}

public struct Sort: Sendable, Hashable {
  public let column: String
  public let isDescending: Bool
  public init(column: String, isDescending: Bool = false) {
    self.column = column
    self.isDescending = isDescending
  }
}

/// A way to narrow a search, with how many results each choice has.
public struct Facet: Sendable, Hashable, Identifiable {
  public struct Bucket: Sendable, Hashable {
    public let value: String
    public let title: String
    public let count: Int
    public init(value: String, title: String, count: Int) {
      self.value = value
      self.title = title
      self.count = count
    }
  }
  public let id: String
  public let title: String
  public let buckets: [Bucket]
  public init(id: String, title: String, buckets: [Bucket]) {
    self.id = id
    self.title = title
    self.buckets = buckets
  }
}

/// What a listing is asked for. A back end does what its server can do and says so in the listing; the service layer
/// does the rest over loaded rows.
public struct ListQuery: Sendable, Hashable {
  /// Rows a page; nil for the back end's own choice.
  public var limit: Int?
  /// The `next` of an earlier page.
  public var cursor: String?
  public var sort: Sort?
  /// Column id and text it should contain, any case.
  public var filters: [Filter]

  public struct Filter: Sendable, Hashable {
    public let column: String
    public let text: String
    public init(column: String, text: String) {
      self.column = column
      self.text = text
    }
  }

  public init(limit: Int? = nil, cursor: String? = nil, sort: Sort? = nil, filters: [Filter] = []) {
    self.limit = limit
    self.cursor = cursor
    self.sort = sort
    self.filters = filters
  }
}

/// A content search over one connection.
public struct SearchRequest: Sendable, Hashable {
  public enum Language: String, Sendable, CaseIterable { case words, afts, cmis, lucene }

  public var text: String
  public var language: Language
  /// Facet id and value of each chosen bucket.
  public var narrowed: [Choice]
  public var query: ListQuery

  public struct Choice: Sendable, Hashable {
    public let facet: String
    public let value: String
    public init(facet: String, value: String) {
      self.facet = facet
      self.value = value
    }
  }

  public init(_ text: String, language: Language = .words, narrowed: [Choice] = [], query: ListQuery = ListQuery()) {
    self.text = text
    self.language = language
    self.narrowed = narrowed
    self.query = query
  }
}
