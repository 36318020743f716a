import FoundationEssentials
import JSON
import Model
import Wire

/// Notes on a small server: `GET /notes` lists them, `GET` and `DELETE /notes/ID` read and delete one.
struct NotesBackend: Backend {
  // A back end that stays brings a case of its own in `BackendKind`.
  let kind = BackendKind.omce
  let capabilities: Capabilities = [.download, .delete, .rawCall]
  private let name: String
  private let address: String
  private let transport: any Transport

  init(connection: Connection, transport: any Transport, surroundings: Surroundings) throws(ServiceError) {
    name = connection.name
    address = try connection.settings.requiredText("url")
    self.transport = transport
  }

  // MARK: Places

  func nature(of location: Location) async throws(ServiceError) -> LocationNature {
    switch location.path.count {
    case 0: .container
    case 1: .item
    default: throw .notFound(location)
    }
  }

  func list(_ location: Location, _ query: ListQuery) async throws(ServiceError) -> Listing {
    guard location.isRoot else { throw location.path.count == 1 ? .noContainer(location) : .notFound(location) }
    let reply = try await ask("GET", "/notes", "list the notes")
    let rows = try reply.root.rows("of notes", reply.operation, status: reply.response.status).map { note in
      let id = note["id"].text ?? ""
      return Row(
        location.appending(id), [.text(id), .optional(note["title"].string), .optional(time(note))], hasContent: true)
    }
    let columns = [
      Column("id", "Id", rank: 2), Column("title", "Title", rank: 0), Column("changed", "Changed", .time),
    ]
    return Listing(location, title: "Notes", columns: columns, rows: rows, total: .exact(rows.count), raw: reply.raw)
  }

  func item(_ location: Location) async throws(ServiceError) -> Item {
    let reply = try await note(at: location)
    let root = reply.root
    let title = root["title"].string ?? "A note"
    return Item(
      location, title: title,
      sections: [
        Item.Section(
          "Note",
          [
            Field("title", "Title", .optional(root["title"].string)),
            Field("changed", "Changed", .optional(time(root)), .time),
          ])
      ], content: head(root), raw: reply.raw)
  }

  // MARK: Content and changes

  func download(
    _ location: Location, _ request: DownloadRequest, to sink: any ByteSink, progress: @escaping Progress
  ) async throws(ServiceError) -> ContentHead {
    let root = try await note(at: location).root
    let head = head(root)
    do {
      try sink.begin(head, at: 0)
      try Array((root["body"].string ?? "").utf8).withUnsafeBytes { try sink.write($0) }
    } catch {
      throw ServiceError(.brokenOff, "download \(location)", cause: error)
    }
    return head
  }

  func delete(_ location: Location) async throws(ServiceError) -> ActionOutcome {
    guard let id = location.path.last else { throw .notOffered("delete \(location)") }
    _ = try await send("DELETE", "/notes/\(URLForm.escape(id))", "delete \(location)")
    return ActionOutcome("Deleted note \(id).")
  }

  func call(_ call: RawCall, to sink: any ByteSink) async throws(ServiceError) -> RawReply {
    let operation = "\(call.method) \(call.path)"
    return try await transport.pass(try request(call.method, call.path, operation), to: sink, call, operation) { _ in
      nil
    }
  }

  // MARK: Signing in: this server lets everybody in

  func signIn(_ request: SignInRequest) async throws(ServiceError) -> SignInState { SignInState(isSignedIn: true) }
  func signOut(_ request: SignOutRequest) async throws(ServiceError) {}
  func signInState(verifying: Bool) async throws(ServiceError) -> SignInState { SignInState(isSignedIn: true) }

  // MARK: The wire

  private func note(at location: Location) async throws(ServiceError) -> JSONReply {
    guard location.path.count == 1, let id = location.path.first else { throw .notFound(location) }
    return try await ask("GET", "/notes/\(URLForm.escape(id))", "open \(location)")
  }

  private func head(_ note: JSONValue) -> ContentHead {
    ContentHead(
      name: "\(note["id"].text ?? "note").txt", mediaType: "text/plain; charset=utf-8",
      size: Int64((note["body"].string ?? "").utf8.count), modified: time(note))
  }

  private func time(_ note: JSONValue) -> Timestamp? { note["changed"].string.flatMap { Timestamp(rfc3339: $0) } }

  private func ask(_ method: String, _ path: String, _ operation: String) async throws(ServiceError) -> JSONReply {
    try JSONReply(try await send(method, path, operation), operation)
  }

  private func send(_ method: String, _ path: String, _ operation: String) async throws(ServiceError) -> HTTPResponse {
    let request = try request(method, path, operation)
    let response: HTTPResponse
    do throws(TransportError) {
      response = try await transport.send(request)
    } catch {
      throw error.serviceError(operation)
    }
    guard (200..<300).contains(response.status) else {
      throw ServiceError(ServiceError.Code(status: response.status), operation, status: response.status)
    }
    return response
  }

  private func request(_ method: String, _ path: String, _ operation: String) throws(ServiceError) -> HTTPRequest {
    guard let url = URL(string: address + path) else {
      throw ServiceError(.configuration, operation, detail: "\(address) is no address")
    }
    return HTTPRequest(method, url, headers: ["Accept": "application/json"])
  }
}
