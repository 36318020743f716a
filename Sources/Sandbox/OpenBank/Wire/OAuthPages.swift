import HTTPServer

/// The pages of an OAuth sign-in, made for a browser: log in, then go back to the app by script, by link, or by a code to type.
struct OAuthPages: Sendable {
  let bank: BankService
  let profile: OBPProfile

  func handle(_ request: SandboxRequest) -> ServerResponse {
    switch (request.method, request.segments.joined(separator: "/")) {
    case ("GET", "oauth/authorize"): return authorize(request)
    case ("POST", "user_mgt/login"): return logIn(request)
    case ("GET", "oauth/thanks"): return thanks(request.query("redirectUrl") ?? "")
    default: return Page(title: "Not found", body: "<p>There is no such page.</p>").response(404)
    }
  }

  private func authorize(_ request: SandboxRequest) -> ServerResponse {
    let token = request.query("oauth_token") ?? ""
    if let problem = problem(with: token, now: request.now) { return Page.failure(problem) }
    return form(token: token, message: nil)
  }

  private func problem(with token: String, now: SandboxTime) -> String? {
    guard !token.isEmpty else { return "There is no Token." }
    guard let known = bank.state.read({ $0.requestTokens[token] }) else { return "This token does not exist" }
    guard known.expires > now else { return "Token expired" }
    return known.consumer.isEnabled ? nil : "Application not found"
  }

  private func form(token: String, message: String?) -> ServerResponse {
    let app = bank.state.read { $0.requestTokens[token]?.consumer.name } ?? ""
    let notice = message.map { "<p id=\"error\" role=\"alert\">\(Page.escape($0))</p>" } ?? ""
    let body = """
      <p>\(Page.escape(app)) asks for access to your accounts.</p>
      \(notice)
      <form action="/user_mgt/login?oauth_token=\(Page.escape(token))" method="post">
      <p><label>User name <input name="username" autocomplete="username" autofocus></label></p>
      <p><label>Password <input name="password" type="password" autocomplete="current-password"></label></p>
      <p><button type="submit">Log in</button></p>
      </form>
      """
    return Page(title: "Log in", body: body).response(message == nil ? 200 : 401)
  }

  private func logIn(_ request: SandboxRequest) -> ServerResponse {
    let token = request.query("oauth_token") ?? ""
    if let problem = problem(with: token, now: request.now) { return Page.failure(problem) }
    let form = request.form()
    func field(_ name: String) -> String { form.first { $0.name == name }?.value ?? "" }
    do throws(OBPError) {
      let user = try OBPSignIn(bank: bank, profile: profile).check(field("username"), field("password"))
      return goBack(token: token, user: user)
    } catch {
      return self.form(token: token, message: error.message)
    }
  }

  /// Five characters, digits 0 to 8.
  private func goBack(token: String, user: BankUser) -> ServerResponse {
    var random = bank.state.makeRandom("verifier")
    let verifier = random.text(5, from: "012345678")
    let known = bank.state.write { contents -> OAuthRequestToken? in
      contents.requestTokens[token]?.verifier = verifier
      contents.requestTokens[token]?.user = user
      return contents.requestTokens[token]
    }
    guard let known else { return Page.failure("This token does not exist") }
    if known.callback == "oob" {
      return Page(
        title: "Your code", body: "<p>Type this code into the app:</p>\n<div id=\"verifier\">\(verifier)</div>"
      ).response()
    }
    guard isRegistered(known.callback, known.consumer) else {
      return Page(
        title: "Sorry",
        body: "<p>Sorry, the App requested a redirect to a URL that is not registered. "
          + "\(Page.escape(known.callback))</p>"
      ).response(400)
    }
    let joint = known.callback.contains("?") ? "&" : "?"
    let target = "\(known.callback)\(joint)oauth_token=\(token)&oauth_verifier=\(verifier)"
    return ServerResponse(
      status: 302, headers: [("Location", "/oauth/thanks?redirectUrl=\(PercentCoding.encode(target))")])
  }

  /// The part before `?` must equal the registered address, or (legacy) the registered address is its scheme and authority.
  /// Unless the profile is strict, any address on 127.0.0.1 counts as registered: an app in a terminal cannot know its port.
  private func isRegistered(_ callback: String, _ consumer: BankConsumer) -> Bool {
    let plain = String(callback.prefix { $0 != "?" })
    let parts = plain.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    let authority = parts.prefix(3).joined(separator: "/")
    let isLoopback = authority.hasPrefix("http://127.0.0.1:") && !profile.wantsExactCallbacks
    return plain == consumer.redirectURL || authority == consumer.redirectURL || isLoopback
  }

  /// Not a 302: the page leads on by script, and by a link where scripts do not run.
  private func thanks(_ target: String) -> ServerResponse {
    guard target.hasPrefix("http://") || target.hasPrefix("https://") else {
      return Page.failure("There is nowhere to go on to.")
    }
    let address = Page.escape(target)
    let body = """
      <p>Thank you. You are taken back to the app.</p>
      <p><a id="redirect-link" href="\(address)">Go on</a></p>
      <script>window.location.replace(document.getElementById("redirect-link").href);</script>
      """
    return Page(title: "Thank you", body: body).response()
  }
}
