import Model
import Wire

/// Oracle Mobile Cloud as the browser and the commands see it: places, listings, items and actions.
public struct OMCEBackend: Backend {
  public let kind = BackendKind.omce
  public let capabilities: Capabilities = [.download, .upload, .delete, .rawCall, .offline]
  /// The kit below, for calls that have no place in the tree.
  public let client: MobileClient
  let connection: Connection
  let surroundings: Surroundings

  public init(
    connection: Connection, transport: any Transport, surroundings: Surroundings
  ) throws(ServiceError) {
    self.connection = connection
    self.surroundings = surroundings
    client = try MobileClient(connection: connection, transport: transport, surroundings: surroundings)
  }

  public func nature(of location: Location) async throws(ServiceError) -> LocationNature {
    switch try OMCEPlace(location) {
    case .root, .collections, .customAPIs, .locations, .policies, .kept, .pending, .requests, .analytics,
      .notifications:
      .container
    case .collection: .both(primary: .listing)
    case .custom: .both(primary: .item)
    case .object, .location, .policy, .me, .edit, .request, .notification: .item
    }
  }

  public func list(_ location: Location, _ query: ListQuery) async throws(ServiceError) -> Listing {
    switch try OMCEPlace(location) {
    case .root: entries(location)
    case .collections: try await collections(location, query)
    case .collection(let id): try await openedCollection(location, query, id)
    case .customAPIs: customAPIs(location)
    case .custom(let path): try await customListing(location, query, path)
    case .locations(let kind): try await locations(location, query, kind)
    case .policies: try await policies(location, query)
    case .kept: try await keptThings(location)
    case .pending: try await pending(location)
    case .requests: try await requests(location)
    case .analytics: try await events(location)
    case .notifications: try await notifications(location, query)
    case .object, .location, .policy, .me, .edit, .request, .notification:
      throw ServiceError.noContainer(location)
    }
  }

  public func item(_ location: Location) async throws(ServiceError) -> Item {
    switch try OMCEPlace(location) {
    case .root: profileItem(location)
    case .collection(let id): try await collectionItem(location, id)
    case .object(let id): try await objectItem(location, id)
    case .custom(let path): try await customItem(location, path)
    case .location(let kind, let id): try await locationItem(location, kind, id)
    case .policies: try await policiesItem(location)
    case .policy(let name): try await policyItem(location, name)
    case .me: try await userItem(location)
    case .edit(let id): try await editItem(location, id)
    case .request(let name): try await requestItem(location, name)
    case .notification(let id): try await notificationItem(location, id)
    case .collections, .customAPIs, .locations, .kept, .pending, .requests, .analytics, .notifications:
      Item(location, title: location.path.last ?? "", sections: [], related: [Link("Open", location)])
    }
  }

  public func download(
    _ location: Location, _ request: DownloadRequest, to sink: any ByteSink, progress: @escaping Progress
  ) async throws(ServiceError) -> ContentHead {
    switch try OMCEPlace(location) {
    case .object(let id):
      let head = try await client.download(.object(id), request, to: sink, progress: progress)
      await client.noteUse("readObject", component: "storage", ["collection": id.collection])
      return head
    case .custom(let path):
      var call = client.customCall("GET", path, query: location.query)
      call.headers.append((name: "Accept", value: "*/*"))
      return try await client.stream(call, request, to: sink, progress: progress) { $0.contentHead }
    default: throw .notOffered("download \(location)", "there is no content behind it")
    }
  }

  public func call(_ call: RawCall, to sink: any ByteSink) async throws(ServiceError) -> RawReply {
    try await client.call(call, to: sink)
  }

  public func signIn(_ request: SignInRequest) async throws(ServiceError) -> SignInState {
    client.forget()
    do {
      return try await client.authorization.signIn(request)
    } catch {
      throw error.during("sign in to \(connection.name)")
    }
  }

  public func signOut(_ request: SignOutRequest) async throws(ServiceError) {
    // What waits is posted while there is still somebody to post it.
    if client.analytics.sessionID != nil { try? await client.analytics.endSession() }
    client.forgetEvents()
    client.forget()
    try await client.authorization.signOut()
  }

  public func signInState(verifying: Bool) async throws(ServiceError) -> SignInState {
    let credential = try await client.authorization.credential()
    let state = client.authorization.state(of: credential)
    guard verifying, let credential, !credential.isAnonymous else { return state }
    return try await state.verified { () async throws(ServiceError) in
      try await client.liveUserAnswer().root["username"].string
    }
  }
}

extension OMCEBackend {
  /// Why nothing can be written here; nil when it can be tried.
  var noWriting: String? {
    if connection.isReadOnly { return "this connection is read-only" }
    return client.authorization.settings.isAnonymous ? "this connection is anonymous" : nil
  }

  func forbidWriting(_ operation: String) throws(ServiceError) {
    guard let noWriting else { return }
    throw ServiceError(connection.isReadOnly ? .readOnly : .forbidden, operation, detail: noWriting)
  }

  private func entries(_ location: Location) -> Listing {
    var entries = [
      ("storage", "Storage", "collections of stored objects"),
      ("custom", "Custom APIs", "what the backend's authors made"),
      ("places", "Places", "where things are"), ("assets", "Assets", "things that have a place"),
      ("devices", "Devices", "beacons that tell a place"), ("policies", "Policies", "settings that the backend gives"),
    ]
    if !client.authorization.settings.isAnonymous { entries.append(("me", "Me", "who you are to this backend")) }
    entries += [
      ("requests", "Requests", "calls of custom APIs that you saved"),
      ("notifications", "Notifications", "what was sent to devices; for team members"),
      ("analytics", "Analytics", "events that were noted"), ("offline", "Offline data", "what is kept on this machine"),
      ("pending", "Pending changes", "edits that wait"),
    ]
    let rows = entries.map { name, title, what in
      Row(
        location.appending(name), [.text(name), .text(title), .text(what)], opening: name == "me" ? .item : .listing)
    }
    return Listing(
      location, title: client.profile.name ?? connection.name,
      columns: [
        Column("name", "Name", rank: 0), Column("title", "Title"), Column("description", "Description", rank: 2),
      ],
      rows: rows, total: .exact(rows.count), notices: client.profile.warnings)
  }

  /// What was understood of the profile; secrets are only said to be there.
  private func profileItem(_ location: Location) -> Item {
    let profile = client.profile
    let fields = [
      Field("name", "Name", .optional(profile.name)), Field("baseURL", "Base address", .text(profile.baseURL)),
      Field("tokenURL", "Token address", .optional(profile.tokenURL)),
      Field("scope", "Scope", .optional(profile.scope)),
      Field("method", "Signing in by", .text(profile.method.rawValue)),
      Field("clientID", "Client", .optional(profile.oauth?.clientID)),
      Field("mobileBackendID", "Backend", .optional(profile.basic?.mobileBackendID)),
      Field("hasClientSecret", "Has a client secret", .flag(profile.oauth != nil), .flag),
      Field("hasAnonymousKey", "Has an anonymous key", .flag(profile.basic?.anonymousKey != nil), .flag),
      Field("enableOffline", "Offline sign-in", .flag(profile.enablesOffline), .flag),
      Field("diagnosticSession", "Diagnostic session", .text(client.diagnostics.sessionID)),
      Field("device", "Device", .text(client.diagnostics.deviceID)),
    ]
    return Item(
      location, title: profile.name ?? connection.name, sections: [.init("Backend", fields)],
      notices: profile.warnings)
  }
}
