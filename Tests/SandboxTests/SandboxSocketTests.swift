import JSON
import TestKit
import Testing

@testable import Sandbox

/// The same servers over a real socket.
@Suite(.bounded) struct SandboxSocketTests {
  private struct Reply {
    let status: Int
    let body: String
  }

  private func exchange(_ sandbox: Sandbox, _ head: String, body: String = "") throws -> Reply {
    let client = try RawClient(port: sandbox.port)
    let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
    try client.send("\(head)\r\nHost: 127.0.0.1:\(sandbox.port)\r\nConnection: close\r\n\(length)\r\n\(body)")
    let text = try client.receiveAll()
    let parts = text.split(separator: "\r\n\r\n", maxSplits: 1).map(String.init)
    let status = parts.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return Reply(status: status, body: parts.count > 1 ? parts[1] : "")
  }

  @Test func `a sandbox serves, names itself and stops`() throws {
    let sandbox = try Sandbox(SandboxOptions(accounts: 3, transactions: 20, documents: 5, objects: 5))
    #expect(sandbox.port > 0)
    let root = try exchange(sandbox, "GET /obp/v5.1.0/root HTTP/1.1")
    #expect(root.status == 200)
    #expect(try JSONDocument(Array(root.body.utf8)).root["hostname"].string == sandbox.origin)
    #expect(try exchange(sandbox, "GET /mobile/platform/users/~ HTTP/1.1").status == 401)
    sandbox.stop()
    #expect(throws: (any Error).self) { try RawClient(port: sandbox.port) }
  }

  @Test func `the configuration names every server and lets its own credentials in`() throws {
    let sandbox = try Sandbox(SandboxOptions(accounts: 3, transactions: 20, documents: 5, objects: 5))
    defer { sandbox.stop() }
    let text = sandbox.configuration
    #expect(text.hasPrefix("connections:\n  - name: bank\n    kind: openbank\n    url: \(sandbox.origin)/obp/v5.1.0\n"))
    for door in sandbox.hall.doors {
      #expect(text.contains("\n  - name: \(door.name)\n") || text.contains("  - name: bank"))
    }
    func value(_ key: String) -> String {
      text.split(separator: "\(key): ").dropFirst().first?.split(separator: "\n").first.map(String.init) ?? ""
    }
    #expect(value("password").count >= 12)
    let login = "username=\(value("user")), password=\(value("password")), consumer_key=\(value("consumerKey"))"
    let reply = try exchange(sandbox, "POST /my/logins/direct HTTP/1.1\r\nDirectLogin: \(login)")
    #expect(reply.status == 201)
  }

  @Test func `a cut answer ends early on the wire`() throws {
    let sandbox = try Sandbox(SandboxOptions(accounts: 1, transactions: 1, documents: 1, objects: 1))
    defer { sandbox.stop() }
    #expect(try exchange(sandbox, "POST /sandbox/faults?kind=cut&door=bank&times=1 HTTP/1.1").status == 204)
    #expect(try exchange(sandbox, "GET /obp/v5.1.0/root HTTP/1.1").body.utf8.count < 4_096)
    #expect(try exchange(sandbox, "GET /obp/v5.1.0/root HTTP/1.1").status == 200)
  }

  @Test func `a large upload comes back byte for byte`() throws {
    let sandbox = try Sandbox(SandboxOptions(accounts: 1, transactions: 1, documents: 1, objects: 1))
    defer { sandbox.stop() }
    let door = try #require(sandbox.hall.doors.compactMap { $0 as? OMCDoor }.first)
    let user = try #require(door.server.user(named: "ada"))
    let pair = PercentCoding.encodeBase64("ada:\(user.password)")
    let headers = "Authorization: Basic \(pair)\r\nOracle-Mobile-Backend-ID: \(door.server.credentials.backendID)"
    let path = "/mobile/platform/storage/collections/FieldPhotos/objects/big.txt"
    // Beyond 8 MiB an upload lives in a file.
    let body = String(repeating: "0123456789abcdef", count: 600_000)
    let made = try exchange(sandbox, "PUT \(path) HTTP/1.1\r\n\(headers)\r\nContent-Type: text/plain", body: body)
    #expect(made.status == 201)
    let read = try exchange(sandbox, "GET \(path) HTTP/1.1\r\n\(headers)")
    #expect(read.status == 200)
    #expect(read.body == body)
  }
}
