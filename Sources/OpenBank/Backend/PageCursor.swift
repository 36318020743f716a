import JSON
import Model
import Wire

/// Where the next page begins, and the first and last row of the page before it: `50:ID:ID`.
///
/// Offsets of transactions count from the newest one, so whatever is booked between two pages moves the rows; the two
/// ids show by how much, and whether the server pages at all.
struct PageCursor: Sendable {
  private let first: String?
  private let last: String?

  init(_ query: ListQuery) {
    let parts = query.cursor?.split(separator: ":").map { URLForm.unescape($0) } ?? []
    first = parts.count == 3 ? parts[1] : nil
    last = parts.count == 3 ? parts[2] : nil
  }

  /// Drops what the page before showed already, and sets the cursor of the page that begins at this offset.
  ///
  /// - Returns: How many rows were dropped.
  @discardableResult
  func join(_ listing: inout Listing, to next: Int?) -> Int {
    let ids = listing.rows.map { $0.values[0].exactText }
    if let first, ids.first == first {
      listing.rows = []
      listing.notices.append("This server, or a proxy before it, ignores paging: only the first page can be reached.")
      return ids.count
    }
    let dropped = last.flatMap { ids.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
    listing.rows.removeFirst(dropped)
    guard let next, let begin = ids.first, let end = ids.last else { return dropped }
    listing.next = "\(next):\(URLForm.escape(begin)):\(URLForm.escape(end))"
    return dropped
  }

  /// A cursor between two rows of a page.
  static func text(next: Int, first: Value, last: Value) -> String {
    "\(next):\(URLForm.escape(first.exactText)):\(URLForm.escape(last.exactText))"
  }
}

/// A page of a list that the server cuts by `limit` and `offset` in the address: users, customers, places.
struct ServerPage {
  let offset: Int
  let limit: Int
  private let cursor: PageCursor

  /// - Parameter most: What the server gives at most in one answer.
  init(_ query: ListQuery, usual: Int, most: Int = .max) throws(ServiceError) {
    offset = try LocalPages.offset(of: query)
    limit = min(max(query.limit ?? usual, 1), most - 1)
    cursor = PageCursor(query)
  }

  /// One more than is shown tells whether there is another page.
  var parameters: [(name: String, value: String)] {
    [(name: "limit", value: String(limit + 1)), (name: "offset", value: String(offset))]
  }

  /// What of an answer belongs to this page: all of it where the server ignored the limit.
  func shown(_ elements: [JSONValue]) -> ArraySlice<JSONValue> {
    elements.prefix(elements.count == limit + 1 ? limit : elements.count)
  }

  /// Sets the cursor of the next page, where the answer held more than this one.
  func finish(_ listing: inout Listing, _ elements: [JSONValue]) {
    cursor.join(&listing, to: elements.count > limit ? offset + shown(elements).count : nil)
  }
}
