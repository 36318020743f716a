import Wire

/// What a resource's answer says about authorization.
///
/// Only `Bearer` counts: the challenge of the authorization server itself is named `MFP-Challenge`, and a proxy may ask
/// for `Basic`. Names and the scheme are compared in any case.
public enum ResourceAnswer: Sendable, Hashable {
  /// Nothing is wrong with the authorization, whatever the status.
  case fine
  /// 401: there was no token, or it is no longer valid.
  case tokenNeeded(isInvalid: Bool)
  /// 403: the token lacks this scope; nil when the server does not name it.
  case scopeNeeded(String?)
  /// 409 with `MFP-Conflict`: the same request again, at once.
  case conflict

  public init(status: Int, headers: HTTPHeaders) {
    if status == 409 {
      self = headers["MFP-Conflict"] == nil ? .fine : .conflict
      return
    }
    // A server may send several challenges; the Bearer one is ours.
    guard status == 401 || status == 403,
      let challenge = headers.values(for: "WWW-Authenticate").first(where: Self.isBearer)
    else {
      self = .fine
      return
    }
    let parameters = Self.parameters(challenge)
    self =
      status == 401
      ? .tokenNeeded(isInvalid: parameters["error"] == "invalid_token") : .scopeNeeded(parameters["scope"])
  }

  private static func isBearer(_ value: String) -> Bool {
    let word = value.prefix { $0 != " " && $0 != "," }
    return word.lowercased() == "bearer"
  }

  /// Reads `Bearer error="x", scope="a b"`; a scope may also stand without quotes, up to the next comma.
  private static func parameters(_ challenge: String) -> [String: String] {
    var found: [String: String] = [:]
    var rest = challenge.dropFirst("bearer".count)[...]
    while let equals = rest.firstIndex(of: "=") {
      let name = rest[..<equals].split { $0 == " " || $0 == "," }.last.map { $0.lowercased() } ?? ""
      rest = rest[rest.index(after: equals)...].drop { $0 == " " }
      let value: Substring
      if rest.first == "\"" {
        rest = rest.dropFirst()
        value = rest.prefix { $0 != "\"" }
        rest = rest.dropFirst(value.count + 1)
      } else {
        value = rest.prefix { $0 != "," }
        rest = rest.dropFirst(value.count)
      }
      let trimmed = value.split(separator: " ").joined(separator: " ")
      if !name.isEmpty, !trimmed.isEmpty, found[name] == nil { found[name] = trimmed }
    }
    return found
  }
}

extension ResourceAnswer {
  /// Whether this client can cure what is wrong. Mirrors `isAuthorizationRequiredForResponse`, the form that counts a
  /// conflict in.
  public var isAuthorizationRequired: Bool { self != .fine }

  /// Whether the same request has to go out again.
  public var isConflict: Bool { self == .conflict }

  /// The scope that the resource wants, nil where it names none. Mirrors `resourceScopeFromResponse`.
  public var scope: String? {
    guard case .scopeNeeded(let scope) = self else { return nil }
    return scope
  }
}
