import Model
import TestKit
import Testing
import Wire

@testable import MobileFirst

/// A reverse proxy before the server that answers with a page of its own.
@Suite(.bounded) struct GatewayTests {
  private static let page = #"<form action="j_security_check"><input name="j_username"></form>"#

  /// A gateway before the one resource, which is public behind it.
  private func guarded(
    _ stub: StubTransport, password: String = "right", at path: String = "/MyResource/j_security_check"
  ) {
    stub.on("GET", Gatehouse.resource) { recorded throws(TransportError) in
      let isIn = recorded.request.headers["Cookie"]?.contains("SESSION=ok") == true
      return HTTPResponse(
        status: 200, headers: ["Content-Type": isIn ? "text/plain" : "text/html"],
        body: Array((isIn ? "17364.9" : Self.page).utf8), url: recorded.request.url)
    }
    stub.on("POST", path) { recorded throws(TransportError) in
      let isRight = recorded.bodyText == "j_username=ada&j_password=\(password)"
      return HTTPResponse(
        status: isRight ? 302 : 200,
        headers: isRight
          ? ["Location": "/", "Set-Cookie": "SESSION=ok; Path=/; HttpOnly"] : ["Content-Type": "text/html"],
        body: Array((isRight ? "" : Self.page).utf8), url: recorded.request.url)
    }
  }

  @Test func `configured credentials get past it, once for all requests`() async throws {
    let gate = try Gatehouse(gateway: ["user": "ada", "password": "right"])
    guarded(gate.stub)
    for _ in 0..<2 {
      let item = try await gate.backend.item(gate.location)
      #expect(item.fields.first { $0.id == "value" }?.value == .text("17364.9"))
    }
    #expect(
      gate.lines == [
        "GET \(Gatehouse.resource)", "POST /MyResource/j_security_check", "GET \(Gatehouse.resource)",
        "GET \(Gatehouse.resource)",
      ])
    #expect(gate.asker.questions.isEmpty)
  }

  @Test func `a person is asked until the gateway is content`() async throws {
    let gate = try Gatehouse(
      asked: [["j_username": "ada", "j_password": "wrong"], ["j_username": "ada", "j_password": "right"]],
      gateway: ["user": "ada"])
    guarded(gate.stub)
    _ = try await gate.backend.item(gate.location)
    #expect(gate.asker.questions.map(\.failure) == [nil, "The gateway did not let us in."])
  }

  @Test func `where nobody can be asked the settings are named`() async throws {
    let gate = try Gatehouse(gateway: [:])
    guarded(gate.stub)
    let error = await #expect(throws: ServiceError.self) { try await gate.backend.item(gate.location) }
    #expect(error?.code == .signInNeeded)
    #expect(error?.advice.contains("gateway:") == true)
  }

  @Test func `a password that never does is given up`() async throws {
    let gate = try Gatehouse(
      asked: Array(repeating: ["j_username": "ada", "j_password": "no"], count: 20), gateway: [:])
    guarded(gate.stub)
    _ = try await gate.backend.item(gate.location)
    #expect(gate.requests("j_security_check").count == GatewayTransport.mostRounds)
  }

  @Test func `its cookies and its form stay at its origin`() async throws {
    let stub = StubTransport()
    guarded(stub)
    stub.on("GET", "/elsewhere", body: "x")
    let handler = FormGateway(
      connection: "mfp", user: "ada", password: .literal(Secret("right")), surroundings: .stub())
    let transport = GatewayTransport(stub, handler: handler)
    _ = try await transport.send(.get(try #require(.init(string: "http://127.0.0.1:1\(Gatehouse.resource)"))))
    _ = try await transport.send(.get(try #require(.init(string: "http://127.0.0.1:2/elsewhere"))))
    #expect(stub.requests.last?.request.headers["Cookie"] == nil)
    var foreign = handler
    foreign.address = "http://evil.example/steal"
    let bare = StubTransport()
    guarded(bare)
    let tempted = GatewayTransport(bare, handler: foreign)
    await #expect(throws: TransportError.self) {
      try await tempted.send(.get(try #require(.init(string: "http://127.0.0.1:1\(Gatehouse.resource)"))))
    }
    #expect(bare.requests.count == 1)
  }

  @Test func `a download gets the content and never the page`() async throws {
    let gate = try Gatehouse(gateway: ["user": "ada", "password": "right"])
    guarded(gate.stub)
    let sink = MemorySink()
    _ = try await gate.backend.download(gate.location, DownloadRequest(), to: sink, progress: { _, _ in })
    #expect(sink.text == "17364.9")
  }

  @Test func `a page that is not the gateway's is content like any other`() async throws {
    let gate = try Gatehouse(gateway: [:])
    gate.stub.on("GET", Gatehouse.resource, headers: ["Content-Type": "text/html"], body: "<p>Hello</p>")
    let sink = MemorySink()
    _ = try await gate.backend.download(gate.location, DownloadRequest(), to: sink, progress: { _, _ in })
    #expect(sink.text == "<p>Hello</p>")
  }
}
