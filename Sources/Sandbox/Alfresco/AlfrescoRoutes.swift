import HTTPServer

/// Collects the routes of the repository and puts the same things around each: who is asking, and errors as objects.
struct AlfrescoRoutes {
  typealias Handler = @Sendable (AlfrescoCall, inout Repository) throws -> ServerResponse
  typealias FreeHandler = @Sendable (AlfrescoServer, AlfrescoCall) throws -> ServerResponse

  static let core = "/api/{network}/public/alfresco/versions/1"
  static let search = "/api/{network}/public/search/versions/1"
  static let authentication = "/api/{network}/public/authentication/versions/1"

  private(set) var router = Router()
  let server: AlfrescoServer

  init(_ server: AlfrescoServer) { self.server = server }

  /// A resource of the core API; the handler has the repository to itself.
  mutating func on(_ methods: String, _ path: String, isPublic: Bool = false, _ handler: @escaping Handler) {
    free(methods, "\(Self.core)/\(path)", isPublic: isPublic) { server, call in
      try server.withRepository { try handler(call, &$0) }
    }
  }

  /// Any other resource, or one whose handler must not hold the repository while it works.
  mutating func free(_ methods: String, _ path: String, isPublic: Bool = false, _ handler: @escaping FreeHandler) {
    let server = server
    router.on(methods, path) { request in
      do {
        let user = server.user(of: request)
        guard isPublic || user != nil else { throw AlfrescoFault.unauthenticated }
        if !["GET", "HEAD"].contains(request.method), !isPublic { try server.checkConflict() }
        let call = AlfrescoCall(request: request, user: user ?? "")
        let response = try handler(server, call)
        let changes = !["GET", "HEAD"].contains(request.method) && path.hasPrefix(Self.core)
        if changes { server.withRepository { $0.audit(call) } }
        return response
      } catch let fault as AlfrescoFault {
        return server.response(to: fault, at: request.now)
      } catch {
        return server.response(to: .failed("Unknown error calling the Rest API"), at: request.now)
      }
    }
  }
}
