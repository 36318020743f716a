import Crypto
import FoundationEssentials
import Glibc
import HTTPServer
import JSON
import Model
import Synchronization
import TestKit
import Testing
import Wire

@Suite(.bounded) struct ExchangeLogTests {
  private func makeLog(_ limits: ExchangeLog.Limits = .init()) -> ExchangeLog {
    ExchangeLog(clock: FixedClock(), limits: limits)
  }

  @Test func `an exchange is kept with its timings and without its secrets`() async throws {
    let log = makeLog()
    try await withServer { _ in
      ServerResponse(
        status: 201, headers: [("Content-Type", "application/json"), ("Set-Cookie", "sid=abcdefgh; Path=/")],
        body: .bytes(Array("{\"access_token\":\"opaque-token\",\"expires_in\":300}".utf8)))
    } _: { server in
      var request = HTTPRequest.form(
        url("\(server.origin)/token?alf_ticket=t"), [("grant_type", "password"), ("password", "s3cret-word")],
        headers: ["Authorization": "Basic abc"])
      request.label = "sign in"
      let response = try await CurlTransport(log: log, connection: "docs").send(request)
      #expect(response.exchange == 1)
      let exchange = try #require(log.exchange(1))
      #expect(exchange.connection == "docs" && exchange.label == "sign in" && exchange.state == .answered)
      #expect(exchange.status == 201 && exchange.version == "HTTP/1.1" && exchange.timings.total > .zero)
      #expect(exchange.url.hasSuffix("/token?alf_ticket=«redacted»"))
      #expect(exchange.requestBody.text == "grant_type=password&password=«redacted»")
      #expect(exchange.responseBody.text == "{\"access_token\":\"«redacted»\",\"expires_in\":300}")
      #expect(exchange.responseHeaders["Set-Cookie"] == "sid=«redacted»; Path=/")
      #expect(exchange.requestHeaders["User-Agent"] == "Atrium")
    }
  }

  @Test func `a failure and each hop of a redirect are kept`() async throws {
    let log = makeLog()
    let transport = CurlTransport(log: log)
    let port = try FaultServer.closedPort()
    let error = await #expect(throws: TransportError.self) {
      try await transport.send(.get(url("http://127.0.0.1:\(port)/")))
    }
    #expect(error?.exchange == 1)
    guard case .failed(let reason)? = log.exchange(1)?.state else { throw TransportError(.unreadable, "not failed") }
    #expect(reason.contains("connect"))
    try await withServer { request in
      request.path == "/b" ? .text(200, "") : ServerResponse(status: 302, headers: [("Location", "/b")])
    } _: { server in
      let response = try await transport.send(.get(url("\(server.origin)/a")))
      #expect(response.exchange == 3)
    }
    #expect(log.exchanges.map(\.status) == [0, 302, 200])
  }

  @Test func `a stream leaves its beginning and its size`() async throws {
    var limits = ExchangeLog.Limits()
    limits.bodyBytes = 10
    let log = makeLog(limits)
    try await withServer { _ in
      .text(200, "0123456789abcdef")
    } _: { server in
      _ = try await CurlTransport(log: log).download(.get(url("\(server.origin)/")), to: MemorySink())
    }
    let body = try #require(log.exchanges.first).responseBody
    #expect(body.size == 16 && body.isCut && body.text == "0123456789")
  }

  @Test func `the oldest make way`() async throws {
    var limits = ExchangeLog.Limits()
    limits.exchanges = 3
    let log = makeLog(limits)
    try await withServer { _ in
      .text(200, "x")
    } _: { server in
      for _ in 0..<5 { _ = try await CurlTransport(log: log).send(.get(url("\(server.origin)/"))) }
    }
    #expect(log.exchanges.map(\.id) == [3, 4, 5])
    #expect(log.exchange(1) == nil)
  }

  @Test func `memory is bounded by bytes, too`() async throws {
    var limits = ExchangeLog.Limits()
    limits.totalBytes = 50_000
    let log = makeLog(limits)
    try await withServer { _ in
      .text(200, String(repeating: "x", count: 20_000))
    } _: { server in
      for _ in 0..<6 { _ = try await CurlTransport(log: log).send(.get(url("\(server.origin)/"))) }
    }
    #expect(log.exchanges.map(\.id) == [5, 6])
  }

  @Test func `an observer hears the start and the end until it is let go`() async throws {
    let log = makeLog()
    let heard = Mutex<[Exchange.State]>([])
    try await withServer { _ in
      .text(200, "x")
    } _: { server in
      var subscription: ExchangeLog.Subscription? = log.observe { exchange in
        heard.withLock { $0.append(exchange.state) }
      }
      _ = try await CurlTransport(log: log).send(.get(url("\(server.origin)/")))
      withExtendedLifetime(subscription) {}
      subscription = nil
      _ = try await CurlTransport(log: log).send(.get(url("\(server.origin)/")))
    }
    #expect(heard.withLock { $0 } == [.running, .answered])
  }

  @Test func `a curl command names its secrets instead of holding them`() async throws {
    let log = makeLog()
    let transport = CurlTransport(log: log)
    try await withServer { _ in
      .text(200, "")
    } _: { server in
      _ = try await transport.send(
        HTTPRequest(
          "POST", url("\(server.origin)/x?alf_ticket=tt"), headers: ["Authorization": "Bearer abc", "Cookie": "sid=1"],
          body: .bytes(Array("{\"password\":\"p\",\"who\":\"it's me\"}".utf8))))
      let command = try #require(log.exchanges.first).curlCommand
      #expect(
        command == """
          curl -X 'POST' '\(server.origin)/x?alf_ticket='"$SECRET" -H 'Authorization: Bearer '"$TOKEN" \
          -H 'Cookie: sid='"$COOKIE" -H 'User-Agent: Atrium' \
          --data-raw '{"password":"'"$SECRET"'","who":"it'\\''s me"}'
          """)
    }
  }

  /// Signs in every way at once and looks for every secret in every form in everything that is kept.
  @Test func `no secret is in the trace in any form`() async throws {
    let secrets = ["Tr0ub4dor&3 ü/\"x\"", "opaque+access/token==", "refresh token value 1", "verifier~abc.def-123456"]
    let log = makeLog()
    for secret in secrets { log.redactor.register(Secret(secret)) }
    let path = "\(TemporaryFolder.path)/trace-\(getpid())-\(UInt32.random(in: 0 ... .max)).har"
    let file = try HARFile(path: path, log: log, version: "1.0")
    defer { unlink(path) }
    let echoed = secrets.map { "\($0) \(URLForm.escape($0)) \(Base64.encode(Array("user:\($0)".utf8)))" }.joined(
      separator: "\n")
    try await withServer { _ in
      ServerResponse(status: 200, headers: [("X-Echo", URLForm.escape(secrets[0]))], body: .bytes(Array(echoed.utf8)))
    } _: { server in
      let transport = CurlTransport(log: log)
      for secret in secrets {
        let json = JSONNode.object([.init(key: "note", value: .string("it is \(secret)"))]).encoded()
        _ = try await transport.send(
          .json(
            "POST", url("\(server.origin)/\(URLForm.escape(secret))?q=\(URLForm.escape(secret))"), json,
            headers: ["X-Note": Base64.encode(Array("ab\(secret)".utf8))]))
        _ = try await transport.send(.form(url("\(server.origin)/"), [("password", secret), ("x", secret)]))
        _ = try await transport.download(.get(url("\(server.origin)/")), to: MemorySink())
      }
    }
    file.close()
    #expect(file.failure == 0)
    let trace = try #require(readAll(path))
    let kept =
      String(decoding: trace, as: UTF8.self) + String(decoding: HAR.archive(log.exchanges, version: "1"), as: UTF8.self)
      + log.exchanges.map { $0.text + $0.curlCommand }.joined()
    for secret in secrets {
      let escaped = String(decoding: JSONNode.string(secret).encoded().dropFirst().dropLast(), as: UTF8.self)
      for form in [secret, escaped, URLForm.escape(secret), Base64.encode(Array(secret.utf8)).filter { $0 != "=" }] {
        #expect(!kept.contains(form))
        #expect(!kept.contains(form.dropLast(3)))
      }
    }
    let entries = try JSONDocument(trace).root["log"]["entries"]
    #expect(entries.count == 12)
    var state = stat()
    #expect(stat(path, &state) == 0 && state.st_mode & 0o777 == 0o600)
  }

  @Test func `an archive has what HAR 1.2 asks for`() async throws {
    let log = makeLog()
    try await withServer { _ in
      .text(200, "hällo")
    } _: { server in
      _ = try await CurlTransport(log: log).send(.json("POST", url("\(server.origin)/a?b=c%20d&e"), Array("{}".utf8)))
    }
    let root = try JSONDocument(HAR.archive(log.exchanges, version: "1.0")).root["log"]
    #expect(root["version"].string == "1.2" && root["creator"]["name"].string == "Atrium")
    let entry = root["entries"][0]
    #expect(entry["startedDateTime"].string == "1994-11-06T08:49:37.000Z")
    for key in ["time", "cache", "timings", "request", "response"] { #expect(entry[key].exists) }
    for key in ["dns", "connect", "ssl", "send", "wait", "receive", "blocked"] {
      #expect(entry["timings"][key].double != nil)
    }
    let request = entry["request"]
    #expect(request["method"].string == "POST" && request["httpVersion"].string == "HTTP/1.1")
    #expect(request["queryString"][0]["value"].string == "c d" && request["queryString"].count == 2)
    #expect(request["postData"]["mimeType"].string == "application/json" && request["postData"]["text"].string == "{}")
    for key in ["cookies", "headers"] { #expect(request[key].kind == .array && entry["response"][key].kind == .array) }
    for key in ["headersSize", "bodySize"] { #expect(request[key].int != nil && entry["response"][key].int != nil) }
    let response = entry["response"]
    #expect(
      response["status"].int == 200 && response["statusText"].string != nil && response["redirectURL"].string == "")
    #expect(response["content"]["text"].string == "hällo" && response["content"]["size"].int == 6)
  }

  private func readAll(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { all += buffer[..<count] }
    return all
  }
}

enum TemporaryFolder {
  static var path: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }
}
