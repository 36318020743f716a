import FoundationEssentials
import JSON
import Model
import Wire

/// One request, before authorisation is added.
struct OpenBankCall: Sendable {
  var method: String
  /// Without a query.
  var address: String
  var query: [(name: String, value: String)] = []
  var headers: [(name: String, value: String)] = []
  /// A body is always JSON; the server takes a POST of any other type for an unknown address.
  var body: JSONNode?
  /// A GET that changes something goes out once, as every other writing call does.
  var isWriting = false
  /// In the user's words: "load the accounts of kiln.01.fi".
  var operation: String

  init(_ method: String, to address: String, _ operation: String) {
    self.method = method
    self.address = address
    self.operation = operation
  }

  /// The address as it goes out. Values are encoded strictly, so that a `+` of a time zone survives.
  var url: String { query.isEmpty ? address : address + "?" + URLForm.encode(query) }

  func request() throws(ServiceError) -> HTTPRequest {
    guard let url = URL(string: url) else {
      throw ServiceError(.configuration, operation, detail: "“\(url)” is no address")
    }
    var fields = HTTPHeaders(headers)
    if fields["Accept"] == nil { fields["Accept"] = "application/json" }
    let hasBody = body != nil || method == "POST" || method == "PUT"
    if hasBody { fields["Content-Type"] = "application/json" }
    var request = HTTPRequest(
      method, url, headers: fields, body: hasBody ? .bytes(body?.encoded() ?? []) : .none, label: operation)
    if isWriting {
      request.isIdempotent = false
      request.freshConnection = true
    }
    return request
  }

  func send(over transport: any Transport) async throws(ServiceError) -> HTTPResponse {
    let request = try request()
    do {
      return try await transport.send(request)
    } catch {
      throw error.serviceError(operation)
    }
  }
}
