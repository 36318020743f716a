import JSON

/// Ranges, pivots and stats of a search (reference 2.1.1): the richer counts that one of the two engines knows.
struct SearchStatistics {
  let run: SearchRun
  let hits: [RepoNode]

  func facets() throws(AlfrescoFault) -> [JSONNode] {
    try ranges() + pivots() + stats()
  }

  // MARK: Ranges

  private func ranges() throws(AlfrescoFault) -> [JSONNode] {
    var facets: [JSONNode] = []
    for range in run.request.body["ranges"].elements {
      guard let field = range["field"].string, let start = range["start"].text, let end = range["end"].text,
        let gap = range["gap"].text, !gap.isEmpty
      else { throw .invalidArgument("ranges need field, start, end and gap") }
      let steps = try steps(from: start, to: end, by: gap, isHardEnd: range["hardend"].bool ?? false)
      var buckets: [JSONNode] = []
      for (lower, upper) in steps {
        let filter = "\(field):[\"\(lower)\" TO \"\(upper)\">"
        let count = try count(filter)
        buckets.append([
          "label": .string("[\(lower) - \(upper)>"), "filterQuery": .string(filter),
          "bucketInfo": [
            "start": .string(lower), "startInclusive": true, "end": .string(upper), "endInclusive": false,
          ],
          "metrics": [["type": "count", "value": ["count": .string(String(count))]]],
        ])
      }
      facets.append([
        "type": "range", "label": .string(range["label"].string ?? field), "buckets": .array(buckets),
      ])
    }
    return facets
  }

  /// Neighbouring bounds: numbers by a number, moments by something like `+1MONTH`.
  private func steps(
    from start: String, to end: String, by gap: String, isHardEnd: Bool
  ) throws(AlfrescoFault) -> [(String, String)] {
    var steps: [(String, String)] = []
    if let lower = Int64(start), let upper = Int64(end), let width = Int64(gap) {
      guard width > 0, lower < upper else { throw .invalidArgument("ranges gap") }
      var at = lower
      while at < upper, steps.count < Self.mostBuckets {
        let next = isHardEnd ? min(at + width, upper) : at + width
        steps.append((String(at), String(next)))
        at = next
      }
      return steps
    }
    guard let lower = SearchDates.moment(start, now: run.now)?.start,
      let upper = SearchDates.moment(end, now: run.now)?.start, lower < upper
    else { throw .invalidArgument("ranges start and end") }
    var at = lower
    while at < upper, steps.count < Self.mostBuckets {
      guard var next = SearchDates.moment(at.isoMilliseconds + gap, now: run.now)?.start, at < next else {
        throw .invalidArgument("ranges gap \(gap)")
      }
      if isHardEnd { next = min(next, upper) }
      steps.append((at.isoMilliseconds, next.isoMilliseconds))
      at = next
    }
    return steps
  }

  private static let mostBuckets = 1000

  // MARK: Pivots

  /// Field facets within field facets, named by the labels of the field facets of the same request.
  private func pivots() throws(AlfrescoFault) -> [JSONNode] {
    var facets: [JSONNode] = []
    for pivot in run.request.body["pivots"].elements {
      let keys = try keys(of: pivot)
      facets.append([
        "type": "pivot", "label": .string(keys.map(\.label).joined(separator: ",")),
        "buckets": .array(buckets(hits, keys[...])),
      ])
    }
    return facets
  }

  private func keys(of pivot: JSONValue) throws(AlfrescoFault) -> [SearchRequest.FacetField] {
    guard let key = pivot["key"].string, let field = run.request.facetFields.first(where: { $0.label == key }) else {
      throw .invalidArgument("pivot key \(pivot["key"].text ?? "") does not reference a facet field")
    }
    guard let inner = pivot["pivots"].elements.first(where: { _ in true }) else { return [field] }
    return [field] + (try keys(of: inner))
  }

  private func buckets(_ nodes: [RepoNode], _ keys: ArraySlice<SearchRequest.FacetField>) -> [JSONNode] {
    guard let key = keys.first else { return [] }
    let facets = SearchFacets(run: run, hits: nodes)
    return facets.values(of: key).map { bucket in
      var node: JSONNode = [
        "label": .string(bucket.value), "filterQuery": .string("\(key.field):\"\(bucket.value)\""),
        "metrics": [["type": "count", "value": ["count": .string(String(bucket.nodes.count))]]],
      ]
      if keys.count > 1 {
        node["facets"] = [
          [
            "type": "pivot", "label": .string(keys[keys.startIndex + 1].label),
            "buckets": .array(buckets(bucket.nodes, keys.dropFirst())),
          ]
        ]
      }
      return node
    }
  }

  // MARK: Stats

  private func stats() throws(AlfrescoFault) -> [JSONNode] {
    var facets: [JSONNode] = []
    for stat in run.request.body["stats"].elements {
      guard let field = stat["field"].string else { throw .invalidArgument("stats field is mandatory") }
      let values = hits.compactMap { number($0, AFTSFields.qualified(field, namespace: run.request.namespace)) }
      facets.append([
        "type": "stats", "label": .string(stat["label"].string ?? field),
        "buckets": [["metrics": .array(metrics(values, stat))]],
      ])
    }
    return facets
  }

  private func number(_ node: RepoNode, _ field: String) -> Double? {
    switch field {
    case "content.size", "cm:content.size": node.content.map { Double($0.length(run.repository.corpus)) }
    case "cm:created": Double(node.created.milliseconds)
    case "cm:modified": Double(node.modified.milliseconds)
    default: SearchCompiler.values(node, field).first.flatMap { Double($0) }
    }
  }

  private func metrics(_ values: [Double], _ stat: JSONValue) -> [JSONNode] {
    let sum = values.reduce(0, +)
    let squares = values.reduce(0) { $0 + $1 * $1 }
    let count = Double(values.count)
    let mean = count > 0 ? sum / count : 0
    let spread = count > 1 ? ((squares - count * mean * mean) / (count - 1)).squareRoot() : 0
    let all: [(String, Double?, Bool)] = [
      ("min", values.min(), true), ("max", values.max(), true), ("sum", sum, true), ("countValues", count, true),
      ("missing", Double(hits.count) - count, true), ("mean", mean, true), ("stddev", spread, true),
      ("sumOfSquares", squares, true), ("countDistinct", Double(Set(values).count), false),
    ]
    return all.compactMap { name, value, isUsual in
      guard let value, stat[name].bool ?? isUsual else { return nil }
      return ["type": .string(name), "value": .object([.init(key: name, value: .number(Self.decimal(value)))])]
    }
  }

  /// Whole numbers without a fraction, which JSON writes as such.
  private static func decimal(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
  }

  private func count(_ query: String) throws(AlfrescoFault) -> Int {
    guard let compiled = try run.compiler.compile(run.parse(query)) else { return 0 }
    return hits.count { node in
      run.index.documents[node.id].map { compiled.score(SearchCandidate(node: node, document: $0)) > 0 } ?? false
    }
  }
}
