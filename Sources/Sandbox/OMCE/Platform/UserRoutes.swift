import HTTPServer
import JSON

/// The current user, and the policies of the app; reference omce.md, sections 5.2 and 5.3.
extension OMCRoutes {
  mutating func addUsers() {
    let users = "/mobile/platform/users"
    on("GET", users + "/login") { call in
      guard let user = call.principal.user else { return .json(["username": .string(call.principal.name)]) }
      return .json(call.json(user))
    }
    on("GET", users + "/~") { call throws(OMCError) in .json(call.json(try call.person())) }
    on("GET", users + "/me") { call throws(OMCError) in
      let user = try call.person()
      return .json([
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "id": .string(user.id),
        "userName": .string(user.username),
        "name": ["givenName": .string(user.firstName), "familyName": .string(user.lastName)],
        "emails": [["value": .string(user.email), "primary": true]], "roles": [.string(user.role.rawValue)],
      ])
    }
    on("GET", users + "/{user}") { call throws(OMCError) in
      let user = try call.person()
      guard call["user"] == user.username else { throw .forbidden("Only your own user may be read.") }
      return .json(call.json(user))
    }
    on("GET", "/mobile/platform/extended/users/~") { call throws(OMCError) in
      let user = try call.person()
      return .json(["username": .string(user.username), "roles": [.string(user.role.rawValue)]])
    }
  }

  mutating func addPolicies() {
    on("GET", "/mobile/platform/appconfig/client") { _ in
      .json([
        "welcomeText": "Good morning – おはよう", "maxUploadMB": 25, "betaFeatures": false, "ratio": .number("0.75"),
        "supportPhone": "", "pageSize": 50,
      ])
    }
  }
}

extension OMCCall {
  fileprivate func json(_ user: OMCUser) -> JSONNode {
    let path = "/mobile/platform/users/\(user.username)"
    var node: JSONNode = [
      "id": .string(user.id), "username": .string(user.username), "email": .string(user.email),
      "firstName": .string(user.firstName), "lastName": .string(user.lastName),
      "links": [link("canonical", path), link("self", path)],
    ]
    guard let fields = request.query("fields")?.split(separator: ",").map(String.init) else { return node }
    if case .object(let members) = node { node = .object(members.filter { fields.contains($0.key) }) }
    return node
  }
}
