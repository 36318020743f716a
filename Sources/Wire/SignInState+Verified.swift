import Model

extension SignInState {
  /// The same after the server was asked who this is; nobody, when it does not know the session any more.
  ///
  /// - Parameter ask: Throws `.signInNeeded` where the server refuses; nil where it does not say the name.
  package func verified(_ ask: () async throws(ServiceError) -> String?) async throws(ServiceError) -> SignInState {
    do throws(ServiceError) {
      var state = self
      state.user = try await ask() ?? user
      return state
    } catch {
      guard error.code == .signInNeeded else { throw error }
      return SignInState(isSignedIn: false, method: method)
    }
  }
}
