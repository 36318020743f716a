import JSON
public import Model

/// A sign-in on another device, waiting for its person: RFC 8628.
public struct DeviceGrant: Sendable {
  let deviceCode: Secret
  /// What the person types there.
  public let userCode: String
  public let verificationURL: String
  /// The same with the code filled in, for a QR code.
  public let completeURL: String?
  public let expires: Timestamp
  /// Seconds between two questions; worth telling the person when it is long.
  public let interval: Int
}

extension OAuth2Client {
  /// Asks for a code that a person enters elsewhere.
  ///
  /// - Parameter audience: Whom the token is for, where a provider must be told.
  public func startDevice(scope: String, audience: String? = nil) async throws(OAuthError) -> DeviceGrant {
    guard let url = provider.device else {
      throw OAuthError(.notOffered, "the sign-in service has no device sign-in")
    }
    let audiences = audience.map { [(name: "audience", value: $0)] } ?? []
    let response = try await post(url, [("scope", scope)] + audiences, "start a device sign-in")
    guard response.isSuccess else { throw OAuthError(response) }
    guard let root = try? JSONDocument(response.body).root, let code = root["device_code"].string,
      let user = root["user_code"].string,
      let page = root["verification_uri"].string ?? root["verification_url"].string
    else { throw OAuthError(.unreadable, "the answer holds no device code", status: response.status) }
    func seconds(_ key: String, _ usual: Int) -> Int {
      root[key].numberText.flatMap { Int($0) }.flatMap { (1...86_400).contains($0) ? $0 : nil } ?? usual
    }
    return DeviceGrant(
      deviceCode: Secret(code), userCode: user, verificationURL: page,
      completeURL: root["verification_uri_complete"].string,
      expires: now.adding(seconds: Int64(seconds("expires_in", 600))), interval: seconds("interval", 5))
  }

  /// Asks until the person has decided.
  ///
  /// - Parameter sleep: Waits; throws when cancelled.
  /// - Throws: `.expired` when the code runs out, `.refused` when the person says no.
  public func awaitDevice(
    _ grant: DeviceGrant, sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) async throws(OAuthError) -> OAuthTokens {
    var interval = grant.interval
    while true {
      do { try await sleep(.seconds(interval)) } catch { throw OAuthError(.cancelled, "it was cancelled") }
      do throws(OAuthError) {
        return try await tokens(
          "urn:ietf:params:oauth:grant-type:device_code", [("device_code", grant.deviceCode.reveal())])
      } catch {
        interval = try Self.nextInterval(after: error, interval)
      }
      guard now < grant.expires else { throw OAuthError(.expired, "the code was not entered in time") }
    }
  }

  /// The word decides, not the status: servers send 400, 403 and 429 for the same thing.
  private static func nextInterval(after error: OAuthError, _ interval: Int) throws(OAuthError) -> Int {
    switch error.code {
    case .refused("authorization_pending"):
      return interval
    case .refused("slow_down"):
      return interval + 5
    case .refused("expired_token"):
      throw OAuthError(.expired, "the code was not entered in time", status: error.status)
    case .transport:
      // RFC 8628 section 3.5: a timeout means to ask less often.
      guard (error.cause as? TransportError)?.code == .timedOut else { throw error }
      return min(interval * 2, 300)
    default:
      throw error
    }
  }
}
