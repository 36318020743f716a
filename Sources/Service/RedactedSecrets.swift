import Model
import Wire

/// Makes every secret known to the exchange log before anybody can send it.
package struct RedactedSecrets: SecretResolver {
  private let sources: any SecretResolver
  private let redactor: Redactor

  package init(_ sources: any SecretResolver, _ redactor: Redactor) {
    self.sources = sources
    self.redactor = redactor
  }

  package func resolve(_ source: SecretSource) async throws(ServiceError) -> Secret {
    let secret = try await sources.resolve(source)
    redactor.register(secret)
    return secret
  }
}

/// The same for what sign-ins keep.
package struct RedactedKeeper: SecretKeeper {
  private let keeper: any SecretKeeper
  private let redactor: Redactor

  package init(_ keeper: any SecretKeeper, _ redactor: Redactor) {
    self.keeper = keeper
    self.redactor = redactor
  }

  package var isLasting: Bool { keeper.isLasting }

  package func secret(named name: String) async throws(ServiceError) -> Secret? {
    let secret = try await keeper.secret(named: name)
    if let secret { redactor.register(secret) }
    return secret
  }

  package func keep(_ secret: Secret, named name: String) async throws(ServiceError) {
    redactor.register(secret)
    try await keeper.keep(secret, named: name)
  }

  package func remove(named name: String) async throws(ServiceError) { try await keeper.remove(named: name) }
}

/// The same for what a person types.
package struct RedactedAsker: Asker {
  private let asker: any Asker
  private let redactor: Redactor

  package init(_ asker: any Asker, _ redactor: Redactor) {
    self.asker = asker
    self.redactor = redactor
  }

  package func ask(_ question: Question) async throws(ServiceError) -> Answer {
    let answer = try await asker.ask(question)
    if case .fields(let fields) = answer, case .form(let form, _) = question.kind {
      for field in form where field.kind == .secret { fields[field.id].map(redactor.register) }
    }
    return answer
  }
}
