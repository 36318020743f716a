import Model
import Service

/// Finds out how connections stand, without asking anybody.
enum ConnectionCheck {
  /// Who is signed in: what the server says, after signing in where the configuration suffices.
  static func signIn(_ name: String, _ service: ServiceLayer) async throws(ServiceError) -> SignInState {
    let state = try await service.signInState(name, verifying: true)
    if state.isSignedIn { return state }
    do {
      return try await service.signIn(name)
    } catch {
      // Nobody is there to give what is missing: not signed in, and no failure.
      guard error.code == .signInNeeded || error.code == .notOffered else { throw error }
      return state
    }
  }

  /// The same for several connections at once, in their order.
  static func signIns(_ names: [String], _ service: ServiceLayer) async -> [Result<SignInState, ServiceError>] {
    await all(names) { name throws(ServiceError) in try await signIn(name, service) }
  }

  /// Signs in where possible and asks the server for something.
  static func reach(_ name: String, _ service: ServiceLayer) async throws(ServiceError) -> SignInState {
    let state = try await signIn(name, service)
    do {
      _ = try await service.item(Location(connection: name))
    } catch {
      switch error.code {
      case .notOffered, .usage, .notFound, .signInNeeded: break
      default: throw error
      }
    }
    return state
  }

  /// What a server that can be asked without credentials says it offers; nil for all others.
  static func offer(_ name: String, _ kind: BackendKind, _ service: ServiceLayer) async -> String? {
    guard kind == .openbank else { return nil }
    let place = Location(connection: name)
    return try? await service.perform("probe", at: place, fields: [:]).message
  }

  static func all<Value: Sendable>(
    _ names: [String], _ check: @escaping @Sendable (String) async throws(ServiceError) -> Value
  ) async -> [Result<Value, ServiceError>] {
    await withTaskGroup(of: (Int, Result<Value, ServiceError>).self) { group in
      for (index, name) in names.enumerated() {
        group.addTask {
          do throws(ServiceError) {
            return (index, .success(try await check(name)))
          } catch {
            return (index, .failure(error))
          }
        }
      }
      var results: [(Int, Result<Value, ServiceError>)] = []
      for await result in group { results.append(result) }
      return results.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }
}
