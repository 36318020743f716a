import JSON
import Model
import Wire

/// The policies that a backend gives to its apps (`OMCAppConfig`), each read as the type that the app expects.
public struct MobileAppConfig: Sendable {
  private let document: JSONDocument?

  /// Nothing loaded yet: every policy has its default.
  init() { document = nil }
  init(_ answer: MobileAnswer) { document = answer.document }

  private func value(_ name: String) -> JSONValue? {
    let value = document?.root[name]
    return value?.exists == true ? value : nil
  }

  /// `booleanForProperty:default:`.
  ///
  /// - Returns: The default when the backend does not name the policy.
  /// - Throws: `.unreadable` when it has another type.
  public func boolean(_ name: String, default standard: Bool) throws(ServiceError) -> Bool {
    guard let value = value(name) else { return standard }
    guard let flag = value.bool else { throw wrong(name, "true or false", value) }
    return flag
  }

  /// `integerForProperty:default:`.
  public func integer(_ name: String, default standard: Int) throws(ServiceError) -> Int {
    guard let value = value(name) else { return standard }
    guard value.kind == .number, let number = value.int else { throw wrong(name, "a whole number", value) }
    return number
  }

  /// `doubleForProperty:default:`.
  public func double(_ name: String, default standard: Double) throws(ServiceError) -> Double {
    guard let value = value(name) else { return standard }
    guard value.kind == .number, let number = value.double else { throw wrong(name, "a number", value) }
    return number
  }

  /// A number's exact digits (`numberForProperty:default:`).
  public func number(_ name: String, default standard: String) throws(ServiceError) -> String {
    guard let value = value(name) else { return standard }
    guard value.kind == .number, let digits = value.numberText else { throw wrong(name, "a number", value) }
    return digits
  }

  /// `stringForProperty:default:`.
  public func string(_ name: String, default standard: String) throws(ServiceError) -> String {
    guard let value = value(name) else { return standard }
    guard let text = value.string else { throw wrong(name, "a text", value) }
    return text
  }

  private func wrong(_ name: String, _ wanted: String, _ value: JSONValue) -> ServiceError {
    ServiceError(
      .unreadable, "read the policy “\(name)”",
      detail: "it is not \(wanted) but \(String(decoding: value.encoded(), as: UTF8.self))")
  }
}

extension MobileClient {
  /// Loads the policies (`appConfigWithCompletionHandler:`).
  public func loadAppConfig() async throws(ServiceError) -> MobileAppConfig {
    MobileAppConfig(try await policiesAnswer())
  }

  @discardableResult
  public func loadAppConfig(_ completion: @escaping Completion<MobileAppConfig>) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.loadAppConfig() }
  }
}

/// Who is signed in (`OMCUser`).
public struct MobileUser: Sendable, Hashable {
  public let id: String
  public let username: String
  public let firstName: String?
  public let lastName: String?
  public let email: String?
}

extension MobileClient {
  /// `getCurrentUser:`.
  public func currentUser() async throws(ServiceError) -> MobileUser {
    let root = try await userAnswer().root
    return MobileUser(
      id: root["id"].string ?? "", username: root["username"].string ?? "", firstName: root["firstName"].string,
      lastName: root["lastName"].string, email: root["email"].string)
  }

  @discardableResult
  public func currentUser(_ completion: @escaping Completion<MobileUser>) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.currentUser() }
  }
}
