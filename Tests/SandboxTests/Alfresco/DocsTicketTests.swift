import HTTPServer
import JSON
import Testing

@testable import Sandbox

@Suite struct DocsTicketTests {
  let docs = DocsClient()

  private func sign(_ user: String, _ password: String) -> ServerResponse {
    var anonymous = docs
    anonymous.user = nil
    let body: JSONNode = ["userId": .string(user), "password": .string(password)]
    return anonymous.send("POST", DocsClient.tickets, body.encoded())
  }

  @Test func `a wrong password is 403 at the tickets and 401 with Basic`() {
    #expect(sign("susan", "wrong").status == 403)
    #expect(sign("susan", "").status == 400)
    let answer = docs.get("people/-me-", headers: [("Authorization", "Basic \(base64(Array("susan:wrong".utf8)))")])
    #expect(answer.status == 401)
  }

  @Test func `a user has one ticket, good in three forms and not as Bearer`() throws {
    let ticket = try #require(sign("susan", docs.password("susan")).json["entry"]["id"].string)
    #expect(sign("susan", docs.password("susan")).json["entry"]["id"].string == ticket)
    var anonymous = docs
    anonymous.user = nil
    let bare = base64(Array(ticket.utf8))
    let role = base64(Array("ROLE_TICKET:\(ticket)".utf8))
    #expect(anonymous.get("people/-me-", headers: [("Authorization", "Basic \(bare)")]).status == 200)
    #expect(anonymous.get("people/-me-", headers: [("Authorization", "Basic \(role)")]).status == 200)
    #expect(anonymous.get("people/-me-?alf_ticket=\(ticket)").status == 200)
    #expect(anonymous.get("people/-me-", headers: [("Authorization", "Bearer \(ticket)")]).status == 401)
    let end = anonymous.send("DELETE", "\(DocsClient.tickets)/-me-", headers: [("Authorization", "Basic \(bare)")])
    #expect(end.status == 204)
    #expect(anonymous.get("people/-me-?alf_ticket=\(ticket)").status == 401)
  }

  @Test func `a ticket dies an hour after its last use`() throws {
    let ticket = try #require(sign("susan", docs.password("susan")).json["entry"]["id"].string)
    var anonymous = docs
    anonymous.user = nil
    docs.clock.advance(seconds: 3_000)
    #expect(anonymous.get("people/-me-?alf_ticket=\(ticket)").status == 200)
    docs.clock.advance(seconds: 3_700)
    #expect(anonymous.get("people/-me-?alf_ticket=\(ticket)").status == 401)
  }
}
