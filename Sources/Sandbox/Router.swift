import HTTPServer

/// Finds the handler for a method and a path; see `RouteTree` for patterns.
package struct Router: Sendable {
  package typealias Handler = @Sendable (SandboxRequest) -> ServerResponse
  package typealias Match = RouteTree<Handler>.Match

  private var tree = RouteTree<Handler>()

  package init() {}

  /// Adds a route for one method or several (`"PUT|POST"`).
  package mutating func on(_ methods: String, _ pattern: String, _ handler: @escaping Handler) {
    tree.add(methods, pattern, handler)
  }

  /// Answers a request, or says through `otherwise` in the door's own style why not.
  ///
  /// - Parameter prefix: How many leading segments of the path the patterns leave out.
  package func respond(
    to request: SandboxRequest, dropping prefix: Int = 0,
    otherwise: (Match, SandboxRequest) -> ServerResponse
  ) -> ServerResponse {
    let match = tree.find(request.method, request.segments.dropFirst(prefix))
    guard case .found(let handler, let parameters) = match else { return otherwise(match, request) }
    var routed = request
    routed.parameters = parameters
    return handler(routed)
  }
}
