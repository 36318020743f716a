import JSON
import TestKit
import Testing

@testable import Sandbox

/// Documents, protected resources and field data over a real socket.
@Suite(.bounded) struct DocsSocketTests {
  private func exchange(_ sandbox: Sandbox, _ head: String, body: String = "") throws -> (status: Int, body: String) {
    let client = try RawClient(port: sandbox.port)
    let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
    try client.send("\(head)\r\nHost: 127.0.0.1:\(sandbox.port)\r\nConnection: close\r\n\(length)\r\n\(body)")
    let text = try client.receiveAll()
    let parts = text.split(separator: "\r\n\r\n", maxSplits: 1).map(String.init)
    let status = parts.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return (status, parts.count > 1 ? parts[1] : "")
  }

  /// What stands behind a key within the entry of one connection.
  private func setting(_ key: String, of connection: String, _ sandbox: Sandbox) -> String {
    let entry = sandbox.configuration.split(separator: "- name: ").first { $0.hasPrefix("\(connection)\n") } ?? ""
    return entry.split(separator: "\(key): ").dropFirst().first?.split(separator: "\n").first.map(String.init) ?? ""
  }

  @Test func `an upload larger than memory allows comes back whole and in part`() throws {
    let sandbox = try Sandbox(SandboxOptions(accounts: 1, transactions: 1, documents: 1, objects: 1))
    defer { sandbox.stop() }
    let password = setting("password", of: "docs", sandbox)
    let header = "Authorization: Basic \(base64(Array("susan:\(password)".utf8)))"
    let content = String(repeating: "0123456789abcdef", count: 600_000)
    let form = """
      --b0und\r\nContent-Disposition: form-data; name="filedata"; filename="big.txt"\r\n\
      Content-Type: text/plain\r\n\r\n\(content)\r\n--b0und--\r\n
      """
    let upload = "POST \(DocsClient.core)/nodes/-shared-/children HTTP/1.1\r\n\(header)"
    let made = try exchange(sandbox, "\(upload)\r\nContent-Type: multipart/form-data; boundary=b0und", body: form)
    #expect(made.status == 201)
    let id = try #require(try JSONDocument(Array(made.body.utf8)).root["entry"]["id"].string)
    let path = "\(DocsClient.core)/nodes/\(id)/content"
    #expect(try exchange(sandbox, "GET \(path) HTTP/1.1\r\n\(header)").body == content)
    let part = try exchange(sandbox, "GET \(path) HTTP/1.1\r\n\(header)\r\nRange: bytes=9599990-")
    #expect(part.status == 206)
    #expect(part.body == "6789abcdef")
  }

  @Test func `a protected resource and the Connections service stand beside it`() throws {
    let sandbox = try Sandbox(SandboxOptions(accounts: 1, transactions: 1, documents: 1, objects: 1))
    defer { sandbox.stop() }
    #expect(try exchange(sandbox, "GET /MyResource/MyProtectedProcedure HTTP/1.1").status == 401)
    #expect(try exchange(sandbox, "GET /MyResource/Public HTTP/1.1").status == 200)
    let credentials = "supuser:\(setting("password", of: "field", sandbox))"
    let header = "Authorization: Basic \(base64(Array(credentials.utf8)))\r\nAccept: application/json"
    let made = try exchange(
      sandbox, "POST \(FieldClient.connections()) HTTP/1.1\r\n\(header)\r\nContent-Type: application/json", body: "{}")
    #expect(made.status == 201)
    let root = try JSONDocument(Array(made.body.utf8)).root
    let id = try #require(root["d"]["ApplicationConnectionId"].string)
    let rows = try exchange(sandbox, "GET /SUP101/Customers?$top=2 HTTP/1.1\r\n\(header)\r\nX-SMP-APPCID: \(id)")
    #expect(try JSONDocument(Array(rows.body.utf8)).root["d"]["results"].count == 2)
    let issuer = try exchange(sandbox, "GET /auth/realms/alfresco/.well-known/openid-configuration HTTP/1.1")
    #expect(try JSONDocument(Array(issuer.body.utf8)).root["issuer"].string == "\(sandbox.origin)/auth/realms/alfresco")
  }
}
