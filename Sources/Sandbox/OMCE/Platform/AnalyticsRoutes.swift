import HTTPServer
import JSON

/// The analytics collector: a batch is taken as a whole or not at all; reference omce.md, section 5.4.
extension OMCRoutes {
  mutating func addAnalytics() {
    on("POST", "/mobile/platform/analytics/events") { call throws(OMCError) in
      let body = try call.json()
      guard body.kind == .array else { throw .badRequest("The body must be an array of events.") }
      let problems = body.elements.enumerated().flatMap { index, event in
        AnalyticsEvent.problems(event).map { "Event \(index): \($0)" }
      }
      guard problems.isEmpty else {
        throw OMCError(400, "Bad Request", "No event of the batch was accepted.", details: problems)
      }
      call.server.collect(body.elements.map { $0.node() })
      return .json(["message": .string("\(body.count) events accepted for processing.")], status: 202)
    }
  }
}

/// The rules that an event must keep.
private enum AnalyticsEvent {
  private static let systemNames = ["context", "sessionStart", "sessionEnd"]

  static func problems(_ event: JSONValue) -> [String] {
    var problems: [String] = []
    let name = event["name"].string ?? ""
    if name.isEmpty { problems.append("name is required") }
    if name.count > 100 { problems.append("name is longer than 100 characters") }
    let type = event["type"].string ?? "custom"
    if type == "system" {
      if !systemNames.contains(name) { problems.append("\(name) is no system event") }
    } else if type != "custom" {
      problems.append("type must be custom or system")
    }
    if event["timestamp"].string.flatMap({ SandboxTime(iso: $0) }) == nil {
      problems.append("timestamp is not RFC 3339")
    }
    return problems + properties(event["properties"], isContext: name == "context")
  }

  private static func properties(_ properties: JSONValue, isContext: Bool) -> [String] {
    var problems: [String] = []
    for (key, value) in properties.members {
      if key.count > 500 { problems.append("a property's name is longer than 500 characters") }
      guard let text = value.string else {
        problems.append("the property \(key.prefix(40)) is not a string")
        continue
      }
      if text.count > 1_000 { problems.append("the property \(key.prefix(40)) is longer than 1000 characters") }
    }
    let hasPosition = properties["latitude"].exists || properties["longitude"].exists
    let hasPlace = ["locality", "region", "postalCode", "country"].contains { properties[$0].exists }
    if isContext && hasPosition && hasPlace { problems.append("a context has a position or a place, not both") }
    return problems
  }
}
