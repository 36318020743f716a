import Testing
import Wire

@testable import MobileFirst

@Suite struct ResourceAnswerTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let status: Int
    let headers: HTTPHeaders
    let answer: ResourceAnswer
    init(_ status: Int, _ headers: HTTPHeaders, _ answer: ResourceAnswer) {
      self.status = status
      self.headers = headers
      self.answer = answer
    }
    var testDescription: String { "\(status) \(headers.fields.map { "\($0.name): \($0.value)" })" }
  }

  @Test(arguments: [
    Case(200, ["WWW-Authenticate": "Bearer"], .fine), Case(401, [:], .fine), Case(500, [:], .fine),
    Case(401, ["WWW-Authenticate": "Basic realm=\"x\""], .fine),
    Case(401, ["WWW-Authenticate": "MFP-Challenge"], .fine),
    Case(401, ["WWW-Authenticate": "Bearer"], .tokenNeeded(isInvalid: false)),
    Case(401, ["www-authenticate": "bearer error=\"invalid_token\""], .tokenNeeded(isInvalid: true)),
    Case(403, ["WWW-Authenticate": "Bearer"], .scopeNeeded(nil)),
    Case(
      403, ["WWW-Authenticate": #"Bearer error="insufficient_scope", scope="RegisteredClient a b""#],
      .scopeNeeded("RegisteredClient a b")),
    Case(403, ["WWW-Authenticate": #"Bearer scope="a  b", realm="x y""#], .scopeNeeded("a b")),
    Case(403, ["WWW-Authenticate": "Bearer scope=a b, realm=x"], .scopeNeeded("a b")),
    Case(403, ["WWW-Authenticate": #"Bearer scope="""#], .scopeNeeded(nil)),
    Case(409, ["MFP-Conflict": "true"], .conflict), Case(409, ["mfp-conflict": ""], .conflict), Case(409, [:], .fine),
    Case(404, ["MFP-Conflict": "true"], .fine),
  ]) func `an answer says what it wants`(_ c: Case) {
    #expect(ResourceAnswer(status: c.status, headers: c.headers) == c.answer)
  }

  @Test func `of several challenges the Bearer one counts`() {
    var headers: HTTPHeaders = [:]
    headers.append("WWW-Authenticate", "Basic realm=\"x\"")
    headers.append("WWW-Authenticate", "Bearer scope=\"a\"")
    #expect(ResourceAnswer(status: 403, headers: headers) == .scopeNeeded("a"))
  }

  @Test func `order and repetition mean nothing in a scope`() {
    #expect(Scope("b a  b") == Scope("a b RegisteredClient"))
    #expect("\(Scope("b a"))" == "RegisteredClient a b")
    #expect(Scope(nil) == .standard)
    #expect(Scope("a b").covers(Scope("b")))
    #expect(!Scope("a").covers(Scope("a b")))
  }
}
