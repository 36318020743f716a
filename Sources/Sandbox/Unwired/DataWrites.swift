import HTTPServer
import JSON

/// Creating, changing and deleting rows, with the checks of a back end of that kind.
struct DataWrites: Sendable {
  static let sessionCookie = "SAP_SESSIONID_SBX_100"

  let server: UnwiredServer

  /// Answers a write; one that was answered before under the same request id is answered the same and not done again.
  func answer(_ call: DataRoutes.Call) throws(ODataFault) -> ServerResponse {
    let token = call.request.header("X-CSRF-Token")
    let session = call.request.cookie(Self.sessionCookie)
    let expected = session.flatMap { id in server.withState { $0.forgeryTokens[id] } }
    guard let token, token == expected else {
      return ServerResponse.text("CSRF token validation failed", status: 403).adding("X-CSRF-Token", "Required")
    }
    let id = call.request.header("RequestID") ?? call.request.header("Repeatability-Request-ID")
    let key = id.map { "\(call.user)/\($0)" }
    if let key, let known = server.withState({ $0.answered[key] }) { return known }
    if let status = orderedFailure() { throw ODataFault(status, "SY/\(status)", "The operation failed as ordered") }
    let response = try perform(call)
    if let key {
      server.withState { state in
        if state.answered.count > 10_000 { state.answered = [:] }
        state.answered[key] = response
      }
    }
    return response
  }

  private func orderedFailure() -> Int? { server.withState { $0.switches.replay.take() } }

  private func perform(_ call: DataRoutes.Call) throws(ODataFault) -> ServerResponse {
    guard let first = call.path.first else { throw ODataFault(405, "SY/405", "Method not allowed") }
    let (set, key) = try DataRoutes.address(first)
    switch (call.request.meantMethod, key) {
    case ("POST", nil):
      guard call.path.count == 1 else { throw ODataFault(405, "SY/405", "Method not allowed") }
      return try create(set, parent: nil, call)
    case ("POST", let key?):
      guard call.path.count == 2, let navigation = set.navigation(call.path[1]), navigation.isCollection,
        let target = SUP101Model.set(navigation.target)
      else { throw ODataFault(405, "SY/405", "Method not allowed") }
      guard call.writer.data.row(set, key) != nil else { throw .notFound(first) }
      return try create(target, parent: (navigation.foreign, key.parts[0]), call)
    case ("PUT", let key?): return try change(set, key, resetsOthers: true, call)
    case ("MERGE", let key?), ("PATCH", let key?): return try change(set, key, resetsOthers: false, call)
    case ("DELETE", let key?): return try delete(set, key, call)
    default: throw ODataFault(405, "SY/405", "Method not allowed")
    }
  }

  private func create(
    _ set: ODataSet, parent: (property: String, value: Int)?, _ call: DataRoutes.Call
  ) throws(ODataFault) -> ServerResponse {
    var sent = try RowBody(call, set).values
    if let parent, let index = set.index(of: parent.property) { sent[index] = .int(parent.value) }
    let made = sent
    let now = call.now
    let result = server.withState { state -> Result<ODataRow, ODataFault> in
      var values = set.properties.indices.map { made[$0] ?? .null }
      let keys = set.keyIndexes
      let given = keys.compactMap { if case .int(let number) = values[$0] { number } else { nil } }
      let key = given.count == keys.count ? RowKey(given) : state.data.freeKey(set, parent: given.first)
      guard key.parts.count == keys.count else { return .failure(.badRequest("The key is incomplete")) }
      guard state.data.row(set, key) == nil else {
        return .failure(.badRequest("\(set.type) with key \(key.text(set)) exists already"))
      }
      for (index, part) in zip(keys, key.parts) { values[index] = .int(part) }
      for (property, value) in zip(set.properties, values) where value == .null && !property.isNullable {
        return .failure(.badRequest("Property \(property.name) must not be null"))
      }
      let row = ODataRow(key: key, values: values)
      state.data.put(row, in: set, at: now)
      return .success(row)
    }
    let row = try result.get()
    return call.entity(row, set, nil, status: 201).adding("Location", call.writer.uri(row, set))
  }

  private func change(
    _ set: ODataSet, _ key: RowKey, resetsOthers: Bool, _ call: DataRoutes.Call
  ) throws(ODataFault) -> ServerResponse {
    let sent = try RowBody(call, set).values
    let (match, now) = (call.request.header("If-Match"), call.now)
    let result = server.withState { state -> Result<ODataRow, ODataFault> in
      switch Self.current(set, key, match, &state, now) {
      case .failure(let fault): return .failure(fault)
      case .success(var row):
        for (index, property) in set.properties.enumerated() where !set.keys.contains(property.name) {
          if let value = sent[index] { row.values[index] = value } else if resetsOthers { row.values[index] = .null }
          if row.values[index] == .null, !property.isNullable {
            return .failure(.badRequest("Property \(property.name) must not be null"))
          }
        }
        row.version += 1
        state.data.put(row, in: set, at: now)
        return .success(row)
      }
    }
    return ServerResponse.empty(204).adding("ETag", try result.get().etag)
  }

  private func delete(_ set: ODataSet, _ key: RowKey, _ call: DataRoutes.Call) throws(ODataFault) -> ServerResponse {
    let (match, now) = (call.request.header("If-Match"), call.now)
    let result = server.withState { state -> Result<ODataRow, ODataFault> in
      let found = Self.current(set, key, match, &state, now)
      if case .success = found { state.data.delete(key, from: set, at: now) }
      return found
    }
    _ = try result.get()
    return .empty(204)
  }

  /// The row as it is now, if the caller knows its version; an ordered conflict changes it just before.
  private static func current(
    _ set: ODataSet, _ key: RowKey, _ match: String?, _ state: inout UnwiredServer.State, _ now: SandboxTime
  ) -> Result<ODataRow, ODataFault> {
    guard var row = state.data.row(set, key) else { return .failure(.notFound("\(set.name)(\(key.text(set)))")) }
    if state.conflicts > 0 {
      state.conflicts -= 1
      row.version += 1
      state.data.put(row, in: set, at: now)
      guard match != nil else {
        return .failure(ODataFault(409, "SY/409", "The row is being changed by somebody else"))
      }
    }
    guard match == nil || match == "*" || match == row.etag else {
      return .failure(ODataFault(412, "SY/412", "Precondition failed: the row was changed on the server"))
    }
    return .success(row)
  }
}

/// The values that a body sets, by the place of their property.
struct RowBody {
  private(set) var values: [Int: ODataValue] = [:]

  init(_ call: DataRoutes.Call, _ set: ODataSet) throws(ODataFault) {
    let bytes = call.request.body()
    let type = call.request.header("Content-Type") ?? ""
    if type.contains("json") || call.version == .v4 {
      guard let root = try? JSONDocument(bytes).root, root.kind == .object else { throw .badRequest("Malformed JSON") }
      let inner = root["d"].kind == .object ? root["d"] : root
      for (name, value) in inner.members where !name.hasPrefix("__") && !name.contains("@") {
        if set.navigation(name) != nil, value["__deferred"].exists { continue }
        guard let index = set.index(of: name) else { throw .badRequest("Invalid property \(name)") }
        values[index] = try Self.converted(value, set.properties[index])
      }
      return
    }
    guard let properties = AtomReader.properties(bytes) else { throw .badRequest("Malformed Atom entry") }
    for (name, text) in properties {
      guard let index = set.index(of: name) else { throw .badRequest("Invalid property \(name)") }
      values[index] =
        try text.map { text throws(ODataFault) in try Self.converted(text, set.properties[index]) } ?? .null
    }
  }

  private static func converted(_ value: JSONValue, _ property: ODataProperty) throws(ODataFault) -> ODataValue {
    if value.isNull { return .null }
    switch property.kind {
    case .int:
      guard let number = value.int ?? value.numberText.flatMap({ Int($0) }), Int32(exactly: number) != nil else {
        throw .badRequest("Invalid value for property \(property.name)")
      }
      return .int(number)
    case .string, .date:
      guard let text = value.string else { throw .badRequest("Invalid value for property \(property.name)") }
      return try converted(text, property)
    }
  }

  private static func converted(_ text: String, _ property: ODataProperty) throws(ODataFault) -> ODataValue {
    switch property.kind {
    case .int:
      guard let number = Int32(text) else { throw .badRequest("Invalid value for property \(property.name)") }
      return .int(Int(number))
    case .string:
      guard text.count <= property.maxLength else {
        throw .badRequest("Property \(property.name) is longer than \(property.maxLength) characters")
      }
      return .string(text)
    case .date:
      if text.hasPrefix("/Date("), let digits = Int64(text.dropFirst(6).prefix { $0.isNumber || $0 == "-" }) {
        return .date(SandboxTime(milliseconds: digits))
      }
      guard let time = SandboxTime(iso: text) else { throw .badRequest("Invalid value for property \(property.name)") }
      return .date(time)
    }
  }
}
