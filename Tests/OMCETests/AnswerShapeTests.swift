import Model
import TestKit
import Testing

@testable import OMCE

/// Answers that are not what was asked for, and facts that two calls must tell alike.
@Suite struct AnswerShapeTests {
  private static let collections = "/mobile/platform/storage/collections"

  @Test(arguments: ["", "[]", "{}", #"{"items":null}"#, #"{"items":[7,null,"x"]}"#])
  func `an answer of another shape is no empty list`(_ body: String) async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on("GET", Self.collections, body: body)
    bench.stub.on("GET", "\(Self.collections)/C/objects", body: body)
    bench.stub.on("POST", "/mobile/platform/location/places/query", body: body)
    for path in ["/storage", "/storage/C", "/places"] {
      let location = try bench.location(path)
      let error = await #expect(throws: ServiceError.self) { try await bench.backend.list(location, ListQuery()) }
      #expect(error?.code == .unreadable, "\(path)")
    }
  }

  @Test(arguments: ["", "[]", "7"]) func `policies are members of an object`(_ body: String) async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on("GET", "/mobile/platform/appconfig/client", body: body)
    let location = try bench.location("/policies")
    let error = await #expect(throws: ServiceError.self) { try await bench.backend.list(location, ListQuery()) }
    #expect(error?.code == .unreadable)
  }

  @Test func `an object's row and its item agree on name and type`() async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on(
      "GET", "\(Self.collections)/C/objects",
      body: #"{"items":[{"id":"o1","name":"  two blanks ","contentType":"text/plain; charset=utf-8","#
        + #""contentLength":12,"eTag":"\"5\""}],"hasMore":false}"#)
    bench.stub.on(
      "HEAD", "\(Self.collections)/C/objects/o1",
      headers: [
        "Content-Type": "text/plain; charset=utf-8", "Content-Length": "12", "ETag": "\"5\"",
        "Oracle-Mobile-Name": "two blanks",
      ])
    let listing = try await bench.backend.list(try bench.location("/storage/C"), ListQuery())
    let item = try await bench.backend.item(listing.rows[0].location)
    for (column, value) in zip(listing.columns, listing.rows[0].values) {
      #expect(item.fields.first { $0.id == column.id }?.value == value, "\(column.id)")
    }
  }

  @Test(arguments: ["/me", "/storage/C/o1", "/policies/x"]) func `an item is no list`(_ path: String) async throws {
    let bench = try await MobileBench.signedIn()
    let location = try bench.location(path)
    let error = await #expect(throws: ServiceError.self) { try await bench.backend.list(location, ListQuery()) }
    #expect(error?.code == .usage)
  }
}
