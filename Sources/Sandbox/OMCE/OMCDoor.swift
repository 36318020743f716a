import HTTPServer
import JSON
import Synchronization

/// Oracle Mobile Cloud (OMCe) with its identity server, as reference omce.md, section 10, describes it.
///
/// - Routes: `/oauth2/v1/token`, `/mobile/platform/…`, `/mobile/custom/{echo,tasks,broken,slow}`, `/mobile/system/notifications`,
///   and `/idp/jwt`, an identity provider whose assertions the backend exchanges.
/// - Settings: see `OMCKnobs`.
final class OMCDoor: Door {
  let name = "mobile"
  let prefixes = ["/mobile", "/oauth2", "/oam", "/idp"]
  let server: OMCServer
  private let knobs = Mutex(OMCKnobs())

  init(_ setting: DoorSetting) { server = OMCServer(setting) }

  func handle(_ asked: SandboxRequest) -> ServerResponse {
    let knobs = knobs.withLock { $0 }
    guard !knobs.isOffline else { return .hangUp }
    let request = SandboxRequest(asked.server, now: asked.now.adding(seconds: Int(knobs.clockSkew)))
    let response = answer(request, knobs)
    let takesGzip = asked.header("Accept-Encoding")?.lowercased().contains("gzip") ?? false
    return knobs.compresses && takesGzip ? GzipFrame.wrapping(response) : response
  }

  private func answer(_ request: SandboxRequest, _ knobs: OMCKnobs) -> ServerResponse {
    if let response = OMCTokens(server: server, knobs: knobs).handle(request) { return response }
    do throws(OMCError) {
      let principal = try server.principal(of: request)
      var routed = request
      switch OMCRoutes.standard.tree.find(request.method, request.segments[...]) {
      case .found(let handler, let parameters):
        routed.parameters = parameters
        return try handler(OMCCall(request: routed, principal: principal, server: server, knobs: knobs))
      case .methodNotAllowed(let allowed):
        let error = OMCError(405, "Method Not Allowed", "Allowed are \(allowed.joined(separator: ", ")).")
        return refuse(request, error, knobs).adding("Allow", allowed.joined(separator: ", "))
      case .notFound:
        throw .notFound("The resource \(request.path)")
      }
    } catch {
      let response = refuse(request, error, knobs)
      return error.status == 401 ? response.adding("WWW-Authenticate", "Basic realm=\"mobile\", Bearer") : response
    }
  }

  private func refuse(_ request: SandboxRequest, _ error: OMCError, _ knobs: OMCKnobs) -> ServerResponse {
    error.response(path: request.path, trace: server.makeTrace(), statusAsText: knobs.statusAsText)
  }

  func set(_ name: String, to value: String) -> Bool {
    // Not a knob but an event: somebody else changes an object or a task behind everybody's back.
    if name == "edit" { return server.edit(value) }
    return knobs.withLock { $0.set(name, to: value) }
  }

  func suffer(_ event: DoorEvent) {
    switch event {
    case .expireTokens: server.expireTokens()
    case .conflict: server.storage.orderConflict()
    case .reset:
      server.reset()
      knobs.withLock { $0 = OMCKnobs() }
    }
  }

  func configuration(origin: String) -> String {
    let (credentials, user) = (server.credentials, server.users[0])
    return """
      name: mobile
      kind: omce
      backend:
        oAuthTokenEndPoint: \(origin)
        logLevel: error
        logHTTP: false
        mobileBackend:
          name: CityWorks
          baseURL: \(origin)
          networkConnectionTimeout: 60
          authentication:
            type: oauth
            oauth:
              clientID: "\(credentials.clientID)"
              clientSecret: "\(credentials.clientSecret)"
              enableOffline: true
            basic:
              mobileBackendID: "\(credentials.backendID)"
              anonymousKey: "\(credentials.anonymousKey)"
              enableOffline: true
          synchronization:
            maxStoreSize: 200
            periodicRefreshPolicy: PERIODIC_REFRESH_POLICY_REFRESH_NONE
            defaultPolicy:
              fetchPolicy: FETCH_FROM_SERVICE_IF_ONLINE
              expirationPolicy: NEVER_EXPIRE
              expireAfter: 86400
              evictionPolicy: MANUAL_EVICTION
              updatePolicy: QUEUE_IF_OFFLINE
              conflictResolutionPolicy: PRESERVE_CONFLICT
      apis: [tasks/items]
      auth:
        user: \(user.username)
        password: "\(user.password)"
      """
  }

  var credentials: [String] {
    let people = server.users.map { "\($0.username) / \($0.password)" }
    let keys = server.credentials
    return [
      "mobile  \(people.joined(separator: "   "))",
      "        client \(keys.clientID)   secret \(keys.clientSecret)",
      "        backend \(keys.backendID)   anonymous key \(keys.anonymousKey)",
      "        facebook token \(keys.socialToken)   JWT /idp/jwt?user=ada",
    ]
  }
}
