import Model
import TestKit
import Testing

@testable import Unwired

/// Edits that the server does not take, and what a person decides about them.
@Suite(.bounded) final class ConflictTests: OfflineField {
  /// An edit of a row that the server changes (or deletes) meanwhile, after one synchronisation has met that.
  private func conflicted(
    _ mine: String = #"{"city":"Graz"}"#, theirs: String? = #"{"city":"Linz","phone":"99"}"#
  ) async throws -> (backend: UnwiredBackend, edit: Location) {
    try await sync(signedIn())
    _ = try await put(makeBackend(offline: true), mine, "/data/Customers/120")
    let online = try await signedIn()
    if let theirs {
      _ = try await put(online, theirs, "/live/Customers/120")
    } else {
      _ = try await online.delete(at("/live/Customers/120"))
    }
    let error = await #expect(throws: ServiceError.self) { try await sync(online) }
    #expect(error?.code == .conflict)
    return (online, try await online.list(at("/pending"), ListQuery()).rows[0].location)
  }

  private func fields(_ item: Item) -> [String: String] {
    Dictionary(uniqueKeysWithValues: item.fields.map { ($0.id, $0.value.exactText) })
  }

  @Test func `a conflict shows both sides and what was there before`() async throws {
    let (online, edit) = try await conflicted()
    let before = try await makeBackend(offline: true).item(edit)
    let fields = fields(before)
    #expect(fields["mine.city"] == "Graz" && fields["theirs.city"] == "Linz")
    #expect(fields["base.city"] != nil && fields["base.city"] != "Graz" && fields["base.city"] != "Linz")
    #expect(fields["theirs.phone"] == "99" && fields["mine.phone"] == nil && fields["base.phone"] != nil)
    #expect(fields["state"] == "conflict" && fields["refused"] != "")
    #expect(before.sections.map(\.title) == ["Edit", "Mine", "Theirs", "Before"])
    #expect(before.notices == ["On the server city, phone changed since this edit was made."])
    let actions = try await online.item(edit).actions
    #expect(actions.filter { $0.disabled == nil }.map(\.id) == ["retry", "keep-mine", "take-theirs", "edit", "cancel"])
  }

  @Test func `mine wins in what I changed, and theirs in the rest`() async throws {
    let (online, edit) = try await conflicted()
    _ = try await online.perform("keep-mine", at: edit, fields: [:])
    #expect(try await city(online, "/live/Customers/120") == .text("Graz"))
    let row = try await online.item(at("/live/Customers/120"))
    #expect(fields(row)["phone"] == "99")
    #expect(try await pending(online).isEmpty)
    try await sync(online)
  }

  @Test func `theirs wins, and the edit is gone`() async throws {
    let (online, edit) = try await conflicted()
    _ = try await online.perform("take-theirs", at: edit, fields: [:])
    #expect(try await city(online, "/data/Customers/120") == .text("Linz"))
    #expect(try await city(online, "/live/Customers/120") == .text("Linz"))
    #expect(try await pending(online).isEmpty)
  }

  @Test func `theirs can be taken without the server, which told it at the conflict`() async throws {
    let (_, edit) = try await conflicted()
    sandbox.stop()
    let offline = try makeBackend(offline: true)
    _ = try await offline.perform("take-theirs", at: edit, fields: [:])
    #expect(try await city(offline, "/data/Customers/120") == .text("Linz"))
  }

  @Test func `a conflict can be settled by a third value`() async throws {
    let (online, edit) = try await conflicted()
    _ = try await online.perform("edit", at: edit, fields: ["city": "Steyr"])
    #expect(try await city(online, "/live/Customers/120") == .text("Steyr"))
    #expect(try await pending(online).isEmpty)
  }

  @Test func `a row that was deleted meanwhile is made anew by mine, and stays gone by theirs`() async throws {
    let (online, edit) = try await conflicted(theirs: nil)
    let item = try await online.item(edit)
    #expect(item.notices == ["The row is no longer on the server."])
    #expect(fields(item)["state"] == "conflict" && fields(item)["theirs.city"] == nil)
    _ = try await online.perform("keep-mine", at: edit, fields: [:])
    #expect(try await city(online, "/live/Customers/120") == .text("Graz"))
    _ = try await put(makeBackend(offline: true), #"{"city":"Wels"}"#, "/data/Customers/120")
    _ = try await online.delete(at("/live/Customers/120"))
    await #expect(throws: ServiceError.self) { try await sync(online) }
    let second = try await online.list(at("/pending"), ListQuery()).rows[0].location
    _ = try await online.perform("take-theirs", at: second, fields: [:])
    let gone = await #expect(throws: ServiceError.self) { try await online.item(at("/data/Customers/120")) }
    #expect(gone?.code == .notFound)
  }

  @Test func `dropping the first of two edits does not let the second one overwrite the server's change`() async throws
  {
    try await sync(signedIn())
    let offline = try makeBackend(offline: true)
    _ = try await put(offline, #"{"city":"Graz"}"#, "/data/Customers/120")
    _ = try await put(offline, #"{"city":"Wels"}"#, "/data/Customers/120")
    let online = try await signedIn()
    _ = try await put(online, #"{"city":"Linz"}"#, "/live/Customers/120")
    await #expect(throws: ServiceError.self) { try await sync(online) }
    let first = try await online.list(at("/pending"), ListQuery()).rows[0].location
    _ = try await online.perform("cancel", at: first, fields: [:])
    let error = await #expect(throws: ServiceError.self) { try await sync(online) }
    #expect(error?.code == .conflict)
    #expect(try await city(online, "/live/Customers/120") == .text("Linz"))
  }

  @Test func `where there is no conflict there is nothing to decide`() async throws {
    try await sync(signedIn())
    let offline = try makeBackend(offline: true)
    _ = try await put(offline, #"{"city":"Graz"}"#, "/data/Customers/120")
    let edit = try await offline.list(at("/pending"), ListQuery()).rows[0].location
    let item = try await offline.item(edit)
    #expect(item.notices.isEmpty)
    #expect(item.actions.filter { $0.disabled == nil }.map(\.id) == ["edit", "cancel"])
    for action in ["keep-mine", "take-theirs"] {
      let error = await #expect(throws: ServiceError.self) { try await offline.perform(action, at: edit, fields: [:]) }
      #expect(error?.code == .notOffered)
    }
    _ = try await offline.perform("edit", at: edit, fields: ["city": "Enns"])
    #expect(try await city(offline, "/data/Customers/120") == .text("Enns"))
  }

  @Test func `what waits is sent without fetching, or dropped as a whole`() async throws {
    try await sync(signedIn())
    let offline = try makeBackend(offline: true)
    _ = try await put(offline, #"{"city":"Graz"}"#, "/data/Customers/120")
    _ = try await put(offline, #"{"city":"Wels"}"#, "/data/Customers/121")
    let online = try await signedIn()
    #expect(try await online.perform("send", at: at("/pending"), fields: [:]).message == "Sent 2 edits.")
    #expect(try await city(online, "/live/Customers/121") == .text("Wels"))
    for city in ["A", "B", "C"] { _ = try await put(offline, #"{"city":"\#(city)"}"#, "/data/Customers/122") }
    #expect(try await online.perform("cancel-all", at: at("/pending"), fields: [:]).message == "Dropped 3 edits.")
    #expect(try await pending(online).isEmpty)
  }

  @Test func `a refused edit keeps the server's reason and goes out again when asked`() async throws {
    let online = try await signedIn()
    try await sync(online)
    try await turn("replay=500&times=1")
    await #expect(throws: ServiceError.self) { try await put(online, #"{"city":"Graz"}"#, "/data/Customers/123") }
    let edit = try await online.list(at("/pending"), ListQuery()).rows[0].location
    let refused = fields(try await online.item(edit))
    #expect(refused["state"] == "refused" && refused["error"]?.contains("SY/500") == true)
    _ = try await online.perform("retry", at: edit, fields: [:])
    #expect(try await city(online, "/live/Customers/123") == .text("Graz"))
  }
}
