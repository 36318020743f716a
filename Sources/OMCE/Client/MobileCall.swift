import FoundationEssentials
import JSON
import Model
import Wire

/// One request to the backend, before authorisation is added.
struct MobileCall: Sendable {
  var method: String
  /// Below the base address, encoded: `/mobile/platform/users/~`.
  var path: String
  var query: [(name: String, value: String)] = []
  var headers: [(name: String, value: String)] = []
  var body: HTTPBody = .none
  /// Which part of the client asks; the server's logs show it.
  var module: String
  /// In the user's words.
  var operation: String
  /// Whether a POST changes nothing, as queries by body do.
  var onlyReads = false
  var onUpload: Progress?

  init(_ method: String, _ path: String, module: String, _ operation: String) {
    self.method = method
    self.path = path
    self.module = module
    self.operation = operation
  }

  mutating func setJSON(_ node: JSONNode) {
    body = .bytes(node.encoded())
    headers.append((name: "Content-Type", value: "application/json"))
  }

  func request(
    _ profile: MobileProfile, _ credential: MobileCredential?, headers own: MobileHeaders
  ) throws(ServiceError) -> HTTPRequest {
    let text = profile.baseURL + path + (query.isEmpty ? "" : "?" + URLForm.encode(query))
    guard let url = URL(string: text) else {
      throw ServiceError(.configuration, operation, detail: "“\(text)” is no address")
    }
    var fields = HTTPHeaders(own.fields(module: module))
    if let key = profile.applicationKey { fields["Oracle-Mobile-Application-Key"] = key }
    if let credential { authorize(&fields, credential, profile) }
    for field in headers { fields[field.name] = field.value }
    if fields["Accept"] == nil { fields["Accept"] = "application/json" }
    var request = HTTPRequest(method, url, headers: fields, body: body, label: operation)
    if onlyReads {
      request.isIdempotent = true
      request.freshConnection = false
    }
    request.onUpload = onUpload
    return request
  }

  private func authorize(_ fields: inout HTTPHeaders, _ credential: MobileCredential, _ profile: MobileProfile) {
    switch credential.form {
    case .basic:
      fields["Authorization"] = BasicHeader.value(user: credential.user ?? "", password: credential.secret)
    case .anonymousKey: fields["Authorization"] = "Basic \(credential.secret.reveal())"
    case .bearer, .anonymousBearer: fields["Authorization"] = "Bearer \(credential.secret.reveal())"
    case .facebook:
      if let key = credential.key { fields["Authorization"] = "Basic \(key.reveal())" }
      fields["Oracle-Mobile-Social-Identity-Provider"] = "facebook"
      fields["Oracle-Mobile-Social-Access-Token"] = credential.secret.reveal()
    }
    if credential.namesBackend, let id = profile.basic?.mobileBackendID { fields["Oracle-Mobile-Backend-ID"] = id }
  }

  func send(
    over transport: any Transport, _ profile: MobileProfile, _ credential: MobileCredential?, headers: MobileHeaders
  ) async throws(ServiceError) -> HTTPResponse {
    let request = try request(profile, credential, headers: headers)
    do {
      return try await transport.send(request)
    } catch {
      throw error.serviceError(operation)
    }
  }
}
