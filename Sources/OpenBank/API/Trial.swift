import FoundationEssentials
import JSON
import Model
import Synchronization
import Wire

/// A call that was tried out: what went out, and what came back, whatever its status.
struct Trial: Sendable {
  let number: Int
  let endpoint: Endpoint
  let method: String
  let url: String
  /// Without the credentials, which are replaced by a mark.
  let sentHeaders: HTTPHeaders
  let sentBody: String
  let reply: HTTPResponse
  /// The form it was made of, to make it again.
  let form: [String: String]
}

/// The trials of this run, the newest ones only: an answer can be large.
final class TrialLog: Sendable {
  private struct State {
    var trials: [Trial] = []
    var count = 0
  }

  private static let most = 20
  private let state = Mutex(State())

  var all: [Trial] { state.withLock { $0.trials } }

  subscript(number: Int) -> Trial? { state.withLock { $0.trials.first { $0.number == number } } }

  func add(_ make: (_ number: Int) -> Trial) -> Trial {
    state.withLock { state in
      state.count += 1
      let trial = make(state.count)
      state.trials.append(trial)
      if state.trials.count > TrialLog.most { state.trials.removeFirst() }
      return trial
    }
  }
}

/// What somebody wants to send to an endpoint.
struct TrialRequest: Sendable {
  let endpoint: Endpoint
  /// Below the version, with its query.
  let path: String
  let headers: [(name: String, value: String)]
  let body: String
  let isPublic: Bool
  let form: [String: String]
}

extension OpenBankClient {
  /// Sends it once and keeps what came back.
  ///
  /// - Throws: `.signInNeeded` where the answer shows that the session has ended; what only reads is worth another try
  ///   then, and what writes was refused.
  func attempt(_ trial: TrialRequest, _ operation: String) async throws(ServiceError) -> Trial {
    try await settleVersion()
    var call = OpenBankCall(trial.endpoint.method, to: server.root + URLForm.typed(trial.path), operation)
    call.headers = trial.headers
    let token = try await authorize(&call, for: trial.isPublic ? .anybody : .anybodyKnownOrNot)
    var request = try call.request()
    if !trial.body.isEmpty {
      request.body = .bytes(Array(trial.body.utf8))
      if request.headers["Content-Type"] == nil { request.headers["Content-Type"] = "application/json" }
    }
    request.isIdempotent = !trial.endpoint.isWriting
    request.freshConnection = trial.endpoint.isWriting
    let response: HTTPResponse
    do throws(TransportError) { response = try await transport.send(request) } catch {
      throw error.serviceError(operation)
    }
    if let token, OpenBankFault(response).isDeadToken(isRead: !trial.endpoint.isWriting) {
      throw await refusal(response, token, trial.endpoint.method, operation)
    }
    // Nobody was signed in yet, and the call wants somebody: it was refused, and is worth sending once more.
    if token == nil, !trial.isPublic, session.method != .none, response.status == 401 {
      throw ServiceError(.signInNeeded, operation, status: 401)
    }
    let sent = Redactor().headers(request.headers)
    return trials.add { number in
      Trial(
        number: number, endpoint: trial.endpoint, method: request.method, url: request.url.absoluteString,
        sentHeaders: sent, sentBody: trial.body, reply: response, form: trial.form)
    }
  }
}
