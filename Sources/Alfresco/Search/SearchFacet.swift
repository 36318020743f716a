/// The ways a search can be narrowed, each with the query that does it.
///
/// The queries are made from this table and an escaped value, never from what an answer says.
enum SearchFacet: String, CaseIterable, Sendable {
  case type, creator, modifier, site, modified, size

  var title: String {
    switch self {
    case .type: "Type"
    case .creator: "Created by"
    case .modifier: "Modified by"
    case .site: "Site"
    case .modified: "Modified"
    case .size: "Size"
    }
  }

  /// The index field whose values are the buckets; nil for those with buckets of our own.
  var field: String? {
    switch self {
    case .type: "content.mimetype"
    case .creator: "creator"
    case .modifier: "modifier"
    case .site: "SITE"
    case .modified, .size: nil
    }
  }

  struct Bucket: Sendable {
    let value: String
    let title: String
    let query: String
  }

  /// Buckets of our own, counted by facet queries.
  var buckets: [Bucket] {
    switch self {
    case .modified:
      [
        Bucket(value: "day", title: "Today", query: "cm:modified:[NOW/DAY TO NOW/DAY+1DAY]"),
        Bucket(value: "week", title: "Last 7 days", query: "cm:modified:[NOW/DAY-7DAYS TO NOW/DAY+1DAY]"),
        Bucket(value: "month", title: "Last 30 days", query: "cm:modified:[NOW/DAY-30DAYS TO NOW/DAY+1DAY]"),
        Bucket(value: "year", title: "Last 365 days", query: "cm:modified:[NOW/DAY-365DAYS TO NOW/DAY+1DAY]"),
      ]
    case .size:
      [
        Bucket(value: "small", title: "Up to 100 KB", query: "content.size:[0 TO 102400]"),
        Bucket(value: "medium", title: "100 KB to 10 MB", query: "content.size:[102401 TO 10485760]"),
        Bucket(value: "large", title: "Over 10 MB", query: "content.size:[10485761 TO MAX]"),
      ]
    case .type, .creator, .modifier, .site: []
    }
  }

  /// The filter for one value; nil for a value that this facet does not have.
  func filter(_ value: String) -> String? {
    if let field { return "\(field):\"\(TypedWords.escaped(value))\"" }
    return buckets.first { $0.value == value }?.query
  }

  /// Names a facet query in request and answer: `modified/week`.
  func label(_ bucket: Bucket) -> String { "\(rawValue)/\(bucket.value)" }
}
