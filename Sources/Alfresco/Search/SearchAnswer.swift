import JSON
import Model
import Wire

/// One result of a search.
public struct SearchHit: Sendable {
  public let node: Node
  /// Exact decimal text; nil when the server gives none.
  public let score: String?
  /// Where the words were found, as plain text on one line.
  public let snippet: String?
  /// The words themselves: characters of `snippet`.
  public let matches: [Range<Int>]

  init(_ entry: JSONValue) {
    node = Node(entry)
    score = entry["search"]["score"].numberText
    let marked = SearchHit.bestPlace(entry["search"]["highlight"]).map { MarkedSnippet($0) }
    snippet = marked?.text
    matches = marked?.matches ?? []
  }

  /// The content, then description, title, name; with the marks around each word.
  private static func bestPlace(_ highlight: JSONValue) -> String? {
    var byField: [String: String] = [:]
    for field in highlight.elements {
      guard let name = field["field"].string, let text = field["snippets"][0].string else { continue }
      byField[name] = text
    }
    let order = ["cm:content", "TEXT", "cm:description", "cm:title", "cm:name"]
    return order.lazy.compactMap { byField[$0] }.first ?? byField.min { $0.key < $1.key }?.value
  }
}

/// What came of a search.
public struct SearchAnswer: Sendable {
  public let page: Page<SearchHit>
  public let facets: [Facet]
  public let suggestions: [String]
  /// Set when nothing was found for the words typed and the results are those of the suggestion.
  public let searchedInstead: String?
  /// How far the index is: a change of a later transaction cannot be found yet.
  public let lastTransaction: Int?

  init(_ reply: JSONReply) throws(ServiceError) {
    page = try Page(reply, SearchHit.init)
    let context = reply.root["list"]["context"]
    // The definition says “spellcheck” with a list; servers send this.
    let spelling = context["spellCheck"]
    suggestions = spelling["suggestions"].elements.compactMap(\.string)
    searchedInstead = spelling["type"].string == "searchInsteadFor" ? suggestions.first : nil
    lastTransaction = context["consistency"]["lastTxId"].int
    facets = SearchAnswer.facets(context)
  }

  private static func facets(_ context: JSONValue) -> [Facet] {
    SearchFacet.allCases.compactMap { facet in
      let buckets = facet.field == nil ? ownBuckets(facet, context) : fieldBuckets(facet, context)
      return buckets.isEmpty ? nil : Facet(id: facet.rawValue, title: facet.title, buckets: buckets)
    }
  }

  private static func ownBuckets(_ facet: SearchFacet, _ context: JSONValue) -> [Facet.Bucket] {
    facet.buckets.compactMap { bucket in
      let found = context["facetQueries"].elements.first { $0["label"].string == facet.label(bucket) }
      guard let count = found?["count"].int, count > 0 else { return nil }
      return Facet.Bucket(value: bucket.value, title: bucket.title, count: count)
    }
  }

  /// Buckets of a field, from the newer list or the older one with its odd plural.
  private static func fieldBuckets(_ facet: SearchFacet, _ context: JSONValue) -> [Facet.Bucket] {
    for list in ["facets", "facetsFields"] {
      guard let found = context[list].elements.first(where: { $0["label"].string == facet.rawValue }) else { continue }
      return found["buckets"].elements.compactMap { bucket in
        guard let value = bucket["label"].text, let count = count(bucket), count > 0 else { return nil }
        return Facet.Bucket(value: value, title: bucket["display"].text ?? value, count: count)
      }
    }
    return []
  }

  /// A number in the older lists; in the newer ones a metric, whose value is often a string.
  private static func count(_ bucket: JSONValue) -> Int? {
    if let count = bucket["count"].int { return count }
    let metric = bucket["metrics"].elements.first { $0["type"].string == "count" }
    return metric?["value"]["count"].numberText.flatMap { Int($0) }
  }
}

extension AlfrescoClient {
  /// - Throws: `.failed` when the server cannot run the query: engines answer 400, 500 or 501 for that.
  public func search(_ search: ContentSearch) async throws(ServiceError) -> SearchAnswer {
    var call = Call("search", "POST", "search").carrying(search.body())
    call.api = .search
    do throws(ServiceError) {
      return try await SearchAnswer(reply(call))
    } catch {
      guard let status = error.status, [400, 500, 501].contains(status) else { throw error }
      throw ServiceError(
        .failed, call.operation, detail: "the server could not run this query: \(error.detail ?? "status \(status)")",
        remedy: "Change the words, or leave out quotes and wildcards.", status: status, serverCode: error.serverCode)
    }
  }

  /// A search for typed words; falls back to a simpler query where the engine fails on a reserved word.
  public func search(
    typed: String, _ page: PageRequest = PageRequest(), _ adjust: @Sendable (inout ContentSearch) -> Void = { _ in }
  ) async throws(ServiceError) -> SearchAnswer {
    var search = try ContentSearch(typed: typed, page: page)
    adjust(&search)
    do throws(ServiceError) {
      return try await self.search(search)
    } catch {
      let words = TypedWords(typed)
      guard error.status == 500, words.holdsReservedWord else { throw error }
      search.query = words.afts(plain: true)
      return try await self.search(search)
    }
  }
}
