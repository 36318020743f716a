import HTTPServer

/// Alfresco Content Services with its identity service: `/alfresco` is the repository, `/auth/realms/alfresco` the issuer.
struct AlfrescoDoor: Door {
  let server: AlfrescoServer
  private let router: Router
  private let identity: Router

  init(_ setting: DoorSetting) {
    server = AlfrescoServer(setting)
    var routes = AlfrescoRoutes(server)
    routes.addAuthentication()
    routes.addNodes()
    routes.addAssociations()
    routes.addCategories()
    routes.addModel()
    routes.addAudit()
    routes.addContent()
    routes.addTrash()
    routes.addVersions()
    routes.addExtras()
    routes.addRenditions()
    routes.addSites()
    routes.addMembership()
    routes.addPeople()
    routes.addFavorites()
    routes.addLinks()
    routes.addDownloads()
    routes.addSearch()
    routes.addDiscovery()
    router = routes.router
    identity = OpenIDRoutes(server.issuer).router
  }

  var name: String { "docs" }
  var prefixes: [String] { ["/alfresco", "/auth/realms"] }

  func handle(_ request: SandboxRequest) -> ServerResponse {
    if request.segments.first == "auth" {
      return identity.respond(to: request) { _, _ in .identity("not_found", "Unknown address", status: 404) }
    }
    return router.respond(to: request, dropping: 1) { match, request in
      guard server.user(of: request) != nil else {
        return server.response(to: .unauthenticated, at: request.now)
      }
      if case .methodNotAllowed(let allowed) = match {
        return server.response(to: .unsupported, at: request.now)
          .adding("Allow", allowed.joined(separator: ", "))
      }
      return server.response(to: .notFound(request.path), at: request.now)
    }
  }

  func configuration(origin: String) -> String {
    """
    name: docs
    kind: alfresco
    url: \(origin)/alfresco
    auth:
      method: basic
      user: susan
      password: \(password("susan"))
    """
  }

  var credentials: [String] {
    let people = ["susan", "omar", "admin"].map { "\($0) / \(password($0))" }.joined(separator: "   ")
    let service = server.issuer.client("service")?.secret ?? ""
    return [
      "docs    \(people)",
      "        issuer /auth/realms/alfresco   clients \(OpenIDIssuer.publicClient), alfresco, service / \(service)",
    ]
  }

  func suffer(_ event: DoorEvent) { server.suffer(event) }

  private func password(_ user: String) -> String {
    server.people.first { $0.id == user }?.password ?? ""
  }
}
