public import JSON
public import Model
public import Wire

// The same with a completion that arrives on the main actor.

extension AuthorizationManager {
  @discardableResult
  public func accessToken(
    for scope: Scope = .standard, _ completion: @escaping Completion<AccessToken>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.accessToken(for: scope) }
  }

  @discardableResult
  public func login(
    check: String, credentials: JSONNode?, _ completion: @escaping Completion<CheckSuccess?>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in
      try await self.login(check: check, credentials: credentials)
    }
  }

  @discardableResult
  public func logout(check: String, _ completion: @escaping Completion<Void>) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.logout(check: check) }
  }

  @discardableResult
  public func introspect(_ token: Secret, _ completion: @escaping Completion<Introspection>) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.introspect(token) }
  }
}

extension ProtectedResource {
  @discardableResult
  public func send(
    _ request: ResourceRequest, _ completion: @escaping Completion<ResourceReply>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.send(request) }
  }
}

extension ConfidentialClient {
  @discardableResult
  public func token(scope: Scope, _ completion: @escaping Completion<AccessToken>) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.token(scope: scope) }
  }
}
