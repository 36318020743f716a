import JSON
import Model
import Store
import Wire

/// The console: requests to custom APIs that somebody wrote, saved under a name, with the last answer of each.
extension OMCEBackend {
  var requestAction: Action {
    Action("request", "Call a custom API", fields: OMCEBackend.form(SavedRequest(name: "last", path: "")))
  }

  private static func form(_ request: SavedRequest) -> [FormField] {
    [
      FormField("method", "Method", .choice(SavedRequest.methods.map { .init($0, $0) }), initial: request.method),
      FormField("path", "Path", initial: request.path, hint: "orders/open?site=4, or from the host on: /mobile/…"),
      FormField("version", "API version", initial: request.version ?? "", isRequired: false),
      FormField(
        "headers", "Headers", .multiline, initial: request.headers.joined(separator: "\n"), isRequired: false,
        hint: "NAME: VALUE, one a line"),
      FormField("body", "JSON", .multiline, initial: request.body, isRequired: false),
      FormField("name", "Save as", initial: request.name, isRequired: false),
    ]
  }

  func requests(_ location: Location) async throws(ServiceError) -> Listing {
    let store = await client.storeAtHand("list \(location)")
    let all = try keeping("list \(location)") { () throws(OfflineError) in try client.requests.all(store) }
    let columns = [
      Column("name", "Name", rank: 0), Column("method", "Method", rank: 1), Column("path", "Path", rank: 0),
      Column("status", "Status", .integer, rank: 1), Column("sent", "Sent", .time, rank: 2),
    ]
    return Listing(
      location, title: "Requests", columns: columns,
      rows: all.map { request in
        Row(
          location.appending(request.name),
          [
            .text(request.name), .text(request.method), .text(request.path), .optional(request.reply?.status),
            .optional(request.reply?.at),
          ])
      }, total: .exact(all.count),
      notices: store == nil ? ["Without a vault they are kept until Atrium ends."] : [], actions: [requestAction])
  }

  private func request(_ name: String, _ location: Location) async throws(ServiceError) -> SavedRequest {
    let store = await client.storeAtHand("open \(location)")
    let found = try keeping("open \(location)") { () throws(OfflineError) in try client.requests.request(name, store) }
    guard let found else { throw .notFound(location) }
    return found
  }

  func requestItem(_ location: Location, _ name: String) async throws(ServiceError) -> Item {
    let request = try await request(name, location)
    var sections = [
      Item.Section(
        "Request",
        [
          Field("method", "Method", .text(request.method)), Field("path", "Path", .text(request.path)),
          Field("version", "API version", .optional(request.version)),
          Field("headers", "Headers", .list(request.headers.map { .text($0) })),
          Field("body", "Body", request.body.isEmpty ? .null : .text(request.body)),
        ])
    ]
    var raw: RawAnswer?
    if let reply = request.reply {
      sections.append(
        Item.Section(
          "Answer",
          [
            Field("status", "Status", .integer(Int64(reply.status)), .integer),
            Field("type", "Type", .text(reply.mediaType)),
            Field("size", "Size", .size(Int64(reply.bytes.count)), .size),
            Field("took", "Took (ms)", .integer(reply.milliseconds), .integer),
            Field("at", "At", .time(reply.at), .time),
          ]))
      raw = RawAnswer(bytes: reply.bytes, mediaType: reply.mediaType)
      if let root = try? JSONDocument(reply.bytes).root {
        let fields = MobileValue.fields(of: root).map {
          Field("answer.\($0.id)", $0.title, $0.value, $0.kind)
        }
        sections.append(Item.Section("Content", fields))
      }
    }
    let off = connection.isReadOnly && request.method != "GET" ? "this connection is read-only" : nil
    return Item(
      location, title: name, sections: sections.filter { !$0.fields.isEmpty },
      actions: [
        Action("send", "Send", disabled: off), Action("edit", "Edit and send", fields: OMCEBackend.form(request)),
        Action("delete", "Delete", warning: "Delete the saved request “\(name)”"),
      ], raw: raw, notices: request.reply?.isCut == true ? ["The answer was longer; this is its beginning."] : [])
  }

  func performRequest(
    _ action: String, _ place: OMCEPlace, _ location: Location, _ fields: [String: String]
  ) async throws(ServiceError) -> ActionOutcome {
    switch (action, place) {
    case ("request", _): return try await send(OMCEBackend.request(fields, SavedRequest(name: "last", path: "")))
    case ("send", .request(let name)): return try await send(try await request(name, location))
    case ("edit", .request(let name)):
      return try await send(OMCEBackend.request(fields, try await request(name, location)))
    case ("delete", .request(let name)): return try await forgetRequest(name)
    default: throw .notOffered(location.doing(action), "there is no such action here")
    }
  }

  private static func request(_ fields: [String: String], _ before: SavedRequest) -> SavedRequest {
    var request = before
    request.method = fields["method"].map { $0.uppercased() } ?? request.method
    request.path = fields["path"] ?? request.path
    request.version = fields["version"].flatMap { $0.isEmpty ? nil : $0 }
    request.body = fields["body"] ?? request.body
    if let lines = fields["headers"] {
      request.headers = lines.split(separator: "\n").map(String.init).filter { !$0.isEmpty }
    }
    if let name = fields["name"], !name.isEmpty { request.name = name }
    return request
  }

  func forgetRequest(_ name: String) async throws(ServiceError) -> ActionOutcome {
    let store = await client.storeAtHand("delete the request")
    try keeping("delete the request") { () throws(OfflineError) in try client.requests.forget(name, store) }
    return ActionOutcome("Deleted “\(name)”.", location: Location(connection: connection.name, path: ["requests"]))
  }

  /// Any status is an answer here: it is what the author of the API chose.
  private func send(_ wanted: SavedRequest) async throws(ServiceError) -> ActionOutcome {
    var request = wanted
    try request.check()
    let operation = "call \(request.path)"
    guard !connection.isReadOnly || request.method == "GET" else { throw ServiceError(.readOnly, operation) }
    var call = MobileCall(request.method, URLForm.typed(request.serverPath), module: "CustomCode", operation)
    for header in request.headers {
      let parts = header.split(separator: ":", maxSplits: 1).map(String.init)
      call.headers.append((name: parts[0], value: String(parts[1].drop { $0 == " " })))
    }
    if let version = request.version { call.headers.append((name: "Oracle-Mobile-API-Version", value: version)) }
    if !request.body.isEmpty {
      call.body = .bytes(Array(request.body.utf8))
      if !call.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
        call.headers.append((name: "Content-Type", value: "application/json"))
      }
    }
    let response = try await client.send(call)
    request.reply = SavedRequest.Reply(
      status: response.status, mediaType: response.headers.mediaType ?? "application/octet-stream",
      bytes: Array(response.body.prefix(SavedRequest.mostReplyBytes)),
      milliseconds: Int64(response.timings.total / .milliseconds(1)), at: surroundings.clock.now(),
      isCut: response.body.count > SavedRequest.mostReplyBytes)
    let store = await client.storeAtHand(operation)
    let done = request
    try keeping(operation) { () throws(OfflineError) in try client.requests.keep(done, store) }
    await client.noteUse("calledAPI", component: "customCode", ["status": String(response.status)])
    let fault = response.isSuccess ? "" : ": \(MobileFault(response).words)"
    return ActionOutcome(
      "\(request.method) \(request.path) answered \(response.status)\(fault).",
      location: Location(connection: connection.name, path: ["requests", request.name]))
  }
}
