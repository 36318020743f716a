import HTTPServer
import JSON
import Synchronization

/// The Open Bank Project API, from v1.2.1 to v5.1.0 (or v6.0.0 by profile), as reference obp.md describes it.
///
/// - Routes: `/obp/vX.Y.Z/…`, `POST /my/logins/direct`, `/oauth/{initiate,authorize,token}` and the pages of a sign-in.
/// - Settings, by `POST /sandbox/settings?door=bank&NAME=VALUE`: see `OBPProfile.set`.
final class OpenBankDoor: Door {
  let name = "bank"
  let prefixes = ["/obp", "/my/logins", "/oauth", "/user_mgt"]
  let bank: BankService
  private let identity: BankIdentity?
  private let profiles = Mutex(OBPProfile())
  let correlation: String

  /// - Parameter identity: Whose bearer tokens the bank believes; none where OAuth 2 is switched off.
  init(_ setting: DoorSetting, identity: BankIdentity? = nil) {
    self.identity = identity
    bank = BankService(setting)
    var random = setting.random("bank/correlation")
    correlation = random.text(24, from: "abcdefghijklmnopqrstuvwxyz0123456789")
  }

  var profile: OBPProfile { profiles.withLock { $0 } }

  func handle(_ request: SandboxRequest) -> ServerResponse {
    let profile = profile
    switch request.segments.first {
    case "obp": return answer(request, profile)
    case "my": return directLogin(request, profile)
    default:
      guard profile.generation == .low else { return refuse(request, profile, .unknownURI(request)) }
      return OAuth1(bank: bank, profile: profile).handle(request)
    }
  }

  func set(_ name: String, to value: String) -> Bool { profiles.withLock { $0.set(name, to: value) } }

  func suffer(_ event: DoorEvent) {
    switch event {
    case .expireTokens: bank.state.write { $0.sessions = [:] }
    case .conflict: break
    case .reset:
      bank.state.reset()
      profiles.withLock { $0 = OBPProfile() }
    }
  }

  func configuration(origin: String) -> String {
    let consumer = bank.data.consumers[0]
    let user = bank.data.owner
    return """
      name: bank
      kind: openbank
      url: \(origin)/obp/v5.1.0
      authURL: \(origin)
      auth:
        method: direct
        consumerKey: "\(consumer.key)"
        consumerSecret: "\(consumer.secret)"
        user: \(user.username)
        password: "\(user.password)"
      """
  }

  var credentials: [String] {
    let consumer = bank.data.consumers[0]
    let people = bank.data.users.prefix(3).map { "\($0.username) / \($0.password)" }
    return [
      "bank    \(people.joined(separator: "   "))",
      "        consumer key \(consumer.key)   secret \(consumer.secret)   callback \(consumer.redirectURL)",
    ]
  }
}

extension OpenBankDoor {
  /// What each version serves: the routes behind a router, told apart by their place in the list.
  private struct Served: Sendable {
    let routes: [OBPRoute]
    let router: RouteTree<Int>
  }

  private static let served: [OBPVersion: Served] = {
    let pairs = OBPVersion.allCases.map { version in
      let routes = OBPRoutes.standard.served(by: version)
      var index = RouteTree<Int>()
      for (place, route) in routes.enumerated() { index.add(route.method, route.pattern, place) }
      return (version, Served(routes: routes, router: index))
    }
    return Dictionary(uniqueKeysWithValues: pairs)
  }()

  private func answer(_ request: SandboxRequest, _ profile: OBPProfile) -> ServerResponse {
    guard request.segments.count > 1, let version = OBPVersion(text: request.segments[1]),
      version < .v600 || profile.generation == .high, let served = Self.served[version],
      case .found(let place, let parameters) = served.router.find(request.method, request.segments.dropFirst(2))
    else { return refuse(request, profile, .unknownURI(request)) }
    let route = served.routes[place]
    let sendsBody = ["POST", "PUT"].contains(request.method) && request.server.body.count > 0
    if sendsBody && request.header("Content-Type")?.lowercased().hasPrefix("application/json") != true {
      return refuse(request, profile, .unknownURI(request))
    }
    var routed = request
    routed.parameters = parameters
    var limits: [ServerResponse.Field] = []
    do throws(OBPError) {
      if !route.isOld { try refuseDuplicates(routed) }
      let session = try session(for: routed, route, profile)
      limits = try count(routed, session, profile, isExempt: route.path == "/root" || route.path.isEmpty)
      let call = OBPCall(
        request: routed, version: version, isOld: route.isOld, bank: bank, profile: profile, identity: identity,
        session: session)
      try admit(call, route)
      return finish(try route.handler(call), routed, profile, isOld: route.isOld, limits)
    } catch {
      return refuse(routed, profile, error, limits)
    }
  }

  private func refuseDuplicates(_ request: SandboxRequest) throws(OBPError) {
    let names = request.server.query.map(\.name)
    guard Set(names).count == names.count else {
      throw OBPError(400, "OBP-09016: Duplicate Query Parameters are not allowed.")
    }
    let headers = request.server.headers.map { $0.name.lowercased() }
    guard Set(headers).count == headers.count else {
      throw OBPError(400, "OBP-09017: Duplicate Header Keys are not allowed.")
    }
  }

  private func session(
    for request: SandboxRequest, _ route: OBPRoute, _ profile: OBPProfile
  ) throws(OBPError) -> BankSession? {
    try OBPSignIn(bank: bank, profile: profile, identity: identity).session(of: request, isOld: route.isOld)
  }

  private func admit(_ call: OBPCall, _ route: OBPRoute) throws(OBPError) {
    switch route.access {
    case .open: break
    case .user: _ = try call.signedIn()
    case .roles(let roles):
      let user = try call.signedIn()
      let bankID = call["BANK_ID"]
      let held = bank.entitlements(of: user).filter { $0.bank.isEmpty || $0.bank == bankID }
      guard held.contains(where: { roles.contains($0.role) }) else { throw .lacksRole(roles) }
    }
  }

  private func directLogin(_ request: SandboxRequest, _ profile: OBPProfile) -> ServerResponse {
    guard request.method == "POST", request.segments == ["my", "logins", "direct"] else {
      return refuse(request, profile, .unknownURI(request))
    }
    do throws(OBPError) {
      let token = try OBPSignIn(bank: bank, profile: profile, identity: identity).directLogin(request)
      return finish(.created(["token": .string(token)]), request, profile, isOld: true, [])
    } catch {
      return refuse(request, profile, error)
    }
  }
}

extension OBPError {
  static func unknownURI(_ request: SandboxRequest) -> OBPError {
    .unknownURI(request.server.target, contentType: request.header("Content-Type"))
  }
}
