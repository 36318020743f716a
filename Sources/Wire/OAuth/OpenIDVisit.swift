package import Model

/// A person's way to an OpenID provider and back: over its page, or by a code on another device.
package struct OpenIDVisit: Sendable {
  /// What it brought; the identity only after its signature and claims were found right.
  package struct Gain: Sendable {
    package let tokens: OAuthTokens
    package let identity: IDToken?
  }

  package let connection: String
  package let client: OAuth2Client
  package let scope: String
  /// Where the page leads back to; 0 for any free port.
  package let redirectPort: UInt16
  /// Whether an answer without an identity token is refused.
  package let demandsIdentity: Bool
  /// Whom the token is for, where a provider must be told (Auth0); it then shows its form, too, whoever is signed in.
  package let audience: String?
  package let surroundings: Surroundings
  private static let operation = "sign in"

  package init(
    connection: String, client: OAuth2Client, scope: String, redirectPort: UInt16, demandsIdentity: Bool,
    audience: String? = nil, surroundings: Surroundings
  ) {
    self.connection = connection
    self.client = client
    self.scope = scope
    self.redirectPort = redirectPort
    self.demandsIdentity = demandsIdentity
    self.audience = audience
    self.surroundings = surroundings
  }

  /// The client of a provider that is found by its issuer.
  package static func client(
    issuer: String, clientID: String, secret: Secret?, transport: any Transport, clock: any WallClock
  ) async throws(ServiceError) -> OAuth2Client {
    do throws(OAuthError) {
      let provider = try await OAuthProvider.discover(issuer, over: transport)
      return OAuth2Client(
        provider, clientID: clientID, authentication: secret.map { .basic($0) } ?? .none, transport: transport,
        clock: clock)
    } catch {
      throw error.serviceError("find the sign-in service")
    }
  }

  /// Authorization code with PKCE (RFC 7636), brought back over a loopback redirect (RFC 8252).
  ///
  /// - Parameter message: Tells the person what to do.
  package func throughPage(_ message: String) async throws(ServiceError) -> Gain {
    let (state, nonce) = (word(), word())
    let pkce = PKCE(randomBytes: surroundings.randomBytes)
    let listener = try listener(state)
    defer { listener.stop() }
    let visit = BrowserVisit(connection: connection, asker: surroundings.asker, message: message)
    let page = try words { () throws(OAuthError) in
      try client.authorizationURL(
        redirect: listener.redirectURL, scope: scope, state: state, nonce: nonce, pkce: pkce,
        extra: audience.map { [("audience", $0), ("prompt", "login")] } ?? [])
    }
    let fields = try await visit.fields(from: page.absoluteString, back: listener, Self.operation)
    do throws(OAuthError) {
      let answer = try AuthorizationAnswer(fields, state: state, issuer: client.provider.issuer)
      let tokens = try await client.redeem(code: answer.code, redirect: listener.redirectURL, pkce: pkce)
      return try await gain(tokens, nonce: nonce)
    } catch {
      throw error.serviceError(Self.operation)
    }
  }

  /// The device grant (RFC 8628): a person types a code at an address, on whatever device has a browser.
  package func onAnotherDevice() async throws(ServiceError) -> Gain {
    do {
      let grant = try await client.startDevice(scope: scope, audience: audience)
      // Migrated realms ask to wait for minutes; somebody who is not told gives up.
      let wait = grant.interval > 30 ? " The service lets us look for it every \(grant.interval) seconds only." : ""
      let question = Question(
        connection: connection, title: "Sign in to \(connection)",
        message: "Open the address on any device and enter the code.\(wait)",
        kind: .device(code: grant.userCode, url: grant.verificationURL, expires: grant.expires))
      let tokens = try await surroundings.asker.showing(question, Self.operation) {
        [client] () async throws(OAuthError) in try await client.awaitDevice(grant)
      }
      return try await gain(tokens, nonce: nil)
    } catch let error as OAuthError {
      throw error.serviceError(Self.operation)
    } catch let error as ServiceError {
      throw error
    } catch {
      throw ServiceError(.failed, Self.operation, cause: error)
    }
  }

  private func gain(_ tokens: OAuthTokens, nonce: String?) async throws(OAuthError) -> Gain {
    guard let id = tokens.id else {
      if demandsIdentity { throw OAuthError(.unreadable, "the answer holds no identity token") }
      return Gain(tokens: tokens, identity: nil)
    }
    return Gain(tokens: tokens, identity: try await client.verify(id, nonce: nonce))
  }

  /// On 127.0.0.1, which providers let any port pass for; on [::1] only where there is no such address.
  private func listener(_ state: String) throws(ServiceError) -> LoopbackListener {
    do throws(ServiceError) {
      return try LoopbackListener(port: redirectPort, expecting: .init("state", state))
    } catch {
      guard redirectPort == 0,
        let other = try? LoopbackListener(address: "::1", expecting: .init("state", state))
      else { throw error }
      return other
    }
  }

  private func words<Value>(_ work: () throws(OAuthError) -> Value) throws(ServiceError) -> Value {
    do throws(OAuthError) { return try work() } catch { throw error.serviceError(Self.operation) }
  }

  /// Never the same twice: 128 unpredictable bits.
  private func word() -> String {
    surroundings.randomBytes(16).map { byte in
      let digits = String(byte, radix: 16)
      return byte < 16 ? "0" + digits : digits
    }.joined()
  }
}
