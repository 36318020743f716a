import JSON
import Model
import Synchronization
import Wire

/// What a server turned out to be.
public struct OpenBankProbe: Sendable, Hashable {
  /// The two lines of servers, which differ in more than their versions (reference, section 0.3).
  public enum Generation: String, Sendable { case lift, http4s }
  public let generation: Generation
  /// Who runs it, in its own words.
  public let organisation: String?
  /// Versions that answered, newest first.
  public let versions: [APIVersion]
  /// How one can sign in here.
  public let methods: [OpenBankSession.Method]
}

extension OpenBankClient {
  /// Asks which versions and methods of signing in the server really has; sends no credentials.
  public func probe() async throws(ServiceError) -> OpenBankProbe {
    var versions: [APIVersion] = []
    var organisation: String?
    for version in [APIVersion(6, 0, 0), .standard] + APIVersion.fallbacks {
      guard let root = try await root(of: version) else { continue }
      versions.append(version)
      organisation = organisation ?? root["hosted_by"]["organisation"].string
    }
    let hasOAuth = try await offersOAuth1()
    let hasOpenID = try await offersOpenID(versions)
    var methods: [OpenBankSession.Method] = [.none]
    if try await offersDirectLogin() { methods.append(.direct) }
    if hasOAuth { methods.append(.oauth1) }
    if hasOpenID { methods.append(.oidc) }
    return OpenBankProbe(
      generation: hasOAuth ? .lift : .http4s, organisation: organisation, versions: versions, methods: methods)
  }

  /// The front page of a version; nil when the server has not got it.
  private func root(of version: APIVersion) async throws(ServiceError) -> JSONValue? {
    do {
      return try await exchange("/root", for: .anybody, version: version, "ask for version \(version)").root
    } catch {
      guard error.code == .notFound || error.status == 400 else { throw error }
      return nil
    }
  }

  /// Servers with OAuth answer plain text that names what is missing; those without know no such address.
  private func offersOAuth1() async throws(ServiceError) -> Bool {
    let response = try await bare("POST", "/oauth/initiate")
    return response.status == 400 || response.status == 401
  }

  /// Without credentials the address answers that they are missing, where there is one.
  private func offersDirectLogin() async throws(ServiceError) -> Bool {
    let response = try await bare("POST", "/my/logins/direct")
    return response.status == 400 || response.status == 401
  }

  private func offersOpenID(_ versions: [APIVersion]) async throws(ServiceError) -> Bool {
    guard let newest = versions.first, newest >= .standard else { return false }
    do {
      let answer = try await exchange("/well-known", for: .anybody, version: newest, "ask for identity providers")
      return answer.root["well_known_uris"].count > 0
    } catch {
      guard error.code == .notFound || error.status == 400 else { throw error }
      return false
    }
  }

  private func bare(_ method: String, _ path: String) async throws(ServiceError) -> HTTPResponse {
    try await OpenBankCall(method, to: server.authOrigin + path, "ask how to sign in").send(over: transport)
  }

  /// Finds the version to speak where the address names none: the standard one, or the newest older one that is there.
  func settleVersion() async throws(ServiceError) {
    guard needsVersion else { return }
    var reason: String?
    for version in [APIVersion.standard] + APIVersion.fallbacks {
      do throws(ServiceError) {
        guard try await root(of: version) != nil else { continue }
        speak(version)
        return
      } catch {
        // Something answers there, and it is not this API.
        guard error.code == .unreadable || error.code == .forbidden else { throw error }
        reason = reason ?? error.detail
      }
    }
    let found = reason.map { ": \($0)" } ?? ""
    throw ServiceError(
      .unreadable, "find the API behind “\(session.settings.server.address)”",
      detail: "no version from v2.0.0 to v5.1.0 answers at \(server.base)\(found)",
      remedy: "Correct the connection's url, or write the version into it: \(server.base)/vX.Y.Z.")
  }
}

/// Whether the server has the version that the address names; asked only when a call was unknown to it.
final class VersionStanding: Sendable {
  private struct State {
    var isChecked = false
    var missing: APIVersion?
  }

  private let state = Mutex(State())

  /// Whether the call may be unknown, or the version off, because the server has not got the version at all.
  static func isDoubted(by error: ServiceError) -> Bool {
    ["OBP-10404", "OBP-00008", "OBP-00027"].contains(error.serverCode)
  }

  /// The version that was asked for and is not there.
  var missing: APIVersion? { state.withLock { $0.missing } }

  /// True once: for whoever has to ask the server.
  func beginCheck() -> Bool {
    state.withLock { state in
      defer { state.isChecked = true }
      return !state.isChecked
    }
  }

  func found(missing version: APIVersion) { state.withLock { $0.missing = version } }
}

extension OpenBankClient {
  /// Goes on in a version that the server has, where it does not know the one in the address.
  ///
  /// - Returns: Whether another version is spoken now.
  func leaveUnknownVersion() async throws(ServiceError) -> Bool {
    let named = version
    guard standing.beginCheck(), try await root(of: named) == nil else { return false }
    for version in [APIVersion.standard] + APIVersion.fallbacks where version != named {
      guard try await root(of: version) != nil else { continue }
      speak(version)
      standing.found(missing: named)
      return true
    }
    return false
  }

  /// What to say of a version in the address that the server has not got; nil where all is well.
  var versionNotice: String? {
    standing.missing.map { "This server has no \($0): \(version) is spoken instead. Correct the connection's url." }
  }
}
