import HTTPServer
import JSON

typealias OMCHandler = @Sendable (OMCCall) throws(OMCError) -> ServerResponse

/// The platform's endpoints behind sign-in.
struct OMCRoutes: Sendable {
  private(set) var tree = RouteTree<OMCHandler>()

  mutating func on(_ methods: String, _ pattern: String, _ handler: @escaping OMCHandler) {
    tree.add(methods, pattern, handler)
  }

  static let standard: OMCRoutes = {
    var routes = OMCRoutes()
    routes.addCollections()
    routes.addObjects()
    routes.addUsers()
    routes.addPolicies()
    routes.addAnalytics()
    routes.addDevices()
    routes.addNotifications()
    routes.addLocation()
    routes.addCustom()
    routes.addAttachments()
    return routes
  }()
}
