import Crypto
import HTTPServer
import JSON

extension OpenBankDoor {
  /// Counts a call against its consumer's minute; reference obp.md, section 4.5.
  func count(
    _ request: SandboxRequest, _ session: BankSession?, _ profile: OBPProfile, isExempt: Bool
  ) throws(OBPError) -> [ServerResponse.Field] {
    guard let limit = profile.callsPerMinute, !isExempt else { return [] }
    let minute = request.now.seconds / 60
    let key = session?.consumer.id ?? "anonymous"
    let used = bank.state.write { contents in
      let known = contents.calls[key].flatMap { $0.minute == minute ? $0.count : nil } ?? 0
      contents.calls[key] = (minute, known + 1)
      return known + 1
    }
    guard used <= limit else {
      throw OBPError(
        429,
        "OBP-10018: Too Many Requests. We only allow \(limit) requests per minute for "
          + (session == nil ? "anonymous access." : "this Consumer."))
    }
    return [
      ("X-Rate-Limit-Limit", String(limit)), ("X-Rate-Limit-Remaining", String(limit - used)),
      ("X-Rate-Limit-Reset", String(60 - request.now.seconds % 60)),
    ]
  }

  func finish(
    _ reply: OBPReply, _ request: SandboxRequest, _ profile: OBPProfile, isOld: Bool, _ limits: [ServerResponse.Field]
  ) -> ServerResponse {
    let bytes = reply.bytes(pretty: profile.generation == .high)
    var response = ServerResponse(
      status: reply.status, headers: commonHeaders(request, profile) + limits, body: .bytes(bytes))
    if let range = reply.range, !isOld {
      response.headers.append(("Range", "items=\(range.offset)-\(range.limit)"))
    }
    if !isOld, request.method == "GET", reply.status == 200 {
      let tag = Hex.encode(Hash.sha256.digest(Array(request.server.target.utf8) + bytes))
      response.headers.append(("ETag", tag))
      if request.header("If-None-Match") == tag { return ServerResponse(status: 304, headers: response.headers) }
    }
    return response
  }

  func refuse(
    _ request: SandboxRequest, _ profile: OBPProfile, _ error: OBPError, _ limits: [ServerResponse.Field] = []
  ) -> ServerResponse {
    let node: JSONNode =
      profile.writesOldErrors
      ? ["error": .string(error.message)] : ["code": .int(error.status), "message": .string(error.message)]
    var headers = commonHeaders(request, profile) + limits
    if error.status == 429 {
      headers.append(("X-Rate-Limit-Limit", String(profile.callsPerMinute ?? -1)))
      headers.append(("X-Rate-Limit-Remaining", "0"))
      headers.append(("X-Rate-Limit-Reset", String(60 - request.now.seconds % 60)))
    }
    if error.message.contains("OBP-20001") {
      let realm = profile.hostname ?? request.origin
      let schemes = ["OAuth", "Bearer", "DirectLogin"].map { "\($0) realm=\"\(realm)\"" }
      headers.append(("WWW-Authenticate", schemes.joined(separator: ", ")))
    }
    let body = node.encoded(pretty: profile.generation == .high)
    return ServerResponse(status: error.status, headers: headers, body: .bytes(body))
  }

  private func commonHeaders(_ request: SandboxRequest, _ profile: OBPProfile) -> [ServerResponse.Field] {
    var headers: [ServerResponse.Field] = [
      ("Content-Type", "application/json; charset=utf-8"), ("Access-Control-Allow-Origin", "*"),
      ("Correlation-Id", request.header("X-Request-ID") ?? correlation),
    ]
    if profile.generation == .high {
      headers += [
        ("Cache-Control", "no-cache, private, no-store"), ("Pragma", "no-cache"), ("X-Frame-Options", "DENY"),
        ("X-Content-Type-Options", "nosniff"),
      ]
    }
    return headers
  }
}
