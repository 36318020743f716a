import Crypto
import FoundationEssentials
import JSON
import Model

/// Proves a user's password without the server and without keeping it: a salt and what scrypt makes of both.
struct OfflineVerifier: Sendable, Hashable {
  let user: String
  /// The backend that the user signed in to; it proves nothing for another.
  let backend: String
  private let salt: [UInt8]
  private let digest: [UInt8]
  private let cost: Int

  /// 2^15 with r 8 takes 32 MiB and some 100 ms.
  static let standardCost = 1 << 15

  init(
    user: String, password: Secret, backend: String, salt: [UInt8], cost: Int = OfflineVerifier.standardCost
  ) throws(CryptoError) {
    self.user = user
    self.backend = backend
    self.salt = salt
    self.cost = cost
    digest = try OfflineVerifier.digest(password, salt, cost)
  }

  private static func digest(_ password: Secret, _ salt: [UInt8], _ cost: Int) throws(CryptoError) -> [UInt8] {
    try Scrypt.derive(password: Array(password.reveal().utf8), salt: salt, n: cost, r: 8, p: 1, length: 32)
  }

  func proves(user: String, password: Secret) -> Bool {
    guard user == self.user, let made = try? OfflineVerifier.digest(password, salt, cost) else { return false }
    return constantTimeEquals(made, digest)
  }

  var kept: Secret {
    let node: JSONNode = [
      "user": .string(user), "backend": .string(backend), "salt": .string(Data(salt).base64EncodedString()),
      "digest": .string(Data(digest).base64EncodedString()), "cost": .int(cost),
    ]
    return Secret(String(decoding: node.encoded(), as: UTF8.self))
  }

  /// Reads `kept` again; nil when it is something else or belongs to another backend.
  init?(kept: Secret, backend: String) {
    guard let root = try? JSONDocument(Array(kept.reveal().utf8)).root, let user = root["user"].string,
      root["backend"].string == backend, let salt = root["salt"].string.flatMap({ Data(base64Encoded: $0) }),
      let digest = root["digest"].string.flatMap({ Data(base64Encoded: $0) }), let cost = root["cost"].int
    else { return nil }
    self.user = user
    self.backend = backend
    self.salt = Array(salt)
    self.digest = Array(digest)
    self.cost = cost
  }
}

extension MobileAuthorization {
  /// Of the user who signed in last, while the profile allows signing in offline.
  func verifier() async throws(ServiceError) -> OfflineVerifier? {
    guard profile.enablesOffline else { return nil }
    let kept = try await surroundings.keeper.secret(named: verifierName)
    return kept.flatMap { OfflineVerifier(kept: $0, backend: backend) }
  }

  /// Notes how to prove this user without the server; only where it outlives the process.
  func remember(_ user: String, _ password: Secret) async throws(ServiceError) {
    guard profile.enablesOffline else { return try await surroundings.keeper.remove(named: verifierName) }
    if let known = try await verifier(), known.proves(user: user, password: password) { return }
    let salt = surroundings.randomBytes(16)
    let made: OfflineVerifier
    do throws(CryptoError) {
      made = try OfflineVerifier(user: user, password: password, backend: backend, salt: salt)
    } catch {
      throw ServiceError(.failed, "sign in", detail: error.message, cause: error)
    }
    try await surroundings.keeper.keep(made.kept, named: verifierName)
  }

  /// Signs in without the server, which could not be reached: only who did so before with it, and has not signed out.
  ///
  /// - Throws: `failure` when nobody did; `.signInRefused` for a wrong password.
  func signInOffline(
    _ user: String, _ password: Secret, after failure: ServiceError
  ) async throws(ServiceError) -> SignInState {
    guard let verifier = try await verifier(), verifier.user == user else { throw failure }
    guard verifier.proves(user: user, password: password) else {
      throw ServiceError(
        .signInRefused, "sign in", detail: "the server cannot be reached, and this is not the password of last time")
    }
    goOffline(user, password)
    return state(of: nil)
  }

  /// Signs somebody in who did so offline, now that there may be a server.
  ///
  /// - Throws: `.unreachable` while there is none.
  func comeBackOnline(_ operation: String) async throws(ServiceError) {
    guard offlineUser != nil, let renewal else { return }
    do throws(ServiceError) {
      _ = try await signInOnline(renewal.user, renewal.password)
    } catch {
      guard error.isWithoutServer else { throw error.during(operation) }
      throw ServiceError(
        .unreachable, operation, detail: "you are signed in offline, as the server could not be reached",
        remedy: "What was kept can be read, and edits wait until the server is there again.", cause: error)
    }
  }
}
