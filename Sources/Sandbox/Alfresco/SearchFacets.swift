import JSON

/// Counts of the hits by field, query and interval, in both forms in which the server sends them.
struct SearchFacets {
  let run: SearchRun
  let hits: [RepoNode]

  private struct Bucket {
    let value: String
    let filter: String
    let count: Int
    let display: String?
  }

  func add(to context: inout JSONNode) throws(AlfrescoFault) {
    var facets: [JSONNode] = []
    try addQueries(&context, &facets)
    let fields = run.request.facetFields.map { ($0, buckets($0)) }
    if run.request.isVersion2 {
      facets += fields.map { Self.facet("field", $0.label, $1.map { Self.written($0, isText: true) }) }
    } else if !fields.isEmpty {
      context["facetsFields"] = .array(
        fields.map { field, buckets in
          [
            "label": .string(field.label),
            "buckets": .array(
              buckets.map { bucket in
                var node: JSONNode = [
                  "label": .string(bucket.value), "filterQuery": .string(bucket.filter), "count": .int(bucket.count),
                ]
                if let display = bucket.display { node["display"] = .string(display) }
                return node
              }),
          ]
        })
    }
    try addIntervals(&facets)
    facets += try SearchStatistics(run: run, hits: hits).facets()
    if !facets.isEmpty { context["facets"] = .array(facets) }
  }

  // MARK: Fields

  private func buckets(_ facet: SearchRequest.FacetField) -> [Bucket] {
    let field = AFTSFields.qualified(facet.field, namespace: "cm")
    var counts: [String: Int] = [:]
    for node in hits { for value in Set(values(node, field)) { counts[value, default: 0] += 1 } }
    let kept = counts.filter { $0.value >= facet.minimum && $0.key.hasPrefix(facet.prefix) }
    let sorted = kept.sorted { left, right in
      !facet.isByIndex && left.value != right.value ? left.value > right.value : left.key < right.key
    }
    return sorted.prefix(max(0, facet.limit)).map { value, count in
      Bucket(
        value: value, filter: "\(facet.field):\"\(value)\"", count: count, display: display(value, field))
    }
  }

  /// Values of a field with the nodes that have each, in the order and within the bounds of the request.
  func values(of facet: SearchRequest.FacetField) -> [(value: String, nodes: [RepoNode])] {
    let field = AFTSFields.qualified(facet.field, namespace: "cm")
    var groups: [String: [RepoNode]] = [:]
    for node in hits { for value in Set(values(node, field)) { groups[value, default: []].append(node) } }
    let sorted = groups.sorted { left, right in
      !facet.isByIndex && left.value.count != right.value.count
        ? left.value.count > right.value.count : left.key < right.key
    }
    return sorted.prefix(max(0, facet.limit)).map { ($0.key, $0.value) }
  }

  private func values(_ node: RepoNode, _ field: String) -> [String] {
    switch field {
    case "SITE": [run.repository.site(of: node)?.id].compactMap(\.self)
    case "TAG": (run.repository.extras.tags[node.id] ?? []).compactMap { run.repository.extras.tagNames[$0] }
    case "TYPE", "EXACTTYPE": [node.type]
    case "ASPECT", "EXACTASPECT": node.aspects
    case "OWNER": [node.owner]
    case "content.size": node.content.map { [String($0.length(run.repository.corpus))] } ?? []
    default: SearchCompiler.values(node, field)
    }
  }

  private func display(_ value: String, _ field: String) -> String? {
    switch field {
    case "cm:creator", "cm:modifier", "OWNER": run.repository.person(value)?.displayName ?? value
    case "content.mimetype", "cm:content.mimetype": MimeTypes.title(value)
    case "SITE": run.repository.site(value)?.title ?? value
    default: value
    }
  }

  // MARK: Queries and intervals

  private func addQueries(_ context: inout JSONNode, _ facets: inout [JSONNode]) throws(AlfrescoFault) {
    var plain: [JSONNode] = []
    var groups: [(name: String, buckets: [Bucket])] = []
    for facet in run.request.facetQueries {
      let count = try count(run.parse(facet.query))
      guard let group = facet.group else {
        plain.append(["label": .string(facet.label), "filterQuery": .string(facet.query), "count": .int(count)])
        continue
      }
      let bucket = Bucket(value: facet.label, filter: facet.query, count: count, display: nil)
      if let index = groups.firstIndex(where: { $0.name == group }) {
        groups[index].buckets.append(bucket)
      } else {
        groups.append((group, [bucket]))
      }
    }
    if !plain.isEmpty { context["facetQueries"] = .array(plain) }
    facets += groups.map { Self.facet("query", $0.name, $0.buckets.map { Self.written($0, isText: false) }) }
  }

  private func addIntervals(_ facets: inout [JSONNode]) throws(AlfrescoFault) {
    let shared = Array(run.request.body["facetIntervals"]["sets"].elements)
    var labels: Set<String> = []
    for interval in run.request.body["facetIntervals"]["intervals"].elements {
      guard let field = interval["field"].string else { throw .invalidArgument("facetIntervals intervals field") }
      let label = interval["label"].string ?? field
      guard labels.insert(label).inserted else { throw .invalidArgument("duplicate interval label \(label)") }
      let sets = shared + Array(interval["sets"].elements)
      guard !sets.isEmpty else { throw .invalidArgument("facetIntervals intervals sets") }
      var buckets: [JSONNode] = []
      for set in sets {
        guard let start = set["start"].text, let end = set["end"].text else {
          throw .invalidArgument("facetIntervals sets start and end")
        }
        let opening = set["startInclusive"].bool ?? true ? "[" : "<"
        let closing = set["endInclusive"].bool ?? true ? "]" : ">"
        let filter = "\(field):\(opening)\"\(start)\" TO \"\(end)\"\(closing)"
        let count = try count(run.parse(filter))
        buckets.append(
          Self.written(
            Bucket(value: set["label"].string ?? "\(start) - \(end)", filter: filter, count: count, display: nil),
            isText: true))
      }
      facets.append(Self.facet("interval", label, buckets))
    }
  }

  private func count(_ query: AFTSQuery) throws(AlfrescoFault) -> Int {
    guard let compiled = try run.compiler.compile(query) else { return 0 }
    return hits.filter { node in
      run.index.documents[node.id].map { compiled.score(SearchCandidate(node: node, document: $0)) > 0 } ?? false
    }.count
  }

  private static func facet(_ type: String, _ label: String, _ buckets: [JSONNode]) -> JSONNode {
    ["type": .string(type), "label": .string(label), "buckets": .array(buckets)]
  }

  /// Counts of fields and intervals are text here, those of grouped queries numbers.
  private static func written(_ bucket: Bucket, isText: Bool) -> JSONNode {
    let count: JSONNode = isText ? .string(String(bucket.count)) : .int(bucket.count)
    var node: JSONNode = [
      "label": .string(bucket.value), "filterQuery": .string(bucket.filter),
      "metrics": [["type": "count", "value": ["count": count]]],
    ]
    if let display = bucket.display { node["display"] = .string(display) }
    return node
  }
}
