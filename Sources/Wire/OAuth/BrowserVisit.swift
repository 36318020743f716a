package import Model

/// A visit to a sign-in page: a person is shown the address, and this process waits for the page to lead back.
package struct BrowserVisit: Sendable {
  package let connection: String
  package let asker: any Asker
  private let message: String

  package init(connection: String, asker: any Asker, message: String) {
    self.connection = connection
    self.asker = asker
    self.message = message
  }

  /// What the browser brought back. The question is withdrawn as soon as it has come; a person who cancels ends the wait.
  package func fields(
    from page: String, back listener: LoopbackListener, _ operation: String
  ) async throws(ServiceError) -> LoopbackListener.Fields {
    let question = Question(
      connection: connection, title: "Sign in to \(connection)", message: message, kind: .browser(url: page))
    return try await asker.showing(question, operation) { () async throws(OAuthError) in
      try await listener.fields()
    }
  }
}

extension Asker {
  /// Shows a question that ends by itself once `work` has brought what it waits for; a person who cancels ends the work.
  func showing<Value: Sendable>(
    _ question: Question, _ operation: String, while work: @escaping @Sendable () async throws(OAuthError) -> Value
  ) async throws(ServiceError) -> Value {
    let result = await withTaskGroup(of: Result<Value, ServiceError>?.self) { group in
      group.addTask {
        do throws(OAuthError) {
          return .success(try await work())
        } catch {
          return .failure(error.serviceError(operation))
        }
      }
      group.addTask {
        do throws(ServiceError) {
          _ = try await ask(question)
          return nil
        } catch {
          return .failure(error)
        }
      }
      for await outcome in group {
        guard let outcome else { continue }
        group.cancelAll()
        return outcome
      }
      return .failure(.cancelled(operation))
    }
    return try result.get()
  }
}
