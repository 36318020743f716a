import Model
import Wire

/// The calls of `OMCAuthorization` that have no use in the browser.
///
/// `authenticate:password:completionBlock:` and `authenticate:password:` are `signIn` with a request that names both;
/// `authenticateSSO:clearCookies:completionBlock:` is `signIn` for a profile of that type, on a page of the backend.
extension MobileAuthorization: CompletionCaller {
  /// Signs in as the app alone (`authenticateAnonymous:`, `authenticateAnonymous`).
  @discardableResult
  public func authenticateAnonymously() async throws(ServiceError) -> SignInState { try await signInAnonymously() }

  /// Signs in with what Facebook gave (`authenticateSocial:`, `authenticateSocial`).
  ///
  /// - Throws: `.configuration` unless the profile's type is that one.
  @discardableResult
  public func authenticateSocial(_ token: Secret) async throws(ServiceError) -> SignInState {
    guard profile.method == .facebook else {
      throw ServiceError(.configuration, "sign in", detail: "the profile's type is \(profile.method.rawValue)")
    }
    return try await exchange(token, stays: false)
  }

  /// Exchanges a third party's token (`authenticateSSOTokenExchange:completionBlock:`).
  ///
  /// - Parameter storesAccessToken: Whether it outlives the process
  ///   (`authenticateSSOTokenExchange:storeAccessToken:completionBlock:`).
  @discardableResult
  public func authenticate(
    exchanging token: Secret, storesAccessToken: Bool = false
  ) async throws(ServiceError) -> SignInState {
    try await exchange(token, stays: storesAccessToken)
  }

  /// Whether a token is kept that is still good for this backend; it is used from now on (`loadSSOTokenExchange`).
  public func loadKeptToken() async throws(ServiceError) -> Bool { try await credential() != nil }

  /// Forgets the token, here and where it is kept (`clearSSOTokenExchange`).
  public func clearKeptToken() async throws(ServiceError) { try await endSession() }

  /// What calls carry; in HTTP Basic the user's name alone, as the password is nobody's business (`accessToken`).
  public func accessToken() async throws(ServiceError) -> Secret? {
    guard let credential = try await credential() else { return nil }
    return credential.form == .basic ? credential.user.map { Secret($0) } : credential.secret
  }

  /// Whether somebody is signed in and the token has not ended (`validateToken:`); the server is not asked.
  ///
  /// - Parameter renews: Gets another token with what was entered before in this process. The server knows no other way.
  public func validateToken(renews: Bool = false) async throws(ServiceError) -> Bool {
    if try await credential() != nil { return true }
    guard renews, let renewal else { return false }
    return try await signInOnline(renewal.user, renewal.password).isSignedIn
  }

  /// Whether who signed in before may do so without the server (`offlineAuthenticationEnabled`).
  public var isOfflineAuthenticationEnabled: Bool { profile.enablesOffline }
}
