import Model
import TestKit
import Testing

@testable import MobileFirst

/// What places say of themselves, in lists and alone.
@Suite struct PlaceFactTests {
  @Test func `a check that nobody has heard of does not exist`() async throws {
    let gate = try Gatehouse(answers: ["PinCode": ["pin": "1"]])
    let (unknown, configured) = (["checks", "nope"], ["checks", "PinCode"])
    let error = await #expect(throws: ServiceError.self) {
      try await gate.backend.item(Location(connection: "mfp", path: unknown))
    }
    #expect(error?.code == .notFound)
    #expect(try await gate.backend.item(Location(connection: "mfp", path: configured)).title == "PinCode")
  }

  @Test func `a resource says alone what it says in the list`() async throws {
    let gate = try Gatehouse(auth: ["method": "confidential", "clientID": "test", "clientSecret": "test"], scope: "s")
    gate.token("t")
    gate.answer(200, body: #"{"name":"theirs"}"#)
    let item = try await gate.backend.item(gate.location)
    let listing = try await gate.backend.list(Location(connection: "mfp", path: ["resources"]), ListQuery())
    for (column, value) in zip(listing.columns, listing.rows[0].values) {
      #expect(item.fields.first { $0.id == column.id }?.value == value, "\(column.id)")
    }
    #expect(item.fields.first { $0.id == ".name" }?.value == .text("theirs"))
  }

  @Test func `an application alone is nobody`() async throws {
    let gate = try Gatehouse()
    gate.grant()
    gate.token("t")
    _ = try await gate.backend.manager.accessToken()
    let state = try await gate.backend.signInState(verifying: false)
    #expect(state.isSignedIn)
    #expect(state.user == nil)
  }

  @Test(arguments: [["checks", "x"], ["resources", "x"], ["tokens", "x"]])
  func `an item is no list`(_ path: [String]) async throws {
    let gate = try Gatehouse()
    let error = await #expect(throws: ServiceError.self) {
      try await gate.backend.list(Location(connection: "mfp", path: path), ListQuery())
    }
    #expect(error?.code == .usage)
  }
}
