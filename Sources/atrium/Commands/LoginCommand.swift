import Model
import Service

enum LoginCommand {
  static let command = Command(
    "login", ["CONNECTION"], "sign in",
    details: [
      "Signing in on a web page opens $BROWSER, or xdg-open, and waits on a loopback port.",
      "What is asked and said goes to standard error.",
    ],
    options: [
      Option("user", value: "NAME", "sign in as this user"),
      Option("password-stdin", "the password is the first line of standard input"),
      Option("token-stdin", "a third party's token to exchange is the first line of standard input"),
      Option("no-browser", "only print the address to open"),
      Option("device", "show a code to enter on another device"),
      Option("oob", "print the address and read the verifier from standard input"),
      Option("check", value: "NAME", "sign in to one security check"),
    ],
    arguments: 1...1, run: run)

  private static func run(_ session: Session) async throws(ServiceError) -> Int32 {
    let name = try session.connectionName(session.arguments[0])
    try checkPage(name, session)
    let request = try await request(session)
    let pages = TerminalAsker.Pages(opens: request.page == .open, readsVerifier: request.page == .outOfBand)
    let service = try session.service(
      asker: TerminalAsker(session, pages: pages), offer: Prompt.isPossible ? .always : .never)
    // What is obtained is to be kept: better to hear now that it cannot be.
    if let keeper = session.keeper, keeper.isLasting { try await keeper.open() }
    let state = try await service.signIn(name, request)
    session.tell("Signed in to \(name)\(state.user.map { " as \($0)" } ?? "").")
    if !service.keepsSecrets { session.say(.warning, "there is no vault, so nothing is kept: this sign-in ends here") }
    return ExitStatus.done
  }

  /// By which methods of `auth` a sign-in goes through a device code, and through a verifier that is typed.
  private static let methods = ["device": ["device", "pkce", "oidc"], "oob": ["oauth1"]]

  private static func checkPage(_ name: String, _ session: Session) throws(ServiceError) {
    let connection = try session.configuration().requiredConnection(named: name)
    let method = try connection.settings.text("auth.method")
    for (option, suited) in methods where session.invocation.has(option) && !suited.contains(method ?? "") {
      throw ServiceError(
        .usage, "sign in to \(name)",
        detail: "--\(option) does not go with \(method.map { "auth.method: \($0)" } ?? "its way of signing in")",
        remedy: "It goes with auth.method \(suited.joined(separator: " or ")); leave it out.")
    }
  }

  private static func request(_ session: Session) async throws(ServiceError) -> SignInRequest {
    let invocation = session.invocation
    let chosen = ["no-browser", "device", "oob"].filter(invocation.has)
    guard chosen.count < 2 else {
      throw .usage("--\(chosen[0]) and --\(chosen[1]) exclude each other", invocation.command)
    }
    let isPassword = invocation.has("password-stdin")
    guard !isPassword || !invocation.has("token-stdin") else {
      throw .usage("--password-stdin and --token-stdin exclude each other", invocation.command)
    }
    var request = SignInRequest(user: invocation.value("user"), check: invocation.value("check"))
    switch chosen.first {
    case "no-browser": request.page = .print
    case "device": request.page = .device
    case "oob": request.page = .outOfBand
    default: break
    }
    guard isPassword || invocation.has("token-stdin") else { return request }
    guard let line = await Prompt.firstLine(), !line.isEmpty else {
      throw .usage("standard input has no first line", invocation.command)
    }
    if isPassword { request.password = line } else { request.token = line }
    return request
  }
}

enum LogoutCommand {
  static let command = Command(
    "logout", ["CONNECTION"], "sign out, at the server too",
    options: [
      Option("unregister", "also delete the registration of this device or application"),
      Option("check", value: "NAME", "sign out of one security check"),
    ],
    arguments: 1...1, run: run)

  private static func run(_ session: Session) async throws(ServiceError) -> Int32 {
    let name = try session.connectionName(session.arguments[0])
    let request = SignOutRequest(
      unregisters: session.invocation.has("unregister"), check: session.invocation.value("check"))
    try await session.service().signOut(name, request)
    session.tell("Signed out of \(name).")
    return ExitStatus.done
  }
}
