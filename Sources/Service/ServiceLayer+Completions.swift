import Model

// The forms for the UI loop: a completion, called exactly once on the main actor, and a handle that cancels.
extension ServiceLayer {
  @MainActor @discardableResult
  package func list(
    _ location: Location, _ query: ListQuery = ListQuery(),
    completion: @escaping @MainActor (Result<Listing, ServiceError>) -> Void
  ) -> RequestHandle {
    read(completion) { [self] () async throws(ServiceError) in try await list(location, query) }
  }

  @MainActor @discardableResult
  package func item(
    _ location: Location, completion: @escaping @MainActor (Result<Item, ServiceError>) -> Void
  ) -> RequestHandle {
    read(completion) { [self] () async throws(ServiceError) in try await item(location) }
  }

  @MainActor @discardableResult
  package func charts(
    of location: Location, completion: @escaping @MainActor (Result<[Chart], ServiceError>) -> Void
  ) -> RequestHandle {
    read(completion) { [self] () async throws(ServiceError) in try await charts(of: location) }
  }

  @MainActor @discardableResult
  package func exportFormats(
    of location: Location, completion: @escaping @MainActor (Result<[ExportFormat], ServiceError>) -> Void
  ) -> RequestHandle {
    read(completion) { [self] () async throws(ServiceError) in try await exportFormats(of: location) }
  }

  @MainActor @discardableResult
  package func nature(
    of location: Location, completion: @escaping @MainActor (Result<LocationNature, ServiceError>) -> Void
  ) -> RequestHandle {
    read(completion) { [self] () async throws(ServiceError) in try await nature(of: location) }
  }

  @MainActor @discardableResult
  package func search(
    _ connection: String, _ request: SearchRequest,
    completion: @escaping @MainActor (Result<Listing, ServiceError>) -> Void
  ) -> RequestHandle {
    read(completion) { [self] () async throws(ServiceError) in try await search(connection, request) }
  }

  /// Content of at most `maxBytes`, for the viewer.
  @MainActor @discardableResult
  package func content(
    _ location: Location, maxBytes: Int, completion: @escaping @MainActor (Result<Content, ServiceError>) -> Void
  ) -> RequestHandle {
    read(completion) { [self] () async throws(ServiceError) in try await content(location, maxBytes: maxBytes) }
  }

  @MainActor @discardableResult
  package func delete(
    _ location: Location, completion: @escaping @MainActor (Result<ActionOutcome, ServiceError>) -> Void
  ) -> RequestHandle {
    write(completion) { [self] () async throws(ServiceError) in try await delete(location) }
  }

  @MainActor @discardableResult
  package func perform(
    _ action: String, at location: Location, fields: [String: String],
    completion: @escaping @MainActor (Result<ActionOutcome, ServiceError>) -> Void
  ) -> RequestHandle {
    write(completion) { [self] () async throws(ServiceError) in
      try await perform(action, at: location, fields: fields)
    }
  }

  @MainActor @discardableResult
  package func signIn(
    _ connection: String, _ request: SignInRequest = SignInRequest(),
    completion: @escaping @MainActor (Result<SignInState, ServiceError>) -> Void
  ) -> RequestHandle {
    write(completion) { [self] () async throws(ServiceError) in try await signIn(connection, request) }
  }

  @MainActor @discardableResult
  package func signOut(
    _ connection: String, _ request: SignOutRequest = SignOutRequest(),
    completion: @escaping @MainActor (Result<Void, ServiceError>) -> Void
  ) -> RequestHandle {
    write(completion) { [self] () async throws(ServiceError) in try await signOut(connection, request) }
  }

  @MainActor @discardableResult
  package func signInState(
    _ connection: String, verifying: Bool = false,
    completion: @escaping @MainActor (Result<SignInState, ServiceError>) -> Void
  ) -> RequestHandle {
    read(completion) { [self] () async throws(ServiceError) in
      try await signInState(connection, verifying: verifying)
    }
  }

  @MainActor
  private func read<Value: Sendable>(
    _ completion: @escaping @MainActor (Result<Value, ServiceError>) -> Void,
    _ work: @escaping @Sendable () async throws(ServiceError) -> Value
  ) -> RequestHandle {
    RequestHandle(isRead: true, completion, work)
  }

  @MainActor
  private func write<Value: Sendable>(
    _ completion: @escaping @MainActor (Result<Value, ServiceError>) -> Void,
    _ work: @escaping @Sendable () async throws(ServiceError) -> Value
  ) -> RequestHandle {
    RequestHandle(isRead: false, completion, work)
  }
}
