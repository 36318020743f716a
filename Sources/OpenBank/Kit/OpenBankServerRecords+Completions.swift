import Model
import Wire

/// The same with a completion that arrives on the main actor; cancelling the task ends the work.
extension OpenBankServerRecords {
  /// `removeEntry:` of OBPKit.
  @discardableResult
  public func remove(
    _ record: OpenBankServerRecord, _ completion: @escaping Completion<Void>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.remove(record) }
  }

  @discardableResult
  public func setClient(
    key: Secret, secret: Secret, of record: OpenBankServerRecord, _ completion: @escaping Completion<Void>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in
      try await self.setClient(key: key, secret: secret, of: record)
    }
  }

  @discardableResult
  public func standing(
    of record: OpenBankServerRecord, _ completion: @escaping Completion<Standing>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.standing(of: record) }
  }
}

extension OpenBankSessions {
  /// `removeSession:` of OBPKit.
  @discardableResult
  public func remove(
    _ record: OpenBankServerRecord, _ completion: @escaping Completion<Void>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.remove(record) }
  }
}
