import Crypto
import HTTPServer
import JSON

/// The data service behind the proxy (reference 3.6, 3.7).
struct DataRoutes: Sendable {
  let server: UnwiredServer

  /// What a request asks of the service, once the proxy has let it through.
  struct Call: Sendable {
    let request: SandboxRequest
    let user: String
    let application: String
    let version: ODataVersion
    let path: [String]
    let writer: ODataWriter

    var now: SandboxTime { request.now }
    var isJSON: Bool { version == .v4 || request.wantsJSON }

    func json(_ node: JSONNode, status: Int = 200) -> ServerResponse {
      switch version {
      case .v2: .unwired(node, status: status)
      case .v4:
        ServerResponse(
          status: status,
          headers: [("Content-Type", "application/json;odata.metadata=minimal"), ("OData-Version", "4.0")],
          body: .bytes(node.encoded()))
      }
    }

    func refusal(_ fault: ODataFault) -> ServerResponse {
      let message: JSONNode = version == .v2 ? ["lang": "en", "value": .string(fault.text)] : .string(fault.text)
      return json(["error": ["code": .string(fault.code), "message": message]], status: fault.status)
    }

    func entity(_ row: ODataRow, _ set: ODataSet, _ query: ODataQuery?, status: Int = 200) -> ServerResponse {
      let response =
        isJSON
        ? json(writer.single(row, set, query), status: status)
        : ServerResponse.text(
          "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
            + ODataXML.entry(row, set, writer, query, at: now, isOutermost: true),
          status: status, type: "application/atom+xml;type=entry; charset=utf-8")
      return response.adding("ETag", row.etag)
    }
  }

  /// Answers `APPID/…`; `root` is where the service's own links point.
  func handle(
    _ request: SandboxRequest, _ path: ArraySlice<String>, root: String, isPublic: Bool
  ) -> ServerResponse {
    let application = path.first ?? ""
    guard let version = UnwiredServer.applications[application] else { return .unwired(404, "Unknown application") }
    if request.connectionID != nil, let refusal = server.orderedRefusal() { return refusal }
    let isAnonymous = isPublic || server.withState { $0.switches.isAnonymous }
    guard let user = server.user(of: request) ?? (isAnonymous ? "anonymous" : nil) else { return .unwiredSignIn }
    if !isAnonymous || request.connectionID != nil {
      guard let id = request.connectionID, let connection = server.withState({ $0.connections[id] }),
        connection.application == application, connection.user == user, connection.isUsable(by: request)
      else { return .unwired(403, "No application connection: register and send X-SMP-APPCID") }
    }
    let data = server.withState { $0.data }
    let call = Call(
      request: request, user: user, application: application, version: version, path: Array(path.dropFirst()),
      writer: ODataWriter(version: version, root: root, namespace: "SUP101", data: data))
    var response: ServerResponse
    do {
      let isRead = ["GET", "HEAD"].contains(request.method)
      response = isRead ? try read(call) : try DataWrites(server: server).answer(call)
    } catch {
      response = call.refusal(error)
    }
    if request.cookie("X-SMP-SESSID") == nil, request.basicCredentials != nil {
      let session = server.openSession(user, at: request.now)
      response = response.adding("Set-Cookie", "X-SMP-SESSID=\(session); Path=/; HttpOnly")
    }
    return withForgeryToken(response, request)
  }

  /// The token that writes need, for whoever asks with `X-CSRF-Token: Fetch`.
  private func withForgeryToken(_ response: ServerResponse, _ request: SandboxRequest) -> ServerResponse {
    guard request.header("X-CSRF-Token")?.lowercased() == "fetch", request.method != "POST" else { return response }
    let known = request.cookie(DataWrites.sessionCookie).flatMap { id in
      server.withState { $0.forgeryTokens[id] }.map { (id, $0) }
    }
    let (session, token) = known ?? (Hex.encode(RandomBytes.make(16)), Base64URL.encode(RandomBytes.make(18)))
    server.withState { state in
      if state.forgeryTokens.count > 10_000 { state.forgeryTokens = [:] }
      state.forgeryTokens[session] = token
    }
    return response.adding("X-CSRF-Token", token)
      .adding("Set-Cookie", "\(DataWrites.sessionCookie)=\(session); Path=/; HttpOnly")
  }

  // MARK: Reading

  private func read(_ call: Call) throws(ODataFault) -> ServerResponse {
    guard let first = call.path.first else {
      return call.isJSON
        ? call.json(ODataSchema.document(call.version, call.writer.root))
        : .text(ODataSchema.atomDocument(call.writer.root), type: "application/atomsvc+xml; charset=utf-8")
    }
    if first == "$metadata" {
      return .text(ODataSchema.metadata(call.version, call.writer.namespace), type: "application/xml; charset=utf-8")
    }
    let (set, key) = try Self.address(first)
    let rest = Array(call.path.dropFirst())
    guard let key else {
      if rest == ["$count"] { return try count(set, call) }
      guard rest.isEmpty else { throw .notFound(rest[0]) }
      return try feed(set, call)
    }
    guard let row = call.writer.data.row(set, key) else { throw .notFound("\(set.name)(\(key.text(set)))") }
    guard let step = rest.first else {
      if call.request.header("If-None-Match") == row.etag { return .empty(304) }
      return call.entity(row, set, try ODataQuery(call.request, set, call.version))
    }
    return try follow(step, from: row, set, isRaw: rest.dropFirst().first == "$value", call)
  }

  /// `Customers` or `Customers(901)`.
  static func address(_ segment: String) throws(ODataFault) -> (set: ODataSet, key: RowKey?) {
    let name = segment.prefix { $0 != "(" }
    guard let set = SUP101Model.set(String(name)) else { throw .notFound("the segment '\(name)'") }
    guard segment.count > name.count else { return (set, nil) }
    guard segment.hasSuffix(")"), let key = RowKey(String(segment.dropFirst(name.count + 1).dropLast()), set) else {
      throw .badRequest("Invalid key predicate: \(segment)")
    }
    return (set, key)
  }

  private func count(_ set: ODataSet, _ call: Call) throws(ODataFault) -> ServerResponse {
    let query = try ODataQuery(call.request, set, call.version)
    let data = call.writer.data
    return .text(String(query.isNarrow ? data.rows(set).count { query.lets($0) } : data.count(set)))
  }

  private func feed(_ set: ODataSet, _ call: Call) throws(ODataFault) -> ServerResponse {
    let query = try ODataQuery(call.request, set, call.version)
    let switches = server.withState { $0.switches }
    if let token = query.deltaToken {
      let sequence = try server.sequence(of: token, at: call.now)
      let changes = query.personal(call.writer.data.changes(set, after: sequence), at: call.now)
      var page = ODataPage(rows: changes.rows, deleted: changes.deleted)
      page.deltaSequence = call.writer.data.sequence
      return answer(page, set, query, call, switches, isDelta: true)
    }
    return answer(ODataPage.read(query, set, call.writer.data), set, query, call, switches, isDelta: false)
  }

  private func answer(
    _ page: ODataPage, _ set: ODataSet, _ query: ODataQuery, _ call: Call, _ switches: UnwiredSwitches, isDelta: Bool
  ) -> ServerResponse {
    let next = page.next.map { link(set, call, ("$skiptoken", $0.text)) }
    let name = call.version == .v2 ? "!deltatoken" : "$deltatoken"
    let delta = page.deltaSequence.flatMap { sequence -> String? in
      guard switches.hasDelta else { return nil }
      let token = server.deltaToken(sequence, at: call.now)
      return link(set, call, (name, call.version == .v2 ? "'\(token)'" : token))
    }
    guard call.isJSON else {
      var page = page
      if !switches.hasTombstones { page.deleted = [] }
      let text = ODataXML.feed(page, set, call.writer, query, next: next, delta: delta, at: call.now)
      return .text(text, type: "application/atom+xml;type=feed; charset=utf-8")
    }
    let node = call.writer.feed(
      page, set, query, next: next, delta: delta, isDelta: isDelta, listsDeleted: switches.namesDeleted)
    let response = call.json(node)
    guard call.version == .v4, call.request.header("Prefer") != nil else { return response }
    return response.adding("Preference-Applied", call.request.header("Prefer") ?? "")
  }

  /// The same read with another beginning: what shapes rows is kept, what counts or cuts is in the token.
  private func link(_ set: ODataSet, _ call: Call, _ token: (name: String, value: String)) -> String {
    let kept = call.request.server.query.filter { field in
      ["$filter", "$orderby", "$select", "$expand", "$format"].contains(field.name) || set.index(of: field.name) != nil
    }
    let fields = kept.map { "\($0.name)=\(PercentCoding.encode($0.value))" }
    let last = "\(token.name)=\(PercentCoding.encode(token.value, keeping: "'"))"
    return "\(call.writer.root)\(set.name)?\((fields + [last]).joined(separator: "&"))"
  }

  /// A navigation or a property of one row.
  private func follow(
    _ step: String, from row: ODataRow, _ set: ODataSet, isRaw: Bool, _ call: Call
  ) throws(ODataFault) -> ServerResponse {
    if let index = set.index(of: step) {
      let value = call.writer.value(row.values[index])
      if isRaw {
        if case .string(let text) = value { return .text(text) }
        return .text(String(decoding: value.encoded(), as: UTF8.self))
      }
      guard call.version == .v4 else {
        return call.json(["d": JSONNode.object([.init(key: step, value: value)])])
      }
      return call.json(["@odata.context": .string("\(call.writer.root)$metadata#\(set.name)/\(step)"), "value": value])
    }
    guard let navigation = set.navigation(step) else { throw .notFound("the segment '\(step)'") }
    let (target, rows) = call.writer.related(navigation, of: row, set)
    let query = try ODataQuery(call.request, target, call.version)
    guard navigation.isCollection else {
      guard let one = rows.first else { throw .notFound(step) }
      return call.entity(one, target, query)
    }
    var found = rows.filter { query.lets($0) }
    if !query.order.isEmpty { found = ODataPage.sorted(found, query.order) }
    var page = ODataPage(rows: Array(found.dropFirst(query.skip).prefix(query.top ?? .max)))
    if query.isCounted { page.count = found.count }
    return answer(page, target, query, call, server.withState { $0.switches }, isDelta: false)
  }
}
