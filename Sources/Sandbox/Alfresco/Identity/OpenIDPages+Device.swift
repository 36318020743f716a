import HTTPServer

extension OpenIDPages {
  /// The page on which a person types the code that a device shows, signs in and agrees.
  @Sendable func device(_ request: SandboxRequest) -> ServerResponse {
    let fields = request.method == "POST" ? request.form() : request.server.query
    guard let typed = fields.first("user_code") else { return codeForm(nil) }
    let code = Self.normal(typed)
    let found = issuer.withState { state in
      state.devices.first { Self.normal($0.value.userCode) == code && request.now < $0.value.expires }
    }
    guard let (id, device) = found, case .open = device.decision else {
      return codeForm("Invalid code, please try again.")
    }
    let session = issuer.browserSession(request)
    guard request.method == "POST", let answer = fields.first("answer") else {
      return consent(device, isSignedIn: session != nil, error: nil)
    }
    if answer == "no" {
      issuer.withState { $0.devices[id]?.decision = .denied }
      return Page(title: "Denied", body: "<p>The device was not let in.</p>").response()
    }
    let person = issuer.person(fields.first("username") ?? "", password: fields.first("password") ?? "")
    guard let user = session?.user ?? person?.id else {
      return consent(device, isSignedIn: false, error: "Invalid username or password.")
    }
    let opened = issuer.openSession(user, at: request.now, withCookie: false)
    issuer.withState { $0.devices[id]?.decision = .granted(session: opened.id) }
    return Page(title: "Device login successful", body: "<p>You may close this window and go back to your device.</p>")
      .response()
  }

  /// Codes are compared without case and dash.
  private static func normal(_ code: String) -> String { code.uppercased().filter { $0.isLetter } }

  private func codeForm(_ error: String?) -> ServerResponse {
    let note = error.map { "<p id=\"input-error\">\(Page.escape($0))</p>" } ?? ""
    let body = """
      \(note)<form id="kc-user-verify-device-user-code-form" method="get" action="\(OpenIDRoutes.realm)/device">
      <p><label>Code <input id="device-user-code" name="user_code" autofocus autocomplete="off"></label></p>
      <p><button>Go on</button></p></form>
      """
    return Page(title: "Device login", body: body).response()
  }

  private func consent(_ device: OpenIDIssuer.Device, isSignedIn: Bool, error: String?) -> ServerResponse {
    let note = error.map { "<p id=\"input-error\">\(Page.escape($0))</p>" } ?? ""
    let login = """
      <p><label>Username <input id="username" name="username" autocomplete="username"></label></p>
      <p><label>Password <input id="password" name="password" type="password" autocomplete="current-password"></label></p>
      """
    let body = """
      \(note)<p>Let \(Page.escape(device.client)) act for you? The device shows <b>\(device.userCode)</b>.</p>
      <form id="kc-device-grant" method="post" action="\(OpenIDRoutes.realm)/device">
      <input type="hidden" name="user_code" value="\(device.userCode)">\(isSignedIn ? "" : login)
      <p><button name="answer" value="yes">Yes</button> <button name="answer" value="no">No</button></p></form>
      """
    return Page(title: "Device login", body: body).response()
  }
}
