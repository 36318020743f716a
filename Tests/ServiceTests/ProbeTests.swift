import FoundationEssentials
import Model
import TestKit
import Testing
import Wire

@testable import Service

/// A server of some paths; everything else is not there, as on any web server.
private struct Site: Transport {
  let answers: [String: HTTPResponse]
  var failure: TransportError?

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    if let failure { throw failure }
    return answers[request.url.path] ?? HTTPResponse(status: 404, url: request.url)
  }

  func download(
    _ request: HTTPRequest, to sink: any ByteSink, head: @escaping HeadHandler, progress: @escaping Progress
  ) async throws(TransportError) -> HTTPResponse { try await send(request) }
}

@Suite struct ProbeTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let address: String
    let path: String
    let status: Int
    let headers: HTTPHeaders
    let body: String
    let kind: BackendKind
    let url: String
    var testDescription: String { "\(kind) at \(address)" }
  }

  /// Answers as the servers' references give them.
  static let cases = [
    Case(
      address: "bank.example", path: "/obp/v4.0.0/root", status: 200, headers: [:],
      body: #"{"version":"v4.0.0","connector":"mapped"}"#, kind: .openbank, url: "https://bank.example/obp/v4.0.0"),
    Case(
      address: "http://h:8080/obp/v3.0.0/", path: "/obp/v3.0.0/root", status: 200, headers: [:],
      body: #"{"version":"v3.0.0","hosted_by":{}}"#, kind: .openbank, url: "http://h:8080/obp/v3.0.0"),
    Case(
      address: "https://docs.example", path: "/alfresco/api/discovery", status: 401,
      headers: ["WWW-Authenticate": "AlfTicket realm=\"Alfresco -default- tenant\""], body: "{}", kind: .alfresco,
      url: "https://docs.example/alfresco"),
    Case(
      address: "https://m.example/", path: "/mobile/platform/storage/collections", status: 401, headers: [:],
      body: #"{"status":401,"o:errorCode":"MOBILE-99401"}"#, kind: .omce, url: "https://m.example"),
    Case(
      address: "https://f.example", path: "/mfp/api/az/v1/authorization", status: 400, headers: [:],
      body: #"{"errorCode":"INVALID_CLIENT_ID"}"#, kind: .mobilefirst, url: "https://f.example/mfp"),
    Case(
      address: "https://s.example/relay", path: "/relay/odata/applications/v4", status: 401,
      headers: ["DataServiceVersion": "2.0"], body: "", kind: .unwired, url: "https://s.example/relay"),
  ]

  @Test(arguments: cases) func `a kind is known by what it answers to a stranger`(_ c: Case) async throws {
    let url = try #require(URL(string: "https://x"))
    let answer = HTTPResponse(status: c.status, headers: c.headers, body: Array(c.body.utf8), url: url)
    let site = Site(answers: [c.path: answer, c.path + "/": answer])
    let found = try await ConnectionProbe(site, operation: "look").look(at: c.address)
    #expect(found.map(\.kind) == [c.kind])
    #expect(found.first?.url == c.url)
    #expect(found.first?.methods.isEmpty == false)
  }

  @Test func `a server of none of the kinds is told from one that is not reached and from what is no address`() async {
    let none = await failure { () async throws(ServiceError) in
      try await ConnectionProbe(Site(answers: [:]), operation: "look").look(at: "web.example")
    }
    #expect(none?.code == .notFound)
    #expect(none?.reason.contains("https://web.example") == true)
    let down = Site(answers: [:], failure: TransportError(.unreachable, "refused"))
    let unreached = await failure { () async throws(ServiceError) in
      try await ConnectionProbe(down, operation: "look").look(at: "web.example")
    }
    #expect(unreached?.code == .unreachable)
    for text in ["", "ftp://x", "http://", "::"] {
      let wrong = await failure { () async throws(ServiceError) in
        try await ConnectionProbe(down, operation: "look").look(at: text)
      }
      #expect(wrong?.code == .usage, "\(text)")
    }
  }
}
