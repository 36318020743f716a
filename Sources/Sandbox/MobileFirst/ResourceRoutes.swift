import HTTPServer
import JSON

/// The resource server outside, which asks the authorization server about each token.
enum ExternalResources {
  static func add(to router: inout Router, _ server: MobileFirstServer) {
    let resource = ResourceGuard(server)
    router.on("GET", "/getBalance") { request in
      resource.refusal(request, scope: "accessRestricted") ?? .text("17364.9")
    }
    router.on("GET|POST", "/MyResource/MyProtectedProcedure") { request in
      if let refusal = resource.refusal(request, scope: "accessRestricted") { return refusal }
      let user = request.bearerToken.flatMap { server.token($0, at: request.now) }?.user
      return .mobileFirst([
        "isSuccessful": true, "method": .string(request.method), "user": user.map { .string($0) } ?? .null,
        "message": "You have reached the protected procedure.", "bodyLength": .int(request.server.body.count),
        "time": .string(request.now.iso),
      ])
    }
    router.on("GET", "/MyResource/Public") { _ in
      .mobileFirst(["isSuccessful": true, "message": "Anybody may read this."])
    }
    router.on("GET", "/MyResource/Broken") { request in
      resource.refusal(request, scope: "")
        ?? .text("<html><body>Internal error</body></html>", status: 500, type: "text/html")
    }
    router.on("GET", "/MyResource/Forbidden") { _ in
      // A Bearer refusal that names no scope: nothing a client can obtain would help.
      ServerResponse(
        status: 403, headers: [("WWW-Authenticate", "Bearer error=\"insufficient_scope\"")], body: .bytes([]))
    }
  }
}

/// Adapters: resources inside the server (reference 5).
enum AdapterRoutes {
  static func add(to router: inout Router, _ server: MobileFirstServer) {
    addBank(to: &router, ResourceGuard(server))
    addJava(to: &router, ResourceGuard(server), server)
    addEnrollment(to: &router, ResourceGuard(server), server)
    addScripts(to: &router, ResourceGuard(server))
  }

  /// A client signs in once, sets a PIN of its own, and opens its account by that from then on.
  private static func addEnrollment(to router: inout Router, _ resource: ResourceGuard, _ server: MobileFirstServer) {
    @Sendable func client(_ request: SandboxRequest) -> String? {
      request.bearerToken.flatMap { server.token($0, at: request.now) }?.client
    }
    router.on("GET", "/api/adapters/Enrollment/isEnrolled") { request in
      if let refusal = resource.refusal(request, scope: "") { return refusal }
      let id = client(request)
      let isEnrolled = server.withState { state in id.flatMap { state.clients[$0]?.enrolledPIN } != nil }
      return .text(isEnrolled ? "true" : "false")
    }
    router.on("POST", "/api/adapters/Enrollment/setPinCode/{pin}") { request in
      if let refusal = resource.refusal(request, scope: "setPinCode") { return refusal }
      let (id, pin) = (client(request), request["pin"])
      server.withState { state in if let id { state.clients[id]?.enrolledPIN = pin } }
      return .empty(200)
    }
    router.on("DELETE", "/api/adapters/Enrollment/deletePinCode") { request in
      if let refusal = resource.refusal(request, scope: "accountBalance") { return refusal }
      let id = client(request)
      server.withState { state in
        guard let id else { return }
        state.clients[id]?.enrolledPIN = nil
        state.clients[id]?.states["EnrollmentPinCode"] = nil
        state.clients[id]?.states["IsEnrolled"] = nil
      }
      return .empty(200)
    }
    router.on("GET", "/api/adapters/Enrollment/accountBalance") { request in
      resource.refusal(request, scope: "accountBalance") ?? .text("2204.15")
    }
  }

  private static func addBank(to router: inout Router, _ resource: ResourceGuard) {
    router.on("GET", "/api/adapters/ResourceAdapter/balance") { request in
      resource.refusal(request, scope: "accessRestricted") ?? .text("19938.80")
    }
    router.on("POST", "/api/adapters/ResourceAdapter/transfer") { request in
      if let refusal = resource.refusal(request, scope: "transferPrivilege") { return refusal }
      guard let amount = request.form().first("amount").flatMap({ Double($0) }), amount > 0 else {
        return .text("The amount is missing or no number", status: 400)
      }
      return .text("Transferred \(request.form().first("amount") ?? "")")
    }
    router.on("GET", "/api/adapters/ResourceAdapter/transactions") { request in
      if let refusal = resource.refusal(request, scope: "transactions") { return refusal }
      var random = SeededRandom(seed: 5, "adapter.transactions")
      let rows: [JSONNode] = (0..<20).map { index in
        [
          "date": .string(DoorSetting.present.adding(days: -index).isoDate),
          "amount": .number("\(random.number(in: -400...400)).\(SandboxTime.padded(random.below(100), 2))"),
          "payee": .string(random.pick(CorpusTemplates.firms)),
        ]
      }
      return .mobileFirst(["isSuccessful": true, "transactions": .array(rows)])
    }
    router.on("GET", "/api/adapters/ResourceAdapter/publicData") { _ in .text("Lorem ipsum, for everybody") }
  }

  private static func addJava(to router: inout Router, _ resource: ResourceGuard, _ server: MobileFirstServer) {
    router.on("POST", "/api/adapters/JavaAdapter/users/{first}/{middle}/{last}") { request in
      if let refusal = resource.refusal(request, scope: "") { return refusal }
      return .mobileFirst([
        "first": .string(request["first"]), "middle": .string(request["middle"]), "last": .string(request["last"]),
        "age": .string(request.query("age") ?? ""), "height": .string(request.form().first("height") ?? ""),
        "birthdate": .string(request.header("birthdate") ?? ""),
      ])
    }
    router.on("GET|POST", "/api/adapters/JavaSQL") { request in
      if let refusal = resource.refusal(request, scope: "") { return refusal }
      if request.method == "GET" { return .mobileFirst(server.withState { $0.users.all }) }
      return server.withState { $0.users.create(request.form()) }
    }
    router.on("GET|PUT|DELETE", "/api/adapters/JavaSQL/{user}") { request in
      if let refusal = resource.refusal(request, scope: "") { return refusal }
      let form = request.method == "PUT" ? request.form() : []
      return server.withState { $0.users.handle(request.method, request["user"], form) }
    }
  }

  /// JavaScript adapters take nameless arguments: a JSON array in `params`, in the query or the form.
  private static func addScripts(to router: inout Router, _ resource: ResourceGuard) {
    router.on("GET|POST", "/api/adapters/{adapter}/{procedure}") { request in
      let known = ["JavaScriptHTTP/getFeed", "JavaScriptSQL/getAccountTransactions1", "MyAdapter/addTwoIntegers"]
      guard known.contains("\(request["adapter"])/\(request["procedure"])") else {
        return .text("Not found", status: 404)
      }
      if let refusal = resource.refusal(request, scope: "") { return refusal }
      let sent = (request.method == "POST" ? request.form().first("params") : request.query("params")) ?? "[]"
      guard let parameters = try? JSONDocument(sent.replacing("'", with: "\"")).root, parameters.kind == .array else {
        return .mobileFirst(["isSuccessful": false, "errors": ["params is no array"]])
      }
      return .mobileFirst(run(request["procedure"], parameters))
    }
  }

  private static func run(_ procedure: String, _ parameters: JSONValue) -> JSONNode {
    switch procedure {
    case "addTwoIntegers":
      guard let left = parameters[0].int, let right = parameters[1].int else {
        return ["isSuccessful": false, "errors": ["two integers are needed"]]
      }
      let (sum, overflow) = left.addingReportingOverflow(right)
      return overflow ? ["isSuccessful": false, "errors": ["overflow"]] : ["isSuccessful": true, "result": .int(sum)]
    case "getFeed":
      let tag = parameters[0].text ?? "all"
      let items: [JSONNode] = CorpusTemplates.places.map { ["title": .string("\(tag): news from \($0)"), "link": "/"] }
      return ["isSuccessful": true, "statusCode": 200, "items": .array(items)]
    default:
      let account = parameters[0].text ?? ""
      return [
        "isSuccessful": true,
        "resultSet": [
          ["account": .string(account), "amount": .number("-12.50")], ["account": .string(account), "amount": 90],
        ],
      ]
    }
  }
}

/// The table behind the JavaSQL adapter.
struct AdapterUsers: Sendable {
  private var users: [String: JSONNode] = [
    "ada": ["userId": "ada", "firstName": "Ada", "lastName": "Quinn"],
    "yuki": ["userId": "yuki", "firstName": "結希", "lastName": "田中"],
  ]

  var all: JSONNode { .array(users.sorted { $0.key < $1.key }.map(\.value)) }

  mutating func create(_ form: [ServerRequest.Field]) -> ServerResponse {
    guard let id = form.first("userId") else { return .text("userId is missing", status: 400) }
    guard users[id] == nil else { return .text("This user exists already", status: 409) }
    users[id] = Self.user(id, form)
    return .empty(200)
  }

  mutating func handle(_ method: String, _ id: String, _ form: [ServerRequest.Field]) -> ServerResponse {
    guard let user = users[id] else { return .text("User not found", status: 404) }
    switch method {
    case "PUT": users[id] = Self.user(id, form)
    case "DELETE": users[id] = nil
    default: return .mobileFirst(user)
    }
    return .empty(200)
  }

  private static func user(_ id: String, _ form: [ServerRequest.Field]) -> JSONNode {
    [
      "userId": .string(id), "firstName": .string(form.first("firstName") ?? ""),
      "lastName": .string(form.first("lastName") ?? ""),
    ]
  }
}
