import Model
import TestKit
import Testing

@testable import Alfresco

/// Answers that are not what was asked for, and facts that two calls must tell alike.
@Suite struct AnswerShapeTests {
  @Test(arguments: ["", "[]", "{}", #"{"list":{}}"#, #"{"list":{"entries":[7,null,"x"]}}"#])
  func `an answer of another shape is no empty list`(_ body: String) async throws {
    let desk = try Desk()
    desk.stub.on("GET", "\(Desk.core)/sites", body: body)
    let sites = try desk.at("/sites")
    let error = await #expect(throws: ServiceError.self) { try await desk.backend.list(sites, ListQuery()) }
    #expect(error?.code == .unreadable)
  }

  @Test func `an answer without an entry is no item`() async throws {
    let desk = try Desk()
    desk.stub.on("GET", "\(Desk.core)/nodes/c4b7", body: "{}")
    let node = try desk.at("/nodes/c4b7")
    let error = await #expect(throws: ServiceError.self) { try await desk.backend.item(node) }
    #expect(error?.code == .unreadable)
  }

  @Test(arguments: [
    (#""cm:lockOwner":{"id":"susan","displayName":"Susan Marsh"}"#, true),
    (#""cm:lockOwner":{"id":"susan","displayName":"S"},"cm:expiryDate":"2026-11-30T08:00:00.000+0000""#, false),
    (#""cm:lockOwner":{"id":"susan","displayName":"S"},"cm:expiryDate":"2026-12-30T08:00:00.000+0000""#, true),
    (#""cm:title":"x""#, false),
  ]) func `a lock shows to its owner, too, until it ends`(_ properties: String, _ isLocked: Bool) async throws {
    let desk = try Desk()
    desk.stub.on(
      "GET", "\(Desk.core)/nodes/c4b7",
      body: #"{"entry":{"id":"c4b7","name":"a","isFile":true,"isFolder":false,"isLocked":false,"#
        + #""properties":{\#(properties)}}}"#)
    let item = try await desk.backend.item(try desk.at("/nodes/c4b7"))
    #expect(item.fields.first { $0.id == "locked" }?.value == .flag(isLocked))
    #expect(item.actions.contains { $0.id == (isLocked ? "unlock" : "lock") })
  }

  @Test func `a shared file says of its link what the list of links says`() async throws {
    let desk = try Desk()
    let link =
      #"{"entry":{"id":"L1","nodeId":"c4b7","name":"a.pdf","expiresAt":"2026-12-24T00:00:00.000+0000","#
      + #""sharedByUser":{"id":"omar","displayName":"Omar Haddad"},"content":{"mimeType":"text/plain","sizeInBytes":1}}}"#
    desk.stub.on("GET", "\(Desk.core)/shared-links", body: Sample.list([link]))
    desk.stub.on("GET", "\(Desk.core)/shared-links/L1", body: link)
    desk.stub.on(
      "GET", "\(Desk.core)/nodes/c4b7",
      body: #"{"entry":{"id":"c4b7","name":"a.pdf","isFile":true,"isFolder":false,"#
        + #""content":{"mimeType":"text/plain","sizeInBytes":1},"properties":{"qshare:sharedId":"L1","qshare:sharedBy":"omar"}}}"#
    )
    let listing = try await desk.backend.list(try desk.at("/shared"), ListQuery())
    let row = try #require(listing.rows.first)
    let item = try await desk.backend.item(row.location)
    for (column, value) in zip(listing.columns, row.values) {
      #expect(item.fields.first { $0.id == column.id }?.value == value, "\(column.id)")
    }
  }

  @Test(arguments: ["/people/susan", "/trash/x", "/nodes/c4b7/@comments/1"])
  func `an item is no list`(_ path: String) async throws {
    let desk = try Desk()
    let location = try desk.at(path)
    let error = await #expect(throws: ServiceError.self) { try await desk.backend.list(location, ListQuery()) }
    #expect(error?.code == .usage)
  }
}
