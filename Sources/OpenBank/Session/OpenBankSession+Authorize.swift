import Model
import Wire

extension OpenBankSession {
  /// Writes the token into the call's headers.
  func authorize(_ call: inout OpenBankCall, with token: OpenBankToken) throws(ServiceError) {
    let value = token.value.reveal()
    switch token.form {
    case .directHeader: call.headers.append((name: "DirectLogin", value: "token=\(value)"))
    case .directAuthorization: call.headers.append((name: "Authorization", value: "DirectLogin token=\"\(value)\""))
    case .bearer: call.headers.append((name: "Authorization", value: "Bearer \(value)"))
    case .oauth1: throw ServiceError(.signInNeeded, call.operation)
    }
  }
}
