import FoundationEssentials
import JSON
import Model
import Wire

/// Requests that an app makes itself, with the backend's headers on them (`OMCMobileBackend`, section 8.1).
extension MobileClient: CompletionCaller {
  /// Which part of the backend a path is below.
  public enum Area: Sendable, Hashable, CaseIterable {
    /// The backend's `url`.
    case backend
    /// `platformPath`.
    case platform
    /// `appConfigPath`: always asked as the app alone.
    case appConfig
    /// `customCodePath`.
    case customCode
  }

  private func base(of area: Area) -> String {
    switch area {
    case .backend: url
    case .platform: platformURL
    case .appConfig: appConfigURL
    case .customCode: customCodeURL
    }
  }

  /// A request with authorisation and diagnostics (`buildURLRequestWithPath:completionHandler:` and its variants).
  ///
  /// - Parameters:
  ///   - path: Below the area, encoded; empty for the area itself.
  ///   - anonymously: As the app alone (`buildAnonymousAuthorization…URLRequestWithPath:completionHandler:`).
  /// - Throws: `.signInNeeded` while nobody is signed in.
  public func request(
    _ area: Area = .backend, _ path: String = "", method: String = "GET", anonymously: Bool = false
  ) async throws(ServiceError) -> HTTPRequest {
    let tail = path.isEmpty || path.hasPrefix("/") || path.hasPrefix("?") ? path : "/\(path)"
    let text = base(of: area) + tail
    guard let url = URL(string: text) else {
      throw ServiceError(.usage, "make a request", detail: "“\(text)” is no address")
    }
    var request = HTTPRequest(method, url)
    try await authorize(&request, anonymously: anonymously || area == .appConfig)
    return request
  }

  /// Puts the backend's headers on a request (`setHTTPHeadersOnURLRequest:completionHandler:`,
  /// `setAnonymousAuthorizationHTTPHeadersOnURLRequest:completionHandler:`).
  ///
  /// - Throws: `.forbidden` for an address that is not the backend's: its credentials go nowhere else.
  public func authorize(_ request: inout HTTPRequest, anonymously: Bool = false) async throws(ServiceError) {
    let address = request.url.absoluteString
    guard address == profile.baseURL || address.hasPrefix(profile.baseURL + "/") else {
      throw ServiceError(.forbidden, "sign a request", detail: "“\(address)” is not below \(profile.baseURL)")
    }
    let path = String(address.dropFirst(profile.baseURL.count))
    let call = MobileCall(request.method, path, module: "Core", "sign a request")
    let credential =
      anonymously ? try await authorization.anonymousCredential() : try await credential(for: call)
    let signed = try call.request(profile, credential, headers: headers)
    for field in signed.headers.fields where field.name != "Accept" || request.headers["Accept"] == nil {
      request.headers[field.name] = field.value
    }
  }
}

extension MobileDiagnostics {
  /// The headers that tie this client's log and the server's together (`setHTTPHeadersOnURLRequest:`,
  /// `setTimestampOnURLRequest:`).
  public func mark(_ request: inout HTTPRequest) {
    for (name, value) in MobileHeaders(surroundings).fields(module: "Core") { request.headers[name] = value }
  }
}
