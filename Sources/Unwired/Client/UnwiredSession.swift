import FoundationEssentials
import Model
import Synchronization
import Wire

/// What a client holds while it is connected: credentials, the connection id, cookies, the CSRF token.
public final class UnwiredSession: Sendable {
  private struct State {
    var user: String?
    var password: Secret?
    var connectionID: String?
    var version = "latest"
    var cookies: [(name: String, value: Secret)] = []
    /// Cookies of the connection's own, which no answer takes back (`httpCookies`).
    var ownCookies: [(name: String, value: Secret)] = []
    var csrf: Secret?
    /// Keeps others from using an anonymous registration (`X-SUP-SECTOKEN`).
    var securityToken: Secret?
  }

  private let state = Mutex(State())

  public init() {}

  public var user: String? { state.withLock(\.user) }
  /// Names the registration of this application on this device for this user.
  public var connectionID: String? { state.withLock(\.connectionID) }
  /// Version of the registration service that this server knows.
  var version: String { state.withLock(\.version) }
  var isSignedIn: Bool { state.withLock { $0.password != nil && $0.connectionID != nil } }
  var csrf: Secret? { state.withLock(\.csrf) }

  public func use(user: String, password: Secret) {
    state.withLock { state in
      // Cookies would go on speaking for whoever came before.
      if state.user != user || state.password != password {
        state.cookies = []
        state.csrf = nil
      }
      state.user = user
      state.password = password
    }
  }

  public func connected(as id: String?) {
    state.withLock { state in
      if state.connectionID != id, state.connectionID != nil { state.securityToken = nil }
      state.connectionID = id
    }
  }

  var securityToken: Secret? { state.withLock(\.securityToken) }
  func keep(securityToken: Secret?) { state.withLock { $0.securityToken = securityToken } }

  func send(cookies: [(name: String, value: Secret)]) { state.withLock { $0.ownCookies = cookies } }

  func use(version: String) { state.withLock { $0.version = version } }

  /// Forgets credentials, cookies and CSRF token; the registration stays.
  public func disconnect() {
    state.withLock { state in
      (state.user, state.password, state.csrf, state.cookies) = (nil, nil, nil, [])
    }
  }

  /// Ends the session with the server, and what counts only within it.
  func forgetCookies() {
    state.withLock { state in
      state.cookies = []
      state.csrf = nil
    }
  }

  func keep(csrf: Secret?) { state.withLock { $0.csrf = csrf } }

  /// Takes the cookies of an answer, and its security token; an empty or outdated cookie is dropped.
  func take(cookiesOf response: HTTPResponse) {
    if let token = response.headers[Self.tokenHeader], !token.isEmpty { keep(securityToken: Secret(token)) }
    let pairs = response.headers.values(for: "Set-Cookie").compactMap { header -> (String, Secret?)? in
      let parts = header.split(separator: ";", omittingEmptySubsequences: false)
      guard let first = parts.first, let equals = first.firstIndex(of: "=") else { return nil }
      let name = first[..<equals].filter { $0 != " " }
      let value = String(first[first.index(after: equals)...])
      let ends = parts.dropFirst().contains { $0.lowercased().filter { $0 != " " } == "max-age=0" }
      return name.isEmpty ? nil : (name, value.isEmpty || ends ? nil : Secret(value))
    }
    guard !pairs.isEmpty else { return }
    state.withLock { state in
      for (name, value) in pairs {
        state.cookies.removeAll { $0.name == name }
        if let value { state.cookies.append((name, value)) }
      }
    }
  }

  private static let tokenHeader = "X-SUP-SECTOKEN"

  /// Headers of every request to the connection's own server.
  func headers(isPublic: Bool) -> HTTPHeaders {
    state.withLock { state in
      var headers: HTTPHeaders = ["X-Requested-With": "XMLHttpRequest"]
      if let id = state.connectionID { headers["X-SMP-APPCID"] = id }
      if let token = state.securityToken { headers[Self.tokenHeader] = token.reveal() }
      guard !isPublic else { return headers }
      if let user = state.user, let password = state.password {
        headers["Authorization"] = "Basic " + Data("\(user):\(password.reveal())".utf8).base64EncodedString()
      }
      let cookies = state.ownCookies + state.cookies
      if !cookies.isEmpty {
        headers["Cookie"] = cookies.map { "\($0.name)=\($0.value.reveal())" }.joined(separator: "; ")
      }
      return headers
    }
  }
}
