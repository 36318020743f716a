import FoundationEssentials
import Model
import Wire

/// OAuth 1.0a in three steps: a request token, a person's consent in a browser, an access token.
///
/// - SeeAlso: Reference, section 1.2. Only servers of the older generation offer it.
struct OAuth1SignIn: Sendable {
  let connection: String
  let settings: OpenBankSettings
  let signer: OAuth1Signer
  let transport: any Transport
  let surroundings: Surroundings
  private static let operation = "sign in"

  func signIn(_ page: SignInRequest.Page) async throws(ServiceError) -> OpenBankToken {
    if page == .outOfBand { return try await signInOutOfBand() }
    let (port, path) = try redirect()
    let callback = settings.redirectURL ?? "http://127.0.0.1:\(port)\(path)"
    let request = try await requestToken(callback: callback)
    let listener = try LoopbackListener(
      port: port, path: path, expecting: .init("oauth_token", request.key.reveal()))
    defer { listener.stop() }
    let visit = BrowserVisit(
      connection: connection, asker: surroundings.asker,
      message: "Sign in on the bank's own page; it leads back here by itself.")
    let fields = try await visit.fields(
      from: authorizePage(request), back: listener, OAuth1SignIn.operation)
    guard let verifier = fields.first(where: { $0.name == "oauth_verifier" })?.value, !verifier.isEmpty else {
      throw ServiceError(.signInRefused, OAuth1SignIn.operation, detail: "the page led back without a verifier")
    }
    return try await accessToken(request, verifier: verifier)
  }

  /// The page shows the verifier, and a person types it here.
  private func signInOutOfBand() async throws(ServiceError) -> OpenBankToken {
    let request = try await requestToken(callback: "oob")
    let answer = try await surroundings.asker.ask(
      Question(
        connection: connection, title: "Sign in to \(connection)", message: "open \(authorizePage(request))",
        kind: .form([FormField("verifier", "Verifier that the page shows")], submit: "Sign in")))
    guard case .fields(let fields) = answer, let verifier = fields["verifier"], !verifier.isEmpty else {
      throw .cancelled(OAuth1SignIn.operation)
    }
    return try await accessToken(request, verifier: verifier.reveal().filter { !$0.isWhitespace })
  }

  private func authorizePage(_ token: OAuth1Signer.Token) -> String {
    "\(settings.server.authOrigin)\(settings.paths.authorize)?oauth_token=\(URLForm.escape(token.key.reveal()))"
  }

  /// Where the browser comes back to: as registered, or any free port.
  ///
  /// The server must know the port before the request token exists that the listener waits for. So a free one is found
  /// by listening for a moment.
  private func redirect() throws(ServiceError) -> (port: UInt16, path: String) {
    if let text = settings.redirectURL {
      // The verifier comes back there: to this machine alone.
      guard let url = URL(string: text), let port = url.port.flatMap({ UInt16(exactly: $0) }), url.scheme == "http",
        url.user() == nil, let host = url.host(), ["127.0.0.1", "localhost"].contains(host.lowercased())
      else {
        throw ServiceError(
          .configuration, OAuth1SignIn.operation, detail: "redirectURL “\(text)” must be http://127.0.0.1:PORT/PATH")
      }
      return (port, url.path.isEmpty ? "/" : url.path)
    }
    let trial = try LoopbackListener(expecting: .init("oauth_token", "none"))
    defer { trial.stop() }
    guard let port = URL(string: trial.redirectURL)?.port.flatMap({ UInt16(exactly: $0) }) else {
      throw ServiceError(.failed, OAuth1SignIn.operation, detail: "no port is free on this machine")
    }
    return (port, "/callback")
  }

  // MARK: Tokens

  private func requestToken(callback: String) async throws(ServiceError) -> OAuth1Signer.Token {
    let fields = try await post(settings.paths.request, token: nil, extra: [(name: "oauth_callback", value: callback)])
    guard fields.confirmed == "true" else {
      throw ServiceError(.unreadable, OAuth1SignIn.operation, detail: "the server did not confirm the callback")
    }
    return fields.token
  }

  private func accessToken(_ request: OAuth1Signer.Token, verifier: String) async throws(ServiceError) -> OpenBankToken
  {
    let extra = [(name: "oauth_verifier", value: verifier)]
    let token = try await post(settings.paths.token, token: request, extra: extra).token
    return OpenBankToken(
      form: .oauth1, value: token.key, companion: token.secret, origin: settings.server.authOrigin)
  }

  /// Both steps are a signed POST with an empty form body that answers a form.
  private func post(
    _ path: String, token: OAuth1Signer.Token?, extra: [(name: String, value: String)]
  ) async throws(ServiceError) -> (token: OAuth1Signer.Token, confirmed: String?) {
    guard let url = URL(string: settings.server.authOrigin + path) else {
      throw ServiceError(.configuration, OAuth1SignIn.operation, detail: "authURL is no address")
    }
    var request = HTTPRequest.form(url, [], label: OAuth1SignIn.operation)
    request.headers["Authorization"] = signer.authorization(
      "POST", url, token: token, extra: extra, nonce: OpenBankSession.nonce(surroundings.randomBytes),
      now: surroundings.clock.now())
    let response: HTTPResponse
    do {
      response = try await transport.send(request)
    } catch {
      throw error.serviceError(OAuth1SignIn.operation)
    }
    guard response.isSuccess else { throw refusal(response) }
    let fields = URLForm.decode(response.text)
    let value = { (name: String) in fields.first { $0.name == name }?.value }
    guard let key = value("oauth_token"), let secret = value("oauth_token_secret"), !key.isEmpty else {
      throw ServiceError(
        .unreadable, OAuth1SignIn.operation, detail: "the answer holds no token", status: response.status)
    }
    return (.init(key: Secret(key), secret: Secret(secret)), value("oauth_callback_confirmed"))
  }

  /// The words are the server's; they arrive as plain text (reference, section 1.2).
  private func refusal(_ response: HTTPResponse) -> ServiceError {
    let fault = OpenBankFault(response)
    let remedy: String? =
      if fault.words.contains("Invalid signature") {
        "Check consumerSecret, and set auth.serverURL to the server's own idea of its address."
      } else if response.status == 404 {
        "This server has no OAuth 1.0a: use auth.method: direct or oidc."
      } else if fault.words.contains("timestamp") {
        "Set this machine's clock right."
      } else {
        nil
      }
    let error = fault.error(OAuth1SignIn.operation, asSignIn: true)
    return ServiceError(
      error.code == .failed ? .signInRefused : error.code, error.operation, detail: error.detail,
      remedy: remedy ?? error.remedy, status: error.status, serverCode: error.serverCode)
  }
}
