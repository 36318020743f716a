import Crypto
import JSON
import Model

/// What the server knows this client by: an id, and the key pair that proves it.
struct ClientRegistration: Sendable {
  let clientID: String
  let key: RSAPrivateKey
  /// Tells one device from another; made here, once.
  let deviceID: String
  /// What it was made for; another server or application needs another registration.
  let subject: String
  /// What was told of the application and the device last; the server is told of a change.
  let told: String

  static let bits = 2048

  @Sendable static func newKey() throws(ServiceError) -> RSAPrivateKey {
    do throws(CryptoError) {
      return try RSAPrivateKey.generate(bits: bits)
    } catch {
      throw ServiceError(.failed, "make a key for this client", detail: "\(error)", cause: error)
    }
  }

  /// For the keeper: one secret that holds all of it.
  func secret() throws(ServiceError) -> Secret {
    let pem: String
    do throws(CryptoError) {
      pem = try key.pem()
    } catch {
      throw ServiceError(.failed, "keep the registration", detail: "\(error)", cause: error)
    }
    let node: JSONNode = [
      "clientID": .string(clientID), "deviceID": .string(deviceID), "subject": .string(subject), "told": .string(told),
      "key": .string(pem),
    ]
    return Secret(String(decoding: node.encoded(), as: UTF8.self))
  }

  /// Nil when it was made for something else, or cannot be read: then a new one is made.
  init?(_ secret: Secret, subject: String) {
    guard let root = try? JSONDocument(secret.reveal()).root, root["subject"].string == subject,
      let clientID = root["clientID"].string, let deviceID = root["deviceID"].string, let pem = root["key"].string,
      let key = try? RSAPrivateKey(pem: pem)
    else { return nil }
    self.init(
      clientID: clientID, key: key, deviceID: deviceID, subject: subject, told: root["told"].string ?? "")
  }

  init(clientID: String, key: RSAPrivateKey, deviceID: String, subject: String, told: String) {
    self.clientID = clientID
    self.key = key
    self.deviceID = deviceID
    self.subject = subject
    self.told = told
  }

  func telling(_ told: String) -> ClientRegistration {
    ClientRegistration(clientID: clientID, key: key, deviceID: deviceID, subject: subject, told: told)
  }
}

/// Signed statements of a client.
///
/// - SeeAlso: reference/mobilefirst.md sections 2.2 and 2.5; times are in milliseconds, unlike RFC 7519's.
enum Assertion {
  /// Milliseconds that an assertion holds.
  static let lifetime: Int64 = 60_000

  /// The parts of a signed registration.
  static func registration(
    _ application: ApplicationIdentity, deviceID: String, key: RSAPrivateKey
  ) throws(CryptoError) -> JSONNode {
    var device: JSONNode = [
      "id": .string(deviceID), "platform": "\(application.platform) terminal", "hardware": "Terminal",
    ]
    if let name = application.deviceName { device["deviceDisplayName"] = .string(name) }
    let payload: JSONNode = [
      "device": device,
      "application": [
        "id": .string(application.id), "clientPlatform": .string(application.platform),
        "version": .string(application.version),
      ],
      "attributes": ["sdk_protocol_version": 1],
    ]
    let text = try sign(payload, key: key, keyID: nil)
    let parts = text.split(separator: ".").map { JSONNode.string(String($0)) }
    return ["signedRegistrationData": ["header": parts[0], "payload": parts[1], "signature": parts[2]]]
  }

  /// Proves the client to the token, logout and heartbeat calls.
  ///
  /// - Parameters:
  ///   - id: The grant code, or the literal that a refresh uses; nil where the call names nothing.
  ///   - now: The server's time in milliseconds.
  static func client(
    _ registration: ClientRegistration, _ application: ApplicationIdentity, audience: String, id: String?, now: Int64
  ) throws(CryptoError) -> String {
    var payload: JSONNode = [
      "iss": .string(application.issuer), "sub": .string(registration.clientID), "aud": .string(audience),
    ]
    if let id { payload["jti"] = .string(id) }
    payload["iat"] = .integer(now)
    payload["exp"] = .integer(now + lifetime)
    return try sign(payload, key: registration.key, keyID: registration.clientID)
  }

  private static func sign(_ payload: JSONNode, key: RSAPrivateKey, keyID: String?) throws(CryptoError) -> String {
    var jwk = try key.publicKey.jwk.map { JSONNode.Member(key: $0.name, value: .string($0.value)) }
    if let keyID { jwk.append(JSONNode.Member(key: "kid", value: .string(keyID))) }
    let header: JSONNode = ["alg": "RS256", "jwk": .object(jwk)]
    return try JWS.sign(header: header.encoded(), payload: payload.encoded(), key: key)
  }
}
