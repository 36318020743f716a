import FoundationEssentials
import Model
import TestKit
import Testing
import Wire

@testable import OpenBank

@Suite struct FaultTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let status: Int
    let body: String
    let code: ServiceError.Code
    let server: String?
    let says: String
    var testDescription: String { "\(status) \(body.prefix(60)) is \(code.rawValue)" }

    init(_ status: Int, _ body: String, _ code: ServiceError.Code, _ server: String?, says: String) {
      self.status = status
      self.body = body
      self.code = code
      self.server = server
      self.says = says
    }
  }

  @Test(arguments: [
    Case(
      404, Bodies.fault(404, "OBP-30001: Bank not found. Current BankId is nope"), .notFound, "OBP-30001", says: "nope"),
    Case(400, Bodies.fault(400, "OBP-30001: Bank not found."), .notFound, "OBP-30001", says: "Bank not found"),
    Case(400, Bodies.fault(400, "OBP-60009: Transaction not found."), .notFound, "OBP-60009", says: "Transaction"),
    Case(400, #"{"error":"OBP-20017: no access to the view"}"#, .forbidden, "OBP-20017", says: "no access"),
    Case(
      400, Bodies.fault(400, "OBP-50010: Scala return Empty box to Liftweb."), .forbidden, "OBP-50010",
      says: "there is no access, or no such thing"),
    Case(
      400, Bodies.fault(400, "OBP-10016: Invalid <- OBP-10025: wrong value for obp_limit parameter."), .failed,
      "OBP-10025", says: "wrong value for obp_limit parameter"),
    Case(400, Bodies.fault(400, "OBP-300010: Branch not found."), .notFound, "OBP-300010", says: "Branch"),
    Case(429, Bodies.fault(429, "OBP-10018: Too Many Requests."), .busy, "OBP-10018", says: "Too Many"),
    Case(408, Bodies.fault(408, "OBP-01000: Timeout."), .timedOut, "OBP-01000", says: "Timeout"),
    Case(500, "<html><head><title>Bad day</title></head><body>x</body></html>", .serverFault, nil, says: "Bad day"),
    Case(504, #"{"message":"Request timeout: x"}"#, .serverFault, nil, says: "Request timeout"),
    Case(409, Bodies.fault(409, "OBP-30212: exists"), .conflict, "OBP-30212", says: "exists"),
    Case(400, "the following parameters are missing : a", .failed, nil, says: "parameters are missing"),
    Case(400, #"{"tppMessages":[{"category":"ERROR","code":400,"text":"no"}]}"#, .failed, nil, says: "no"),
  ])
  func `a refusal keeps the server's code and says what it means`(_ c: Case) async throws {
    let bench = try OpenBankBench(anonymous: true)
    bench.stub.on("GET", "/obp/v5.1.0/banks/x", status: c.status, body: c.body)
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.item(try bench.location("/banks/x"))
    }
    #expect(error?.code == c.code)
    #expect(error?.serverCode == c.server)
    #expect(error?.status == c.status)
    #expect(error?.message.contains(c.says) ?? false)
  }

  @Test(arguments: ["<html><body>hello</body></html>", #"{"banks":[{"id":"#, "nonsense"])
  func `an answer that is not this API's JSON is unreadable`(body: String) async throws {
    let bench = try OpenBankBench(anonymous: true)
    bench.stub.on("GET", "/obp/v5.1.0/banks/x", body: body)
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.item(try bench.location("/banks/x"))
    }
    #expect(error?.code == .unreadable)
  }

  @Test func `a limit says when to come back, and the correlation id goes with every error of the server`() throws {
    let url = try #require(URL(string: "http://127.0.0.1/"))
    let busy = HTTPResponse(
      status: 429, headers: ["X-Rate-Limit-Reset": "17"], body: Array(Bodies.fault(429, "OBP-10018: x").utf8), url: url)
    #expect(OpenBankFault(busy).error("load").advice.contains("17 seconds"))
    let fault = HTTPResponse(
      status: 500, headers: ["Correlation-Id": "c-1"], body: Array(Bodies.fault(500, "OBP-50000: x").utf8), url: url)
    #expect(OpenBankFault(fault).error("load").message.contains("c-1"))
  }

  @Test(arguments: [
    ("https://h", "https://h/obp/v5.1.0", false), ("https://h/", "https://h/obp/v5.1.0", false),
    ("https://h:8080/obp", "https://h:8080/obp/v5.1.0", false),
    ("https://h/obp/v4.0.0/", "https://h/obp/v4.0.0", true), ("http://h/x/obp/v2.0.0", "http://h/x/obp/v2.0.0", true),
  ])
  func `an address names host, path and version, or gets the usual ones`(
    _ url: String, _ root: String, _ named: Bool
  ) throws {
    let server = try #require(OpenBankServer(url: url))
    #expect(server.root == root)
    #expect(server.namesVersion == named)
  }

  @Test(arguments: ["", "host/obp", "ftp://h", "https://", "https://user@h/obp"])
  func `what is no address is refused`(url: String) { #expect(OpenBankServer(url: url) == nil) }
}
