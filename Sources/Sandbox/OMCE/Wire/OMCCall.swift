import HTTPServer
import JSON

/// Whoever makes a call.
enum OMCPrincipal: Sendable, Hashable {
  case user(OMCUser)
  case anonymous
  /// Known by a token of a social network alone.
  case social(id: String)

  var user: OMCUser? { if case .user(let user) = self { user } else { nil } }

  /// As `createdBy` and `modifiedBy` name it.
  var name: String {
    switch self {
    case .user(let user): user.username
    case .anonymous: "anonymous"
    case .social(let id): id
    }
  }
}

/// One request on its way to a handler.
struct OMCCall: Sendable {
  let request: SandboxRequest
  let principal: OMCPrincipal
  let server: OMCServer
  let knobs: OMCKnobs

  var now: SandboxTime { request.now }

  subscript(name: String) -> String { request[name] }

  /// The person who asks; anonymous callers are refused.
  func person() throws(OMCError) -> OMCUser {
    guard let user = principal.user else { throw .forbidden("Anonymous users may not do this.") }
    return user
  }

  func json() throws(OMCError) -> JSONValue {
    guard let value = request.json() else { throw .badRequest("The body is not valid JSON.") }
    return value
  }

  /// A query number that must not be negative.
  func number(_ name: String, standard: Int) throws(OMCError) -> Int {
    guard let text = request.query(name) else { return standard }
    guard let value = Int(text), value >= 0 else { throw .badRequest("\(name) must be a number that is not negative.") }
    return value
  }

  /// In strict mode parameters that the call does not know are refused; the cache-busting `_` never is.
  func allowQuery(_ names: String...) throws(OMCError) {
    guard knobs.isStrict, let odd = request.server.query.first(where: { $0.name != "_" && !names.contains($0.name) })
    else { return }
    throw .badRequest("The query parameter \(odd.name) is not known.")
  }

  /// A timestamp in the shape that the knob asks for.
  func date(_ time: SandboxTime) -> String {
    switch knobs.dateShape {
    case .iso: time.iso
    case .offset: String(time.iso.dropLast()) + "+0000"
    case .http: time.http
    }
  }
}

/// Behaviour that tests can turn; reference omce.md, section 10.4. Set by `POST /sandbox/settings?door=mobile&NAME=VALUE`.
struct OMCKnobs: Sendable, Equatable {
  enum DateShape: String, Sendable { case iso, offset, http }

  /// In seconds.
  var tokenLifetime = 3_600
  var omitsHasMore = false
  var statusAsText = false
  var locationWithoutSlash = false
  var isStrict = false
  var dateShape = DateShape.iso
  /// Status of the next conflict that is ordered: 412 or 409.
  var conflictStatus = 412
  /// Whether the older token endpoint of MCS answers too.
  var servesMCS = false
  /// Seconds that the server's clock runs ahead.
  var clockSkew: Int64 = 0
  /// Answers in JSON come compressed to those who take it.
  var compresses = false
  /// Every connection breaks off, as if there were no server.
  var isOffline = false
  /// The task API sends the synchronisation library's cache hints, whose names no document confirms.
  var sendsSyncHints = false

  mutating func set(_ name: String, to value: String) -> Bool {
    let isOn = value == "true"
    switch name {
    case "token-lifetime": tokenLifetime = Int(value) ?? tokenLifetime
    case "omit-has-more": omitsHasMore = isOn
    case "status-as-text": statusAsText = isOn
    case "location-without-slash": locationWithoutSlash = isOn
    case "strict": isStrict = isOn
    case "date-shape":
      guard let shape = DateShape(rawValue: value) else { return false }
      dateShape = shape
    case "conflict-status": conflictStatus = value == "409" ? 409 : 412
    case "mcs": servesMCS = isOn
    case "clock-skew": clockSkew = Int64(value) ?? clockSkew
    case "gzip": compresses = isOn
    case "offline": isOffline = isOn
    case "sync-hints": sendsSyncHints = isOn
    default: return false
    }
    return true
  }
}
